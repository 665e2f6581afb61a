//! Statements on messages in the trash, and on what they left displaced outside of it.
//!
//! Lists of ids are JSON arrays. A message's own parent is the one it was stored below, be it in the trash or not.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A deletion: some messages of a session that went together.
#[derive(Debug, FromRow)]
pub(crate) struct DeletionRow {
    pub(crate) number: i64,
    pub(crate) choices: String,
    pub(crate) leaf_before: Option<String>,
    pub(crate) leaf_after: Option<String>,
}

/// Notes a deletion and gives its number.
pub(crate) async fn open(connection: &mut Connection, session: &str, head: &str, now: i64) -> Result<i64> {
    const SQL: &str = "INSERT INTO assistant_deletions (session_id, number, head, deleted_at, choices, summaries) \
        VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM assistant_deletions WHERE session_id = ?1), ?2, ?3, '[]', \
            (SELECT json_group_array(id) FROM (SELECT id FROM assistant_compactions WHERE session_id = ?1 \
                UNION SELECT id FROM assistant_clamped WHERE session_id = ?1))) RETURNING number";
    sqlx::query_scalar(SQL).bind(session).bind(head).bind(now).fetch_one(connection).await
}

/// A summary that was made after a deletion, and so says nothing of it.
#[derive(Debug, FromRow)]
pub(crate) struct LaterRow {
    pub(crate) id: String,
    pub(crate) from_message_id: String,
    pub(crate) to_message_id: String,
    /// Whether its range reaches into the trash.
    pub(crate) is_clamped: bool,
}

/// The summaries that were made after a deletion.
pub(crate) async fn later(connection: &mut Connection, session: &str, number: i64) -> Result<Vec<LaterRow>> {
    sqlx::query_as(LATER).bind(session).bind(number).fetch_all(connection).await
}

pub(super) const LATER: &str = "WITH made (id, from_message_id, to_message_id, created_at, is_clamped) AS ( \
        SELECT k.id, k.from_message_id, k.to_message_id, k.created_at, true FROM assistant_clamped AS k \
        WHERE k.session_id = ?1 \
        UNION ALL \
        SELECT c.id, c.from_message_id, c.to_message_id, c.created_at, false FROM assistant_compactions AS c \
        WHERE c.session_id = ?1 AND NOT EXISTS \
            (SELECT 1 FROM assistant_clamped AS k WHERE k.session_id = ?1 AND k.id = c.id) \
    ) SELECT made.id, made.from_message_id, made.to_message_id, made.is_clamped \
    FROM assistant_deletions AS d CROSS JOIN made WHERE d.session_id = ?1 AND d.number = ?2 \
    AND CASE WHEN coalesce(json_valid(d.summaries), 0) = 0 THEN made.created_at > d.deleted_at \
        ELSE made.id NOT IN (SELECT asked.value FROM json_each(d.summaries) AS asked) END";

/// Notes what a deletion did to the choices of branches.
pub(crate) async fn note(connection: &mut Connection, session: &str, row: &DeletionRow) -> Result<()> {
    const SQL: &str = "UPDATE assistant_deletions SET choices = ?3, leaf_before = ?4, leaf_after = ?5 \
        WHERE session_id = ?1 AND number = ?2";
    let query = sqlx::query(SQL).bind(session).bind(row.number).bind(&row.choices);
    query.bind(&row.leaf_before).bind(&row.leaf_after).execute(connection).await.map(drop)
}

/// The deletion that a message went with.
pub(crate) async fn deletion_of(
    connection: &mut Connection,
    session: &str,
    id: &str,
) -> Result<Option<DeletionRow>> {
    sqlx::query_as(DELETION_OF).bind(session).bind(id).fetch_optional(connection).await
}

pub(super) const DELETION_OF: &str = "SELECT d.number, d.choices, d.leaf_before, d.leaf_after \
    FROM assistant_trashed_messages AS t CROSS JOIN assistant_deletions AS d \
    ON d.session_id = ?1 AND d.number = t.deletion WHERE t.session_id = ?1 AND t.id = ?2";

/// The message that the deletion is named by which a message went with.
pub(crate) async fn head_of(connection: &mut Connection, session: &str, id: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT d.head FROM assistant_trashed_messages AS t CROSS JOIN assistant_deletions AS d \
        ON d.session_id = ?1 AND d.number = t.deletion WHERE t.session_id = ?1 AND t.id = ?2";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// A message that lies in the trash, of the deletion noted first, if there is any.
pub(crate) async fn first_head(connection: &mut Connection, session: &str) -> Result<Option<String>> {
    const SQL: &str =
        "SELECT id FROM assistant_trashed_messages WHERE session_id = ? ORDER BY deletion, seq LIMIT 1";
    sqlx::query_scalar(SQL).bind(session).fetch_optional(connection).await
}

/// Removes a deletion and what is still in the trash of it.
pub(crate) async fn forget(connection: &mut Connection, session: &str, number: i64) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_deletions WHERE session_id = ? AND number = ?";
    sqlx::query(SQL).bind(session).bind(number).execute(connection).await.map(drop)
}

/// Copies messages into the trash, before they go.
pub(crate) async fn put(connection: &mut Connection, session: &str, number: i64, ids: &str) -> Result<()> {
    sqlx::query(PUT).bind(session).bind(number).bind(ids).execute(connection).await.map(drop)
}

pub(super) const PUT: &str = "INSERT INTO assistant_trashed_messages (session_id, id, deletion, parent_id, seq, \
        chosen_child, role, created_at, tokens, pinned_at, waits, doc, content) \
    SELECT ?1, m.id, ?2, coalesce(d.parent_id, m.parent_id), m.seq, m.chosen_child, m.role, m.created_at, \
        coalesce(w.tokens, 0), w.pinned_at, w.waits, s.doc, m.content \
    FROM json_each(?3) AS asked \
    CROSS JOIN assistant_messages AS m ON m.session_id = ?1 AND m.id = asked.value \
    LEFT JOIN assistant_displaced AS d ON d.session_id = ?1 AND d.message_id = m.id \
    LEFT JOIN assistant_weights AS w ON w.session_id = ?1 AND w.message_id = m.id \
    LEFT JOIN assistant_search AS s ON s.session_id = ?1 AND s.message_id = m.id";

/// Notes the own parents of those messages that stay while their parent goes.
pub(crate) async fn displace_children(connection: &mut Connection, session: &str, ids: &str) -> Result<()> {
    sqlx::query(DISPLACE_CHILDREN).bind(session).bind(ids).execute(connection).await.map(drop)
}

pub(super) const DISPLACE_CHILDREN: &str = "INSERT INTO assistant_displaced (session_id, message_id, parent_id) \
    SELECT ?1, m.id, m.parent_id FROM json_each(?2) AS asked \
    CROSS JOIN assistant_messages AS m ON m.session_id = ?1 AND m.parent_id = asked.value \
    WHERE m.id NOT IN (SELECT gone.value FROM json_each(?2) AS gone) ON CONFLICT DO NOTHING";

/// Removes messages of which there are copies in the trash.
pub(crate) async fn take_away(connection: &mut Connection, session: &str, ids: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_messages WHERE session_id = ?1 \
        AND id IN (SELECT asked.value FROM json_each(?2) AS asked)";
    sqlx::query(SQL).bind(session).bind(ids).execute(connection).await.map(drop)
}

/// The messages of a deletion, in the order they were stored.
pub(crate) async fn messages(connection: &mut Connection, session: &str, number: i64) -> Result<Vec<String>> {
    sqlx::query_scalar(MESSAGES).bind(session).bind(number).fetch_all(connection).await
}

pub(super) const MESSAGES: &str = "SELECT id FROM assistant_trashed_messages \
    WHERE session_id = ?1 AND deletion = ?2 ORDER BY seq";

/// The messages of a deletion that were stored last and how large they are, but for the one it is named by.
pub(crate) async fn last_of(
    connection: &mut Connection,
    session: &str,
    (number, head): (i64, &str),
    limit: i64,
) -> Result<Vec<(String, i64)>> {
    let query = sqlx::query_as(LAST_OF).bind(session).bind(number);
    query.bind(head).bind(limit).fetch_all(connection).await
}

pub(super) const LAST_OF: &str = "SELECT id, octet_length(content) FROM assistant_trashed_messages \
    WHERE session_id = ?1 AND deletion = ?2 AND id <> ?3 ORDER BY seq DESC LIMIT ?4";

/// Makes a deletion of its own of some of the messages of another one, and gives its number; none where that has no
/// others.
pub(crate) async fn split(
    connection: &mut Connection,
    session: &str,
    number: i64,
    ids: &str,
) -> Result<Option<i64>> {
    const OPEN: &str = "INSERT INTO assistant_deletions (session_id, number, head, deleted_at, choices) \
        SELECT ?1, (SELECT max(number) + 1 FROM assistant_deletions WHERE session_id = ?1), d.head, d.deleted_at, '[]' \
        FROM assistant_deletions AS d WHERE d.session_id = ?1 AND d.number = ?2 AND EXISTS \
            (SELECT 1 FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.deletion = ?2 \
                AND t.id NOT IN (SELECT asked.value FROM json_each(?3) AS asked)) RETURNING number";
    const MOVE: &str = "UPDATE assistant_trashed_messages SET deletion = ?2 \
        WHERE session_id = ?1 AND id IN (SELECT asked.value FROM json_each(?3) AS asked)";
    let query = sqlx::query_scalar(OPEN).bind(session).bind(number).bind(ids);
    let opened: Option<i64> = query.fetch_optional(&mut *connection).await?;
    if let Some(opened) = opened {
        sqlx::query(MOVE).bind(session).bind(opened).bind(ids).execute(connection).await?;
    }
    Ok(opened)
}

/// What a message in the trash says.
pub(crate) async fn content(connection: &mut Connection, session: &str, id: &str) -> Result<Option<Vec<u8>>> {
    const SQL: &str =
        "SELECT CAST(content AS BLOB) FROM assistant_trashed_messages WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Puts the messages of a deletion back among the others. They stand at no depth, and weigh nothing on a path, until
/// everything is counted again; until [`settle`] they stand below nothing.
pub(crate) async fn bring_back(connection: &mut Connection, session: &str, number: i64) -> Result<()> {
    const ROWS: &str = "INSERT INTO assistant_messages \
        (session_id, id, parent_id, seq, depth, chosen_child, role, created_at, content) \
        SELECT ?1, id, NULL, seq, 0, chosen_child, role, created_at, content FROM assistant_trashed_messages \
        WHERE session_id = ?1 AND deletion = ?2";
    const WEIGHTS: &str = "INSERT INTO assistant_weights \
        (session_id, message_id, tokens, path_tokens, pinned_at, waits) \
        SELECT ?1, id, tokens, -1, pinned_at, waits FROM assistant_trashed_messages WHERE session_id = ?1 AND deletion = ?2";
    const PARENTS: &str = "INSERT INTO assistant_displaced (session_id, message_id, parent_id) \
        SELECT ?1, id, parent_id FROM assistant_trashed_messages \
        WHERE session_id = ?1 AND deletion = ?2 AND parent_id IS NOT NULL";
    const NUMBER: &str = "INSERT INTO assistant_search (doc, session_id, message_id, created_at) \
        SELECT t.doc, ?1, t.id, t.created_at FROM assistant_trashed_messages AS t \
        WHERE t.session_id = ?1 AND t.deletion = ?2 AND t.doc IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM assistant_search AS s WHERE s.doc = t.doc)";
    for sql in [ROWS, WEIGHTS, PARENTS, NUMBER] {
        sqlx::query(sql).bind(session).bind(number).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Hangs every displaced message below the nearest one above it that is not in the trash, and forgets those that hang
/// below their own parent again. Depths and paths are wrong until they are counted again. Says how many hang somewhere
/// else now.
pub(crate) async fn settle(connection: &mut Connection, session: &str) -> Result<u64> {
    const HOME: &str = "DELETE FROM assistant_displaced AS d WHERE d.session_id = ?1 AND NOT EXISTS \
        (SELECT 1 FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.id = d.parent_id)";
    let moved = sqlx::query(SETTLE).bind(session).execute(&mut *connection).await?;
    sqlx::query(HOME).bind(session).execute(connection).await?;
    Ok(moved.rows_affected())
}

pub(super) const SETTLE: &str = "WITH RECURSIVE up (start, id) AS ( \
        SELECT message_id, parent_id FROM assistant_displaced WHERE session_id = ?1 \
        UNION \
        SELECT up.start, t.parent_id FROM up \
        CROSS JOIN assistant_trashed_messages AS t ON t.session_id = ?1 AND t.id = up.id \
    ), home (start, id) AS ( \
        SELECT up.start, max(m.id) FROM up \
        LEFT JOIN assistant_messages AS m ON m.session_id = ?1 AND m.id = up.id GROUP BY up.start \
    ) \
    UPDATE assistant_messages SET parent_id = home.id FROM home \
    WHERE assistant_messages.session_id = ?1 AND assistant_messages.id = home.start \
    AND assistant_messages.parent_id IS NOT home.id";

/// Those messages of a deletion that others hang below which are not of it, with all above these that are of it.
pub(crate) async fn needed(connection: &mut Connection, session: &str, number: i64) -> Result<Vec<String>> {
    sqlx::query_scalar(NEEDED).bind(session).bind(number).fetch_all(connection).await
}

pub(super) const NEEDED: &str = "WITH RECURSIVE up (id) AS ( \
        SELECT t.id FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.deletion = ?2 AND (EXISTS ( \
            SELECT 1 FROM assistant_trashed_messages AS c \
            WHERE c.session_id = ?1 AND c.parent_id = t.id AND c.deletion <> ?2) \
        OR EXISTS (SELECT 1 FROM assistant_displaced AS d WHERE d.session_id = ?1 AND d.parent_id = t.id)) \
        UNION \
        SELECT p.id FROM up \
        CROSS JOIN assistant_trashed_messages AS t ON t.session_id = ?1 AND t.id = up.id \
        CROSS JOIN assistant_trashed_messages AS p ON p.session_id = ?1 AND p.id = t.parent_id AND p.deletion = ?2 \
    ) SELECT id FROM up";

/// What the deletions of a session are named by, and how large their messages are, the latest first.
pub(crate) async fn sizes(connection: &mut Connection, session: &str) -> Result<Vec<(String, i64)>> {
    sqlx::query_as(SIZES).bind(session).fetch_all(connection).await
}

pub(super) const SIZES: &str = "SELECT d.head, (SELECT coalesce(sum(octet_length(t.content)), 0) \
        FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.deletion = d.number) \
    FROM assistant_deletions AS d WHERE d.session_id = ?1 ORDER BY d.number DESC";

/// Takes a message in the trash out of the line from its own children to its own parent, before it goes for good.
pub(crate) async fn bridge(connection: &mut Connection, session: &str, id: &str) -> Result<()> {
    const TRASHED: &str = "UPDATE assistant_trashed_messages SET parent_id = \
        (SELECT t.parent_id FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.id = ?2) \
        WHERE session_id = ?1 AND parent_id = ?2";
    // Below nothing, or below what is not in the trash, a message hangs already as it should.
    const ROOTS: &str = "DELETE FROM assistant_displaced WHERE session_id = ?1 AND parent_id = ?2 AND EXISTS \
        (SELECT 1 FROM assistant_trashed_messages AS t \
            WHERE t.session_id = ?1 AND t.id = ?2 AND t.parent_id IS NULL)";
    const DISPLACED: &str = "UPDATE assistant_displaced SET parent_id = \
        (SELECT t.parent_id FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.id = ?2) \
        WHERE session_id = ?1 AND parent_id = ?2";
    const GONE: &str = "DELETE FROM assistant_trashed_messages WHERE session_id = ?1 AND id = ?2";
    for sql in [TRASHED, ROOTS, DISPLACED, GONE] {
        sqlx::query(sql).bind(session).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// The id a message in the trash gets when a new one takes its own; none where no such message lies there. Numbers are
/// never given twice in a session, so nothing else has it.
pub(crate) async fn spare_id(connection: &mut Connection, session: &str, id: &str) -> Result<Option<String>> {
    const SQL: &str =
        "SELECT id || '#' || seq FROM assistant_trashed_messages WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Gives a message in the trash another id, because a new one takes its own.
pub(crate) async fn rename(connection: &mut Connection, session: &str, from: &str, to: &str) -> Result<()> {
    const ROW: &str = "UPDATE assistant_trashed_messages SET id = ?3, content = CASE WHEN json_valid(content) \
        THEN json_set(content, '$.id', ?3) ELSE content END WHERE session_id = ?1 AND id = ?2";
    const CHILDREN: &str =
        "UPDATE assistant_trashed_messages SET parent_id = ?3 WHERE session_id = ?1 AND parent_id = ?2";
    const CHOICES: &str =
        "UPDATE assistant_trashed_messages SET chosen_child = ?3 WHERE session_id = ?1 AND chosen_child = ?2";
    const DISPLACED: &str =
        "UPDATE assistant_displaced SET parent_id = ?3 WHERE session_id = ?1 AND parent_id = ?2";
    const HEADS: &str = "UPDATE assistant_deletions SET head = ?3 WHERE session_id = ?1 AND head = ?2";
    const FIRST: &str =
        "UPDATE assistant_clamped SET from_message_id = ?3 WHERE session_id = ?1 AND from_message_id = ?2";
    const LAST: &str =
        "UPDATE assistant_clamped SET to_message_id = ?3 WHERE session_id = ?1 AND to_message_id = ?2";
    for sql in [ROW, CHILDREN, CHOICES, DISPLACED, HEADS, FIRST, LAST] {
        sqlx::query(sql).bind(session).bind(from).bind(to).execute(&mut *connection).await?;
    }
    Ok(())
}

/// A deletion as it is listed.
#[derive(Debug, FromRow)]
pub(crate) struct ListedRow {
    pub(crate) head: String,
    pub(crate) role: String,
    pub(crate) preview: Option<String>,
    pub(crate) deleted_at: i64,
    pub(crate) count: i64,
}

/// The deletions of a session, the latest first. `chars` is how much of a text is read.
pub(crate) async fn list(
    connection: &mut Connection,
    session: &str,
    limit: i64,
    chars: i64,
) -> Result<Vec<ListedRow>> {
    sqlx::query_as(LIST).bind(session).bind(limit).bind(chars).fetch_all(connection).await
}

pub(super) const LIST: &str = concat!(
    "SELECT d.head, m.role, ",
    super::outline::preview!(),
    " AS preview, d.deleted_at, (SELECT count(*) FROM assistant_trashed_messages AS t \
        WHERE t.session_id = ?1 AND t.deletion = d.number) AS count \
    FROM assistant_deletions AS d \
    CROSS JOIN assistant_trashed_messages AS m ON m.session_id = ?1 AND m.id = d.head \
    WHERE d.session_id = ?1 ORDER BY d.number DESC LIMIT ?2"
);
