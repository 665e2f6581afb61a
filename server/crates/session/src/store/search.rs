//! Statements on `assistant_search` and `assistant_fts`. Rows that go take their words with them by themselves.

use crate::search::expression::TAG;
use crate::search::index::Columns;
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// Gives a stored message its row in the index, or notes the digest of its new text in the one it has.
pub(crate) async fn enter(connection: &mut Connection, session: &str, id: &str, digest: i64) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_search (session_id, message_id, created_at, digest) \
        SELECT session_id, id, created_at, ?3 FROM assistant_messages WHERE session_id = ?1 AND id = ?2 \
        ON CONFLICT (session_id, message_id) DO UPDATE SET digest = excluded.digest";
    sqlx::query(SQL).bind(session).bind(id).bind(digest).execute(connection).await.map(drop)
}

/// Writes the words of a message that has its row, in the place of those it had.
pub(crate) async fn write(
    connection: &mut Connection,
    session: &str,
    id: &str,
    columns: &Columns,
) -> Result<()> {
    const SQL: &str = "REPLACE INTO assistant_fts (rowid, said, said_stems, used, used_stems, tags) \
        SELECT d.doc, ?3, ?4, ?5, ?6, \
        ?7 || 'x ' || ?7 || 's' || s.search_key || ' ' || ?7 || 'r' || hex(lower(m.role)) || ?8 \
        FROM assistant_search AS d \
        CROSS JOIN assistant_messages AS m ON m.session_id = d.session_id AND m.id = d.message_id \
        CROSS JOIN assistant_sessions AS s ON s.id = d.session_id \
        WHERE d.session_id = ?1 AND d.message_id = ?2";
    let query = sqlx::query(SQL).bind(session).bind(id).bind(&columns.said).bind(&columns.said_stems);
    let query = query.bind(&columns.used).bind(&columns.used_stems).bind(TAG).bind(&columns.marks);
    query.execute(connection).await.map(drop)
}

/// The row that was given last, if there is any.
pub(crate) async fn last_row(connection: &mut Connection) -> Result<Option<i64>> {
    const SQL: &str = "SELECT max(doc) FROM assistant_search";
    sqlx::query_scalar(SQL).fetch_one(connection).await
}

/// Merges pieces of the indexes, writing about so many pages; whether there is more to merge. SQLite tells that by what it
/// wrote: where there is nothing to merge, one row.
pub(crate) async fn merge(connection: &mut Connection, pages: i64) -> Result<bool> {
    const MESSAGES: &str = "INSERT INTO assistant_fts (assistant_fts, rank) VALUES ('merge', ?)";
    const WORDS: &str = "INSERT INTO assistant_word_pieces (assistant_word_pieces, rank) VALUES ('merge', ?)";
    let before = written(connection).await?;
    for sql in [MESSAGES, WORDS] {
        sqlx::query(sql).bind(pages).execute(&mut *connection).await?;
    }
    Ok(written(connection).await?.saturating_sub(before) > 3)
}

/// Rows that this connection has written so far.
async fn written(connection: &mut Connection) -> Result<i64> {
    sqlx::query_scalar("SELECT total_changes()").fetch_one(connection).await
}

/// How many messages are not indexed yet.
pub(crate) async fn waiting(connection: &mut Connection) -> Result<i64> {
    const SQL: &str = "SELECT count(*) FROM assistant_search WHERE digest IS NULL";
    sqlx::query_scalar(SQL).fetch_one(connection).await
}

/// Messages that are not indexed yet, newest first: session, message, stored bytes.
pub(crate) async fn next_waiting(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<(String, String, i64)>> {
    const SQL: &str = "SELECT d.session_id, d.message_id, octet_length(m.content) FROM assistant_search AS d \
        CROSS JOIN assistant_messages AS m ON m.session_id = d.session_id AND m.id = d.message_id \
        WHERE d.digest IS NULL ORDER BY d.doc DESC LIMIT ?";
    sqlx::query_as(SQL).bind(limit).fetch_all(connection).await
}

/// The number that stands for a session in the index.
pub(crate) async fn key(connection: &mut Connection, session: &str) -> Result<Option<i64>> {
    const SQL: &str = "SELECT search_key FROM assistant_sessions WHERE id = ?";
    sqlx::query_scalar(SQL).bind(session).fetch_optional(connection).await
}

/// The numbers of the session with this id, and of at most `most` sessions with this folded name, those touched last.
pub(crate) async fn named(connection: &mut Connection, id: &str, key: &str, most: i64) -> Result<Vec<i64>> {
    sqlx::query_scalar(NAMED).bind(id).bind(key).bind(most).fetch_all(connection).await
}

pub(super) const NAMED: &str = "SELECT search_key FROM assistant_sessions WHERE id = ?1 AND deleted_at IS NULL \
    UNION SELECT search_key FROM (SELECT search_key FROM assistant_sessions AS s \
        WHERE s.name_key = ?2 AND s.deleted_at IS NULL ORDER BY s.updated_seq DESC LIMIT ?3) AS asked";

/// Sessions of an older file whose names are not folded yet, at most `most`: id, number, name.
pub(crate) async fn unfolded(connection: &mut Connection, most: i64) -> Result<Vec<(String, i64, String)>> {
    sqlx::query_as(UNFOLDED).bind(most).fetch_all(connection).await
}

pub(super) const UNFOLDED: &str = "SELECT id, search_key, name FROM assistant_sessions \
    WHERE name_key IS NULL AND deleted_at IS NULL LIMIT ?";

/// Stores the folded name of a session, unless it was named anew meanwhile.
pub(crate) async fn set_name_key(connection: &mut Connection, id: &str, key: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET name_key = ? WHERE id = ? AND name_key IS NULL";
    sqlx::query(SQL).bind(key).bind(id).execute(connection).await.map(drop)
}

/// From when until when, the end left out.
pub(crate) type Span = (i64, i64);

/// The first and the last row of those stored in `span`, unless there are more than `most`; then anything may be.
pub(crate) async fn rows_within(
    connection: &mut Connection,
    span: Span,
    most: i64,
) -> Result<Option<(i64, i64)>> {
    let query = sqlx::query_as(ROWS_WITHIN).bind(span.0).bind(span.1).bind(most.saturating_add(1));
    let (first, last, count): (Option<i64>, Option<i64>, i64) = query.fetch_one(connection).await?;
    Ok((count <= most).then(|| first.zip(last).unwrap_or((0, -1))))
}

pub(super) const ROWS_WITHIN: &str = "SELECT min(doc), max(doc), count(*) FROM \
    (SELECT doc FROM assistant_search WHERE created_at >= ?1 AND created_at < ?2 LIMIT ?3) AS asked";

/// A message that fits a search.
#[derive(Debug, Clone, Copy, PartialEq, FromRow)]
pub(crate) struct Candidate {
    pub(crate) doc: i64,
    pub(crate) rank: f64,
}

/// What a search asks of the index.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) expression: &'a str,
    /// First and last row that may be found.
    pub(crate) rows: (i64, i64),
    pub(crate) span: Span,
    pub(crate) limit: i64,
}

/// The newest messages that fit; sessions in the trash are left out.
pub(crate) async fn newest(connection: &mut Connection, asked: &Asked<'_>) -> Result<Vec<i64>> {
    let query = sqlx::query_scalar(NEWEST).bind(asked.expression).bind(asked.rows.0).bind(asked.rows.1);
    query.bind(asked.span.0).bind(asked.span.1).bind(asked.limit).fetch_all(connection).await
}

pub(super) const NEWEST: &str = "SELECT assistant_fts.rowid FROM assistant_fts \
    CROSS JOIN assistant_search AS d ON d.doc = assistant_fts.rowid \
    CROSS JOIN assistant_sessions AS s ON s.id = d.session_id AND s.deleted_at IS NULL \
    WHERE assistant_fts MATCH ?1 AND assistant_fts.rowid BETWEEN ?2 AND ?3 \
    AND d.created_at >= ?4 AND d.created_at < ?5 \
    ORDER BY assistant_fts.rowid DESC LIMIT ?6";

/// How many messages fit, counted up to `most`.
pub(crate) async fn count(connection: &mut Connection, expression: &str, most: i64) -> Result<i64> {
    const SQL: &str = "SELECT count(*) FROM \
        (SELECT 1 FROM assistant_fts WHERE assistant_fts MATCH ? LIMIT ?)";
    sqlx::query_scalar(SQL).bind(expression).bind(most).fetch_one(connection).await
}

/// How well the messages in these rows fit; what is said counts twice what tools gave.
pub(crate) async fn ranks(
    connection: &mut Connection,
    expression: &str,
    rows: (i64, i64),
) -> Result<Vec<Candidate>> {
    const SQL: &str = "SELECT rowid AS doc, bm25(assistant_fts, 1.0, 1.0, 0.5, 0.5, 0.0) AS rank \
        FROM assistant_fts WHERE assistant_fts MATCH ? AND rowid BETWEEN ? AND ?";
    sqlx::query_as(SQL).bind(expression).bind(rows.0).bind(rows.1).fetch_all(connection).await
}

/// A message that was found, with what is shown of it.
#[derive(Debug, FromRow)]
pub(crate) struct FoundRow {
    pub(crate) doc: i64,
    pub(crate) session_id: String,
    pub(crate) session_name: String,
    pub(crate) message_id: String,
    pub(crate) role: String,
    pub(crate) created_at: i64,
    pub(crate) depth: i64,
    pub(crate) content: Vec<u8>,
    /// How deep the active path goes; none where the active leaf is lost.
    pub(crate) leaf_depth: Option<i64>,
}

/// What is shown of the messages with these rows, a JSON array.
pub(crate) async fn found(connection: &mut Connection, docs: &str) -> Result<Vec<FoundRow>> {
    sqlx::query_as(FOUND).bind(docs).fetch_all(connection).await
}

/// Those of the messages with these rows, a JSON array, that every message above them leads to: up to one that is the
/// only one of its depth, or to the root that is remembered. They stand on the active path if that goes so deep.
pub(crate) async fn remembered(connection: &mut Connection, docs: &str) -> Result<Vec<i64>> {
    sqlx::query_scalar(REMEMBERED).bind(docs).fetch_all(connection).await
}

pub(super) const REMEMBERED: &str = "WITH RECURSIVE up (doc, row, session_id, id, parent_id, depth, is_alone) AS ( \
        SELECT d.doc, m.rowid, m.session_id, m.id, m.parent_id, m.depth, NOT EXISTS ( \
            SELECT 1 FROM assistant_messages AS o \
            WHERE o.session_id = m.session_id AND o.depth = m.depth AND o.rowid <> m.rowid) \
        FROM json_each(?1) AS asked CROSS JOIN assistant_search AS d ON d.doc = asked.value \
        CROSS JOIN assistant_messages AS m ON m.session_id = d.session_id AND m.id = d.message_id \
        UNION ALL \
        SELECT up.doc, p.rowid, p.session_id, p.id, p.parent_id, p.depth, NOT EXISTS ( \
            SELECT 1 FROM assistant_messages AS o \
            WHERE o.session_id = p.session_id AND o.depth = p.depth AND o.rowid <> p.rowid) \
        FROM up CROSS JOIN assistant_messages AS p ON p.session_id = up.session_id AND p.id = up.parent_id \
        WHERE NOT up.is_alone AND p.chosen_child = up.id AND p.depth < up.depth \
    ) SELECT up.doc FROM up CROSS JOIN assistant_sessions AS s ON s.id = up.session_id \
    WHERE up.is_alone OR (up.parent_id IS NULL AND s.chosen_root = up.id)";

pub(super) const FOUND: &str = "SELECT d.doc, d.session_id, s.name AS session_name, d.message_id, m.role, m.created_at, \
    m.depth, CAST(m.content AS BLOB) AS content, l.depth AS leaf_depth \
    FROM json_each(?1) AS asked CROSS JOIN assistant_search AS d ON d.doc = asked.value \
    CROSS JOIN assistant_messages AS m ON m.session_id = d.session_id AND m.id = d.message_id \
    CROSS JOIN assistant_sessions AS s ON s.id = d.session_id \
    LEFT JOIN assistant_messages AS l ON l.session_id = s.id AND l.id = s.active_leaf ORDER BY asked.key";
