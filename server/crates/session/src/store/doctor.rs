//! Statements of the doctor: they read everything there is, and change what nothing else changes.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// What a session says about its tree.
#[derive(Debug, Clone, Default, FromRow)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) active_leaf: Option<String>,
    pub(crate) chosen_root: Option<String>,
    pub(crate) last_seq: i64,
    pub(crate) message_count: i64,
}

/// A message without what it says.
#[derive(Debug, Clone, Default, FromRow)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) seq: i64,
    pub(crate) depth: i64,
    pub(crate) chosen_child: Option<String>,
}

/// What a message says, and what the index knows of it.
#[derive(Debug, FromRow)]
pub(crate) struct Said {
    pub(crate) seq: i64,
    pub(crate) id: String,
    pub(crate) content: Vec<u8>,
    /// Whether the conversation went on after it.
    pub(crate) has_children: bool,
    /// Its row in the index.
    pub(crate) doc: Option<i64>,
    /// That of the text it was indexed with; none while it waits.
    pub(crate) digest: Option<i64>,
    /// That row again, where it holds words.
    pub(crate) words: Option<i64>,
    /// Whether its path weighs what the path above it weighs and it itself; none where nothing says what it weighs.
    pub(crate) adds_up: Option<bool>,
    /// Whom it is said to wait for.
    pub(crate) waits: Option<String>,
}

/// The ids of all sessions, those in the trash too.
pub(crate) async fn sessions(connection: &mut Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT id FROM assistant_sessions \
        WHERE id NOT IN (SELECT session_id FROM assistant_imports) ORDER BY search_key";
    sqlx::query_scalar(SQL).fetch_all(connection).await
}

pub(crate) async fn head(connection: &mut Connection, session: &str) -> Result<Option<Head>> {
    const SQL: &str =
        "SELECT id, active_leaf, chosen_root, last_seq, message_count FROM assistant_sessions WHERE id = ?";
    sqlx::query_as(SQL).bind(session).fetch_optional(connection).await
}

/// All messages of a session, in the order they were stored.
pub(crate) async fn nodes(connection: &mut Connection, session: &str) -> Result<Vec<Node>> {
    const SQL: &str = "SELECT id, parent_id, seq, depth, chosen_child FROM assistant_messages \
        WHERE session_id = ? ORDER BY seq";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

/// What the next `limit` messages after `seq` say.
pub(crate) async fn said(
    connection: &mut Connection,
    session: &str,
    seq: i64,
    limit: i64,
) -> Result<Vec<Said>> {
    const SQL: &str = "SELECT m.seq, m.id, CAST(m.content AS BLOB) AS content, d.doc, d.digest, \
        EXISTS (SELECT 1 FROM assistant_messages AS c WHERE c.session_id = m.session_id AND c.parent_id = m.id) \
            AS has_children, \
        (SELECT f.rowid FROM assistant_fts AS f WHERE f.rowid = d.doc) AS words, w.waits, \
        w.path_tokens = w.tokens + iif(m.parent_id IS NULL, 0, \
            coalesce(above.path_tokens, w.path_tokens - w.tokens)) AS adds_up \
        FROM assistant_messages AS m \
        LEFT JOIN assistant_weights AS w ON w.session_id = m.session_id AND w.message_id = m.id \
        LEFT JOIN assistant_weights AS above ON above.session_id = m.session_id AND above.message_id = m.parent_id \
        LEFT JOIN assistant_search AS d ON d.session_id = m.session_id AND d.message_id = m.id \
        WHERE m.session_id = ?1 AND m.seq > ?2 ORDER BY m.seq LIMIT ?3";
    sqlx::query_as(SQL).bind(session).bind(seq).bind(limit).fetch_all(connection).await
}

/// The number of a message in its session.
pub(crate) async fn seq(connection: &mut Connection, session: &str, id: &str) -> Result<Option<i64>> {
    const SQL: &str = "SELECT seq FROM assistant_messages WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Lets the connection look at the full-text indexes afresh. SQLite's check takes what the connection remembers of them
/// from its last search, and calls an index damaged that another connection has written to since.
async fn look_afresh(connection: &mut Connection) -> Result<()> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM assistant_fts), EXISTS (SELECT 1 FROM assistant_word_pieces), \
        EXISTS (SELECT 1 FROM cf_agents_search_fts)";
    sqlx::query(SQL).execute(connection).await.map(drop)
}

/// What SQLite finds wrong with the file, at most three things.
pub(crate) async fn damage(connection: &mut Connection) -> Result<Vec<String>> {
    look_afresh(connection).await?;
    let lines: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(3)").fetch_all(connection).await?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Ids of sessions of which there are only messages.
pub(crate) async fn lost_sessions(connection: &mut Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT DISTINCT session_id FROM assistant_messages AS m WHERE NOT EXISTS \
        (SELECT 1 FROM assistant_sessions AS s WHERE s.id = m.session_id) ORDER BY session_id";
    sqlx::query_scalar(SQL).fetch_all(connection).await
}

/// Keys and values that stand beside sessions that are gone: session, key, value.
pub(crate) async fn stray_config(connection: &mut Connection) -> Result<Vec<(String, String, String)>> {
    const SQL: &str = "SELECT session_id, key, value FROM assistant_config AS c WHERE session_id <> '' \
        AND NOT EXISTS (SELECT 1 FROM assistant_sessions AS s WHERE s.id = c.session_id) ORDER BY 1, 2";
    sqlx::query_as(SQL).fetch_all(connection).await
}

/// Rows of the index that belong to no message.
pub(crate) async fn stray_words(connection: &mut Connection) -> Result<Vec<i64>> {
    const SQL: &str = "SELECT f.rowid FROM assistant_fts AS f WHERE NOT EXISTS \
        (SELECT 1 FROM assistant_search AS d WHERE d.doc = f.rowid)";
    sqlx::query_scalar(SQL).fetch_all(connection).await
}

pub(crate) async fn forget_words(connection: &mut Connection, doc: i64) -> Result<()> {
    sqlx::query("DELETE FROM assistant_fts WHERE rowid = ?").bind(doc).execute(connection).await.map(drop)
}

/// Gives those messages of a session a row in the index that have none; they wait for being indexed.
pub(crate) async fn enter_missing(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_search (session_id, message_id, created_at) \
        SELECT session_id, id, created_at FROM assistant_messages WHERE session_id = ? ORDER BY seq \
        ON CONFLICT (session_id, message_id) DO NOTHING";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}

/// Lets a message wait for being indexed again.
pub(crate) async fn index_again(connection: &mut Connection, session: &str, id: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_search SET digest = NULL WHERE session_id = ? AND message_id = ?";
    sqlx::query(SQL).bind(session).bind(id).execute(connection).await.map(drop)
}

pub(crate) async fn set_parent(
    connection: &mut Connection,
    session: &str,
    id: &str,
    parent: Option<&str>,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_messages SET parent_id = ?3 WHERE session_id = ?1 AND id = ?2";
    sqlx::query(SQL).bind(session).bind(id).bind(parent).execute(connection).await.map(drop)
}

/// Who speaks, as it was stored beside the content.
pub(crate) async fn role(connection: &mut Connection, session: &str, id: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT role FROM assistant_messages WHERE session_id = ? AND id = ?";
    sqlx::query_scalar(SQL).bind(session).bind(id).fetch_optional(connection).await
}

/// Which parent a message had before the trash came between them.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Own {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    /// Whether the message itself lies in the trash.
    pub(crate) is_trashed: bool,
}

/// That of all messages of a session of which it is noted.
pub(crate) async fn own_parents(connection: &mut Connection, session: &str) -> Result<Vec<Own>> {
    const SQL: &str = "SELECT id, parent_id, TRUE AS is_trashed FROM assistant_trashed_messages WHERE session_id = ?1 \
        UNION ALL SELECT message_id, parent_id, FALSE FROM assistant_displaced WHERE session_id = ?1 ORDER BY 1, 3";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

/// Lets a message stay where it hangs; one in the trash comes back as a root.
pub(crate) async fn forget_own_parent(connection: &mut Connection, session: &str, id: &str) -> Result<()> {
    const TRASHED: &str =
        "UPDATE assistant_trashed_messages SET parent_id = NULL WHERE session_id = ? AND id = ?";
    const DISPLACED: &str = "DELETE FROM assistant_displaced WHERE session_id = ? AND message_id = ?";
    for sql in [TRASHED, DISPLACED] {
        sqlx::query(sql).bind(session).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Counts the messages of a session again. Numbers that were given once are not given again.
pub(crate) async fn count_again(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET \
        message_count = (SELECT count(*) FROM assistant_messages WHERE session_id = ?1), \
        last_seq = max(last_seq, (SELECT coalesce(max(seq), 0) FROM assistant_messages WHERE session_id = ?1)) \
        WHERE id = ?1";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}

/// Something that is taken out of the way.
#[derive(Debug)]
pub(crate) struct Kept<'a> {
    pub(crate) session: &'a str,
    pub(crate) name: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) content: &'a [u8],
}

pub(crate) async fn keep(connection: &mut Connection, now: i64, kept: &Kept<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_quarantine (session_id, name, found_at, reason, content) \
        VALUES (?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(kept.session).bind(kept.name).bind(now);
    query.bind(kept.reason).bind(kept.content).execute(connection).await.map(drop)
}
