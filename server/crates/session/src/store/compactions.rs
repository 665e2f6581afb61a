//! Statements on `assistant_compactions`.

use crate::compaction::{Compaction, overlay_id};
use crate::store::counted;
use protocol::{MessageId, OverlayInfo};
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A record as stored.
#[derive(Debug, FromRow)]
pub(crate) struct CompactionRow {
    pub(crate) id: String,
    pub(crate) from_message_id: String,
    pub(crate) to_message_id: String,
    created_at: i64,
    pub(crate) summary: String,
}

impl From<CompactionRow> for Compaction {
    fn from(row: CompactionRow) -> Self {
        Self {
            id: overlay_id(&row.id),
            summary: row.summary,
            from: MessageId::new(row.from_message_id),
            to: MessageId::new(row.to_message_id),
            created_at: counted(row.created_at),
        }
    }
}

/// A record to be written.
#[derive(Debug)]
pub(crate) struct NewRow<'a> {
    pub(crate) id: &'a str,
    /// Its place among the others, where it had one; else it is the last.
    pub(crate) seq: Option<i64>,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) tokens: i64,
    pub(crate) created_at: i64,
    pub(crate) summary: &'a str,
}

pub(crate) async fn insert(connection: &mut Connection, session: &str, row: &NewRow<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_compactions \
        (session_id, id, seq, from_message_id, to_message_id, tokens, created_at, summary) VALUES (?1, ?2, \
            coalesce(?8, (SELECT coalesce(max(seq), 0) + 1 FROM ( \
                SELECT seq FROM assistant_compactions WHERE session_id = ?1 \
                UNION ALL SELECT seq FROM assistant_clamped WHERE session_id = ?1))), \
            ?3, ?4, ?5, ?6, ?7)";
    let query = sqlx::query(SQL).bind(session).bind(row.id).bind(row.from).bind(row.to);
    let query = query.bind(row.tokens).bind(row.created_at).bind(row.summary).bind(row.seq);
    query.execute(connection).await.map(drop)
}

/// All records of a session, in the order they were made.
pub(crate) async fn list(connection: &mut Connection, session: &str) -> Result<Vec<CompactionRow>> {
    const SQL: &str = "SELECT id, from_message_id, to_message_id, created_at, summary \
        FROM assistant_compactions WHERE session_id = ? ORDER BY seq";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

pub(crate) async fn find(
    connection: &mut Connection,
    session: &str,
    id: &str,
) -> Result<Option<CompactionRow>> {
    const SQL: &str = "SELECT id, from_message_id, to_message_id, created_at, summary \
        FROM assistant_compactions WHERE session_id = ? AND id = ?";
    sqlx::query_as(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// What stands for the range of a record.
pub(crate) async fn summary(connection: &mut Connection, session: &str, id: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT summary FROM assistant_compactions WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Whether the record was there.
pub(crate) async fn set_summary(
    connection: &mut Connection,
    session: &str,
    id: &str,
    tokens: i64,
    summary: &str,
) -> Result<bool> {
    const SQL: &str =
        "UPDATE assistant_compactions SET tokens = ?, summary = ? WHERE session_id = ? AND id = ?";
    let done = sqlx::query(SQL).bind(tokens).bind(summary).bind(session).bind(id).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

pub(crate) async fn set_ends(
    connection: &mut Connection,
    session: &str,
    id: &str,
    from: &str,
    to: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_compactions SET from_message_id = ?, to_message_id = ? \
        WHERE session_id = ? AND id = ?";
    sqlx::query(SQL).bind(from).bind(to).bind(session).bind(id).execute(connection).await.map(drop)
}

/// Whether the record was there.
pub(crate) async fn delete(connection: &mut Connection, session: &str, id: &str) -> Result<bool> {
    const SQL: &str = "DELETE FROM assistant_compactions WHERE session_id = ? AND id = ?";
    let done = sqlx::query(SQL).bind(session).bind(id).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

pub(crate) async fn delete_all(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_compactions WHERE session_id = ?";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}

/// Where the range of a record lies, without its summary.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct RangeRow {
    pub(crate) id: String,
    pub(crate) from_message_id: String,
    pub(crate) to_message_id: String,
    pub(crate) from_depth: i64,
    pub(crate) to_depth: i64,
    /// The message above the range.
    pub(crate) above: Option<String>,
    /// What the messages of the range weigh.
    pub(crate) hidden_tokens: i64,
    /// What the summary weighs.
    pub(crate) tokens: i64,
    pub(crate) created_at: i64,
}

impl RangeRow {
    /// What a page shows of it.
    pub(crate) fn info(&self) -> OverlayInfo {
        OverlayInfo {
            id: overlay_id(&self.id),
            from: MessageId::new(self.from_message_id.as_str()),
            to: MessageId::new(self.to_message_id.as_str()),
            hidden: counted(self.to_depth.saturating_sub(self.from_depth)).saturating_add(1),
            tokens_before: counted(self.hidden_tokens),
            tokens_after: counted(self.tokens),
            created_at: counted(self.created_at),
        }
    }

    /// The whole record.
    pub(crate) fn compaction(self, summary: String) -> Compaction {
        Compaction {
            id: overlay_id(&self.id),
            summary,
            from: MessageId::new(self.from_message_id),
            to: MessageId::new(self.to_message_id),
            created_at: counted(self.created_at),
        }
    }
}

/// All ranges of a session, in the order their records were made.
pub(crate) async fn ranges(connection: &mut Connection, session: &str) -> Result<Vec<RangeRow>> {
    sqlx::query_as(RANGES).bind(session).fetch_all(connection).await
}

pub(super) const RANGES: &str = "SELECT c.id, c.from_message_id, c.to_message_id, f.depth AS from_depth, \
    t.depth AS to_depth, f.parent_id AS above, tw.path_tokens - fw.path_tokens + fw.tokens AS hidden_tokens, \
    c.tokens, c.created_at FROM assistant_compactions AS c \
    CROSS JOIN assistant_messages AS f ON f.session_id = ?1 AND f.id = c.from_message_id \
    CROSS JOIN assistant_messages AS t ON t.session_id = ?1 AND t.id = c.to_message_id \
    CROSS JOIN assistant_weights AS fw ON fw.session_id = ?1 AND fw.message_id = f.id \
    CROSS JOIN assistant_weights AS tw ON tw.session_id = ?1 AND tw.message_id = t.id \
    WHERE c.session_id = ?1 ORDER BY c.seq";
