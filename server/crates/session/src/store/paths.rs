//! Statements that walk the tree. Each step of a walk must change the depth in its direction, so that a walk ends even
//! where damage has made a circle.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// Any number of steps.
pub(crate) const WHOLE: i64 = -1;

/// The walk from `?2` of session `?1` to its root, at most `?3` messages.
macro_rules! up {
    ($rest:literal) => {
        concat!(
            "WITH RECURSIVE path (row, id, parent_id, depth) AS ( \
                SELECT rowid, id, parent_id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 \
                UNION ALL \
                SELECT m.rowid, m.id, m.parent_id, m.depth FROM path CROSS JOIN assistant_messages AS m \
                WHERE m.session_id = ?1 AND m.id = path.parent_id AND m.depth < path.depth \
                LIMIT ?3 \
            ) ",
            $rest
        )
    };
}

/// A message of a path, with its content.
#[derive(Debug, FromRow)]
pub(crate) struct ContentRow {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) depth: i64,
    pub(crate) content: String,
}

/// The last `limit` messages of the path to `leaf`, oldest first.
pub(crate) async fn contents(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    limit: i64,
) -> Result<Vec<ContentRow>> {
    let query = sqlx::query_as(CONTENTS).bind(session).bind(leaf).bind(limit);
    let mut rows: Vec<ContentRow> = query.fetch_all(connection).await?;
    rows.sort_by_key(|row| row.depth);
    Ok(rows)
}

pub(super) const CONTENTS: &str =
    up!("SELECT m.id, m.parent_id, m.depth, m.content FROM path CROSS JOIN assistant_messages AS m \
     ON m.rowid = path.row");

/// A message of a path without its content.
#[derive(Debug, FromRow)]
pub(crate) struct SizeRow {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) depth: i64,
    /// Of the stored JSON.
    pub(crate) bytes: i64,
}

/// The path to `leaf`, oldest first, without reading any content.
pub(crate) async fn sizes(connection: &mut Connection, session: &str, leaf: &str) -> Result<Vec<SizeRow>> {
    let query = sqlx::query_as(SIZES).bind(session).bind(leaf).bind(WHOLE);
    let mut rows: Vec<SizeRow> = query.fetch_all(connection).await?;
    rows.sort_by_key(|row| row.depth);
    Ok(rows)
}

pub(super) const SIZES: &str =
    up!("SELECT m.id, m.role, m.depth, octet_length(m.content) AS bytes FROM path \
     CROSS JOIN assistant_messages AS m ON m.rowid = path.row");

/// The ids of the path to `leaf`, oldest first.
pub(crate) async fn ids(connection: &mut Connection, session: &str, leaf: &str) -> Result<Vec<String>> {
    let query = sqlx::query_as(IDS).bind(session).bind(leaf).bind(WHOLE);
    let mut rows: Vec<(String, i64)> = query.fetch_all(connection).await?;
    rows.sort_by_key(|(_, depth)| *depth);
    Ok(rows.into_iter().map(|(id, _)| id).collect())
}

pub(super) const IDS: &str = up!("SELECT id, depth FROM path");

/// A message that its parent (or the session, for a root) does not remember as the one last viewed.
#[derive(Debug, FromRow)]
pub(crate) struct Forgotten {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
}

/// What of the path to `leaf` is not remembered; the walk ends at `known`, whose own path is.
pub(crate) async fn forgotten(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    known: Option<&str>,
) -> Result<Vec<Forgotten>> {
    sqlx::query_as(FORGOTTEN).bind(session).bind(leaf).bind(known).fetch_all(connection).await
}

pub(super) const FORGOTTEN: &str = "WITH RECURSIVE path (id, parent_id, depth) AS ( \
        SELECT id, parent_id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 AND id IS NOT ?3 \
        UNION ALL \
        SELECT m.id, m.parent_id, m.depth FROM path CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.id = path.parent_id AND m.depth < path.depth AND m.id IS NOT ?3 \
    ) \
    SELECT path.id, path.parent_id FROM path LEFT JOIN assistant_messages AS p \
    ON p.session_id = ?1 AND p.id = path.parent_id WHERE p.chosen_child IS NOT path.id";

/// The leaf below `top`: at each step the child last viewed, else the one stored last.
pub(crate) async fn descend(connection: &mut Connection, session: &str, top: &str) -> Result<Option<String>> {
    sqlx::query_scalar(DESCEND).bind(session).bind(top).fetch_optional(connection).await
}

pub(super) const DESCEND: &str = "WITH RECURSIVE down (row, id, depth) AS ( \
        SELECT rowid, id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 \
        UNION ALL \
        SELECT c.rowid, c.id, c.depth FROM down CROSS JOIN assistant_messages AS c ON c.rowid = coalesce( \
            (SELECT v.rowid FROM assistant_messages AS p CROSS JOIN assistant_messages AS v \
                ON v.session_id = ?1 AND v.id = p.chosen_child AND v.parent_id = p.id \
                WHERE p.rowid = down.row), \
            (SELECT n.rowid FROM assistant_messages AS n WHERE n.session_id = ?1 AND n.parent_id = down.id \
                ORDER BY n.seq DESC LIMIT 1)) \
        WHERE c.depth > down.depth \
    ) SELECT id FROM down ORDER BY depth DESC LIMIT 1";

/// Counts all depths of a session again, from its roots.
pub(crate) async fn renew_depths(connection: &mut Connection, session: &str) -> Result<()> {
    sqlx::query(RENEW_DEPTHS).bind(session).execute(connection).await.map(drop)
}

pub(super) const RENEW_DEPTHS: &str = "WITH RECURSIVE tree (id, depth) AS ( \
        SELECT id, 0 FROM assistant_messages WHERE session_id = ?1 AND parent_id IS NULL \
        UNION ALL \
        SELECT m.id, tree.depth + 1 FROM tree CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.parent_id = tree.id \
    ) \
    UPDATE assistant_messages SET depth = tree.depth FROM tree \
    WHERE assistant_messages.session_id = ?1 AND assistant_messages.id = tree.id \
    AND assistant_messages.depth <> tree.depth";
