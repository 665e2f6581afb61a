//! Statements on summaries whose ranges reach into the trash.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// Where the range of such a summary really begins and ends.
#[derive(Debug, FromRow)]
pub(crate) struct ClampedRow {
    pub(crate) id: String,
    pub(crate) from_message_id: String,
    pub(crate) to_message_id: String,
    pub(crate) seq: i64,
    pub(crate) tokens: i64,
    pub(crate) created_at: i64,
    pub(crate) summary: String,
}

/// Keeps those summaries as they are that begin or end with one of `ids`, a JSON array.
pub(crate) async fn keep(connection: &mut Connection, session: &str, ids: &str) -> Result<()> {
    sqlx::query(KEEP).bind(session).bind(ids).execute(connection).await.map(drop)
}

pub(super) const KEEP: &str = "INSERT INTO assistant_clamped \
        (session_id, id, seq, from_message_id, to_message_id, tokens, created_at, summary) \
    SELECT ?1, c.id, c.seq, c.from_message_id, c.to_message_id, c.tokens, c.created_at, c.summary \
    FROM json_each(?2) AS asked CROSS JOIN assistant_compactions AS c \
    ON (c.session_id = ?1 AND c.from_message_id = asked.value) \
    OR (c.session_id = ?1 AND c.to_message_id = asked.value) WHERE true ON CONFLICT DO NOTHING";

/// All of a session.
pub(crate) async fn list(connection: &mut Connection, session: &str) -> Result<Vec<ClampedRow>> {
    const SQL: &str = "SELECT id, from_message_id, to_message_id, seq, tokens, created_at, summary \
        FROM assistant_clamped WHERE session_id = ? ORDER BY seq";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

/// The messages from `to` up to `from`, the trash included, and whether each is outside of it.
pub(crate) async fn range(
    connection: &mut Connection,
    session: &str,
    from: &str,
    to: &str,
) -> Result<Vec<(String, bool)>> {
    sqlx::query_as(RANGE).bind(session).bind(from).bind(to).fetch_all(connection).await
}

pub(super) const RANGE: &str = "WITH RECURSIVE up (id) AS ( \
        SELECT ?3 \
        UNION \
        SELECT coalesce( \
            (SELECT t.parent_id FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.id = up.id), \
            (SELECT d.parent_id FROM assistant_displaced AS d WHERE d.session_id = ?1 AND d.message_id = up.id), \
            (SELECT m.parent_id FROM assistant_messages AS m WHERE m.session_id = ?1 AND m.id = up.id)) \
        FROM up WHERE up.id <> ?2 \
    ) SELECT up.id, EXISTS (SELECT 1 FROM assistant_messages AS m WHERE m.session_id = ?1 AND m.id = up.id) \
    FROM up WHERE up.id IS NOT NULL";

/// Keeps what a summary says now, before it goes with its last message.
pub(crate) async fn renew(connection: &mut Connection, session: &str, id: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_clamped SET (tokens, summary) = (c.tokens, c.summary) \
        FROM assistant_compactions AS c WHERE c.session_id = ?1 AND c.id = ?2 \
        AND assistant_clamped.session_id = ?1 AND assistant_clamped.id = ?2";
    sqlx::query(SQL).bind(session).bind(id).execute(connection).await.map(drop)
}

pub(crate) async fn set_ends(
    connection: &mut Connection,
    session: &str,
    id: &str,
    from: &str,
    to: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_clamped SET from_message_id = ?, to_message_id = ? \
        WHERE session_id = ? AND id = ?";
    sqlx::query(SQL).bind(from).bind(to).bind(session).bind(id).execute(connection).await.map(drop)
}

pub(crate) async fn forget(connection: &mut Connection, session: &str, id: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_clamped WHERE session_id = ? AND id = ?";
    sqlx::query(SQL).bind(session).bind(id).execute(connection).await.map(drop)
}
