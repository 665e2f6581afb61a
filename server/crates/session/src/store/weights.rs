//! Statements on `assistant_weights`.

use protocol::Awaited;
use sqlx::Result;
use sqlx::sqlite::SqliteConnection as Connection;

/// What is noted beside a message whenever it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    /// What a model will probably count for it.
    pub(crate) tokens: i64,
    /// Whom it waits for.
    pub(crate) waits: Option<Awaited>,
}

fn word(awaited: Awaited) -> &'static str {
    match awaited {
        Awaited::Approval => "approval",
        Awaited::Tool => "tool",
    }
}

/// Whom a stored word means.
pub(crate) fn awaited(word: &str) -> Option<Awaited> {
    [Awaited::Approval, Awaited::Tool].into_iter().find(|awaited| self::word(*awaited) == word)
}

/// Notes what a new message weighs and whom it waits for.
pub(crate) async fn insert(
    connection: &mut Connection,
    session: &str,
    message: &str,
    parent: Option<&str>,
    weight: Weight,
) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_weights (session_id, message_id, tokens, path_tokens, waits) \
        VALUES (?1, ?2, ?4, ?4 + coalesce( \
            (SELECT path_tokens FROM assistant_weights WHERE session_id = ?1 AND message_id = ?3), 0), ?5)";
    let query = sqlx::query(SQL).bind(session).bind(message).bind(parent).bind(weight.tokens);
    query.bind(weight.waits.map(word)).execute(connection).await.map(drop)
}

/// What is noted beside a message.
async fn weight(connection: &mut Connection, session: &str, message: &str) -> Result<Option<Weight>> {
    const SQL: &str = "SELECT tokens, waits FROM assistant_weights WHERE session_id = ? AND message_id = ?";
    let found: Option<(i64, Option<String>)> =
        sqlx::query_as(SQL).bind(session).bind(message).fetch_optional(connection).await?;
    Ok(found.map(|(tokens, waits)| Weight { tokens, waits: waits.as_deref().and_then(awaited) }))
}

/// Notes whom a message waits for.
pub(crate) async fn set_waits(
    connection: &mut Connection,
    session: &str,
    message: &str,
    waits: Option<Awaited>,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_weights SET waits = ? WHERE session_id = ? AND message_id = ?";
    let query = sqlx::query(SQL).bind(waits.map(word)).bind(session).bind(message);
    query.execute(connection).await.map(drop)
}

/// Those of the messages `ids`, a JSON array, that wait for anybody.
pub(crate) async fn waiting(connection: &mut Connection, session: &str, ids: &str) -> Result<Vec<String>> {
    sqlx::query_scalar(WAITING).bind(session).bind(ids).fetch_all(connection).await
}

pub(super) const WAITING: &str = "SELECT w.message_id FROM json_each(?2) AS asked \
    CROSS JOIN assistant_weights AS w WHERE w.session_id = ?1 AND w.message_id = asked.value \
    AND w.waits IS NOT NULL";

/// What the path to a message weighs.
pub(crate) async fn path_tokens(
    connection: &mut Connection,
    session: &str,
    message: &str,
) -> Result<Option<i64>> {
    const SQL: &str = "SELECT path_tokens FROM assistant_weights WHERE session_id = ? AND message_id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(message).fetch_optional(connection).await
}

/// Notes what a message weighs now and whom it waits for.
pub(crate) async fn set(
    connection: &mut Connection,
    session: &str,
    message: &str,
    weight: Weight,
) -> Result<()> {
    let Some(before) = self::weight(connection, session, message).await? else { return Ok(()) };
    if before.waits != weight.waits {
        set_waits(connection, session, message, weight.waits).await?;
    }
    match weight.tokens.saturating_sub(before.tokens) {
        0 => Ok(()),
        more => add(connection, session, message, more).await,
    }
}

/// Makes a message heavier, and every path through it. Costs as much as there is below the message.
async fn add(connection: &mut Connection, session: &str, message: &str, more: i64) -> Result<()> {
    sqlx::query(ADD).bind(session).bind(message).bind(more).execute(connection).await.map(drop)
}

pub(super) const ADD: &str = "WITH RECURSIVE down (id) AS ( \
        SELECT ?2 \
        UNION \
        SELECT m.id FROM down CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.parent_id = down.id \
    ) \
    UPDATE assistant_weights \
    SET path_tokens = path_tokens + ?3, tokens = tokens + iif(message_id = ?2, ?3, 0) \
    WHERE session_id = ?1 AND message_id IN (SELECT id FROM down)";

/// Adds up all paths of a session again, from its roots.
pub(crate) async fn renew_paths(connection: &mut Connection, session: &str) -> Result<()> {
    sqlx::query(RENEW_PATHS).bind(session).execute(connection).await.map(drop)
}

pub(super) const RENEW_PATHS: &str = "WITH RECURSIVE tree (id, total) AS ( \
        SELECT m.id, w.tokens FROM assistant_messages AS m \
        CROSS JOIN assistant_weights AS w ON w.session_id = ?1 AND w.message_id = m.id \
        WHERE m.session_id = ?1 AND m.parent_id IS NULL \
        UNION ALL \
        SELECT m.id, tree.total + w.tokens FROM tree CROSS JOIN assistant_messages AS m \
        CROSS JOIN assistant_weights AS w ON w.session_id = ?1 AND w.message_id = m.id \
        WHERE m.session_id = ?1 AND m.parent_id = tree.id \
    ) \
    UPDATE assistant_weights SET path_tokens = tree.total FROM tree \
    WHERE assistant_weights.session_id = ?1 AND assistant_weights.message_id = tree.id \
    AND assistant_weights.path_tokens <> tree.total";

/// Pins a message, or unpins it where there is no time; whether it was there.
pub(crate) async fn set_pinned(
    connection: &mut Connection,
    session: &str,
    message: &str,
    at: Option<i64>,
) -> Result<bool> {
    const SQL: &str = "UPDATE assistant_weights SET pinned_at = ? WHERE session_id = ? AND message_id = ?";
    let done = sqlx::query(SQL).bind(at).bind(session).bind(message).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// All pinned messages of a session, in the order they were stored, with their depths.
pub(crate) async fn pinned(connection: &mut Connection, session: &str) -> Result<Vec<(String, i64)>> {
    sqlx::query_as(PINNED).bind(session).fetch_all(connection).await
}

pub(super) const PINNED: &str = "SELECT w.message_id, m.depth \
    FROM assistant_weights AS w INDEXED BY assistant_weights_pinned \
    CROSS JOIN assistant_messages AS m ON m.session_id = ?1 AND m.id = w.message_id \
    WHERE w.session_id = ?1 AND w.pinned_at IS NOT NULL ORDER BY m.seq";
