//! Statements on single rows of `assistant_messages`.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A row to be written.
#[derive(Debug)]
pub(crate) struct NewRow<'a> {
    pub(crate) id: &'a str,
    pub(crate) parent_id: Option<&'a str>,
    pub(crate) seq: i64,
    pub(crate) depth: i64,
    pub(crate) role: &'a str,
    pub(crate) created_at: i64,
    pub(crate) content: &'a str,
}

/// Where a message stands.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Place {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) depth: i64,
    pub(crate) chosen_child: Option<String>,
}

pub(crate) async fn insert(connection: &mut Connection, session: &str, row: &NewRow<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_messages \
        (session_id, id, parent_id, seq, depth, role, created_at, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(session).bind(row.id).bind(row.parent_id).bind(row.seq);
    let query = query.bind(row.depth).bind(row.role).bind(row.created_at).bind(row.content);
    query.execute(connection).await.map(drop)
}

pub(crate) async fn place(connection: &mut Connection, session: &str, id: &str) -> Result<Option<Place>> {
    const SQL: &str =
        "SELECT id, parent_id, depth, chosen_child FROM assistant_messages WHERE session_id = ? AND id = ?";
    sqlx::query_as(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// The places of those of `ids`, a JSON array, that exist.
pub(crate) async fn places(connection: &mut Connection, session: &str, ids: &str) -> Result<Vec<Place>> {
    sqlx::query_as(PLACES).bind(session).bind(ids).fetch_all(connection).await
}

pub(super) const PLACES: &str = "SELECT m.id, m.parent_id, m.depth, m.chosen_child FROM json_each(?2) AS asked \
    CROSS JOIN assistant_messages AS m WHERE m.session_id = ?1 AND m.id = asked.value";

pub(crate) async fn content(connection: &mut Connection, session: &str, id: &str) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT CAST(content AS BLOB) FROM assistant_messages WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Whether the row is there and its text holds this one.
pub(crate) async fn holds(
    connection: &mut Connection,
    session: &str,
    (id, text): (&str, &str),
) -> Result<bool> {
    const SQL: &str =
        "SELECT instr(content, ?3) > 0 FROM assistant_messages WHERE session_id = ?1 AND id = ?2";
    let held = sqlx::query_scalar(SQL).bind(session).bind(id).bind(text).fetch_optional(connection).await?;
    Ok(held.unwrap_or_default())
}

/// Whether the row was there.
pub(crate) async fn set_content(
    connection: &mut Connection,
    session: &str,
    id: &str,
    content: &str,
) -> Result<bool> {
    const SQL: &str = "UPDATE assistant_messages SET content = ? WHERE session_id = ? AND id = ?";
    let done = sqlx::query(SQL).bind(content).bind(session).bind(id).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Removes messages, whose ids are a JSON array, for good.
pub(crate) async fn delete(connection: &mut Connection, session: &str, ids: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_messages WHERE session_id = ?1 \
        AND id IN (SELECT asked.value FROM json_each(?2) AS asked)";
    sqlx::query(SQL).bind(session).bind(ids).execute(connection).await.map(drop)
}

pub(crate) async fn set_chosen_child(
    connection: &mut Connection,
    session: &str,
    id: &str,
    child: Option<&str>,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_messages SET chosen_child = ? WHERE session_id = ? AND id = ?";
    sqlx::query(SQL).bind(child).bind(session).bind(id).execute(connection).await.map(drop)
}

/// The children of a message, or the roots, in the order they were stored.
pub(crate) async fn children(
    connection: &mut Connection,
    session: &str,
    parent: Option<&str>,
) -> Result<Vec<String>> {
    sqlx::query_scalar(CHILDREN).bind(session).bind(parent).fetch_all(connection).await
}

pub(super) const CHILDREN: &str =
    "SELECT id FROM assistant_messages WHERE session_id = ?1 AND parent_id IS ?2 ORDER BY seq";

/// The child of a message, or the root, that was stored last.
pub(crate) async fn last_child(
    connection: &mut Connection,
    session: &str,
    parent: Option<&str>,
) -> Result<Option<String>> {
    sqlx::query_scalar(LAST_CHILD).bind(session).bind(parent).fetch_optional(connection).await
}

pub(super) const LAST_CHILD: &str = "SELECT id FROM assistant_messages WHERE session_id = ?1 AND parent_id IS ?2 \
    ORDER BY seq DESC LIMIT 1";

/// All messages of a session.
pub(crate) async fn ids(connection: &mut Connection, session: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT id FROM assistant_messages WHERE session_id = ? ORDER BY seq";
    sqlx::query_scalar(SQL).bind(session).fetch_all(connection).await
}

/// All children of the parents of `ids`, a JSON array: (number in `ids`, the child), children in the order they were
/// stored.
pub(crate) async fn versions(
    connection: &mut Connection,
    session: &str,
    ids: &str,
) -> Result<Vec<(i64, String)>> {
    sqlx::query_as(VERSIONS).bind(session).bind(ids).fetch_all(connection).await
}

pub(super) const VERSIONS: &str = "SELECT asked.key, version.id FROM json_each(?2) AS asked \
    CROSS JOIN assistant_messages AS m ON m.session_id = ?1 AND m.id = asked.value \
    CROSS JOIN assistant_messages AS version ON version.session_id = ?1 AND version.parent_id IS m.parent_id \
    ORDER BY asked.key, version.seq";

/// All messages without a child, in the order they were stored.
pub(crate) async fn leaves(connection: &mut Connection, session: &str) -> Result<Vec<String>> {
    sqlx::query_scalar(LEAVES).bind(session).fetch_all(connection).await
}

pub(super) const LEAVES: &str = "SELECT m.id FROM assistant_messages AS m WHERE m.session_id = ?1 AND NOT EXISTS \
    (SELECT 1 FROM assistant_messages AS c WHERE c.session_id = ?1 AND c.parent_id = m.id) ORDER BY m.seq";

/// The message without a child that was stored last.
pub(crate) async fn latest_leaf(connection: &mut Connection, session: &str) -> Result<Option<String>> {
    sqlx::query_scalar(LATEST_LEAF).bind(session).fetch_optional(connection).await
}

pub(super) const LATEST_LEAF: &str = "SELECT m.id FROM assistant_messages AS m WHERE m.session_id = ?1 AND NOT EXISTS \
    (SELECT 1 FROM assistant_messages AS c WHERE c.session_id = ?1 AND c.parent_id = m.id) \
    ORDER BY m.seq DESC LIMIT 1";
