//! Statements on the entries of searchable blocks. Their index follows them by triggers.
//!
//! A `session` of none means the rows that belong to all sessions of the agent.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// One entry of a block.
#[derive(Debug, FromRow)]
pub(crate) struct EntryRow {
    pub(crate) key: String,
    pub(crate) content: String,
}

pub(crate) async fn count(connection: &mut Connection, session: Option<&str>, label: &str) -> Result<i64> {
    sqlx::query_scalar(COUNT).bind(session).bind(label).fetch_one(connection).await
}

pub(super) const COUNT: &str =
    "SELECT count(*) FROM cf_agents_search_entries WHERE session_id IS ?1 AND label = ?2";

pub(crate) async fn content(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
    key: &str,
) -> Result<Option<String>> {
    const SQL: &str = "SELECT content FROM cf_agents_search_entries \
        WHERE session_id IS ?1 AND label = ?2 AND key = ?3";
    sqlx::query_scalar(SQL).bind(session).bind(label).bind(key).fetch_optional(connection).await
}

/// Replaces the content of an entry.
pub(crate) async fn update(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
    entry: &EntryRow,
    now: i64,
) -> Result<()> {
    const SQL: &str = "UPDATE cf_agents_search_entries SET content = ?4, updated_at = ?5 \
        WHERE session_id IS ?1 AND label = ?2 AND key = ?3";
    let query = sqlx::query(SQL).bind(session).bind(label).bind(&entry.key).bind(&entry.content).bind(now);
    query.execute(connection).await.map(drop)
}

pub(crate) async fn insert(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
    entry: &EntryRow,
    now: i64,
) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_search_entries \
        (session_id, label, key, content, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
    let query = sqlx::query(SQL).bind(session).bind(label).bind(&entry.key).bind(&entry.content).bind(now);
    query.execute(connection).await.map(drop)
}

/// What is looked for: words of the index, and pieces that must stand in the content as they are.
#[derive(Debug)]
pub(crate) struct Sought<'a> {
    /// An expression of the index.
    pub(crate) words: Option<&'a str>,
    /// A JSON array.
    pub(crate) pieces: &'a str,
    pub(crate) limit: i64,
}

/// The entries of a block that hold everything that is looked for, the best first.
pub(crate) async fn search(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
    sought: &Sought<'_>,
) -> Result<Vec<EntryRow>> {
    let Some(words) = sought.words else {
        let query = sqlx::query_as(HOLDING).bind(session).bind(label).bind(sought.pieces);
        return query.bind(sought.limit).fetch_all(connection).await;
    };
    let query = sqlx::query_as(MATCHING).bind(session).bind(label).bind(sought.pieces).bind(sought.limit);
    query.bind(words).fetch_all(connection).await
}

const HOLDING: &str = "SELECT key, content FROM cf_agents_search_entries AS e \
    WHERE session_id IS ?1 AND label = ?2 \
    AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS piece WHERE instr(lower(e.content), lower(piece.value)) = 0) \
    ORDER BY updated_at DESC, id DESC LIMIT ?4";

const MATCHING: &str = "SELECT e.key, e.content FROM cf_agents_search_fts AS f \
    JOIN cf_agents_search_entries AS e ON e.id = f.rowid \
    WHERE f.content MATCH ?5 AND e.session_id IS ?1 AND e.label = ?2 \
    AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS piece WHERE instr(lower(e.content), lower(piece.value)) = 0) \
    ORDER BY f.rank, e.id LIMIT ?4";

/// Gives session `to` the entries of session `from`.
pub(crate) async fn copy(connection: &mut Connection, from: &str, to: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_search_entries \
        (session_id, label, key, content, created_at, updated_at) \
        SELECT ?2, label, key, content, created_at, updated_at FROM cf_agents_search_entries \
        WHERE session_id = ?1 ORDER BY id";
    sqlx::query(SQL).bind(from).bind(to).execute(connection).await.map(drop)
}
