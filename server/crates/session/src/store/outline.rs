//! The statement that reads a whole tree without the contents of its messages.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// The start of the first text of the message `m`, else the type of its first call of a tool; none where the row does
/// not parse. `?3` is how much of a text is read.
macro_rules! preview {
    () => {
        "CASE WHEN json_valid(m.content) THEN coalesce( \
            (SELECT substr(trim(part.value ->> 'text', char(32, 9, 10, 13)), 1, ?3) \
                FROM json_each(m.content, '$.parts') AS part \
                WHERE part.value ->> 'type' = 'text' \
                AND trim(part.value ->> 'text', char(32, 9, 10, 13)) <> '' LIMIT 1), \
            (SELECT part.value ->> 'type' FROM json_each(m.content, '$.parts') AS part \
                WHERE part.value ->> 'type' LIKE 'tool-%' LIMIT 1)) END"
    };
}

pub(super) use preview;

/// A message of the outline.
#[derive(Debug, FromRow)]
pub(crate) struct OutlineRow {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) role: String,
    pub(crate) created_at: i64,
    /// The start of its first text, else the type of its first call of a tool; none where the row does not parse.
    pub(crate) preview: Option<String>,
    /// How the turn that wrote it ended.
    pub(crate) status: Option<String>,
    pub(crate) is_pinned: bool,
}

/// The last `limit` messages of a session on all branches, in the order they were stored. `chars` is how much of a text
/// is read.
pub(crate) async fn nodes(
    connection: &mut Connection,
    session: &str,
    limit: i64,
    chars: i64,
) -> Result<Vec<OutlineRow>> {
    let query = sqlx::query_as(NODES).bind(session).bind(limit).bind(chars);
    let mut rows: Vec<OutlineRow> = query.fetch_all(connection).await?;
    rows.reverse();
    Ok(rows)
}

pub(super) const NODES: &str = concat!(
    "SELECT m.id, m.parent_id, m.role, m.created_at, ",
    preview!(),
    " AS preview, \
        CASE WHEN json_valid(m.content) THEN m.content ->> '$.metadata.bough.status' END AS status, \
        w.pinned_at IS NOT NULL AS is_pinned \
    FROM assistant_messages AS m LEFT JOIN assistant_weights AS w ON w.session_id = ?1 AND w.message_id = m.id \
    WHERE m.session_id = ?1 ORDER BY m.seq DESC LIMIT ?2"
);
