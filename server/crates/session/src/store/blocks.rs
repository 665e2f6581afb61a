//! Statements on context blocks, their versions, and the changes made to the list of blocks while the agent runs.
//!
//! A `session` of none means the rows that belong to all sessions of the agent.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A block as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct BlockRow {
    pub(crate) id: i64,
    pub(crate) session_id: Option<String>,
    pub(crate) label: String,
    pub(crate) version: i64,
    pub(crate) updated_at: i64,
    pub(crate) content: String,
}

pub(crate) async fn find(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
) -> Result<Option<BlockRow>> {
    sqlx::query_as(FIND).bind(session).bind(label).fetch_optional(connection).await
}

pub(super) const FIND: &str = "SELECT id, session_id, label, version, updated_at, content \
    FROM cf_agents_context_blocks WHERE session_id IS ?1 AND label = ?2";

/// Everything a session can see: its own rows and the agent's.
pub(crate) async fn visible(connection: &mut Connection, session: &str) -> Result<Vec<BlockRow>> {
    sqlx::query_as(VISIBLE).bind(session).fetch_all(connection).await
}

pub(super) const VISIBLE: &str = "SELECT id, session_id, label, version, updated_at, content \
    FROM cf_agents_context_blocks WHERE session_id IS NULL \
    UNION ALL SELECT id, session_id, label, version, updated_at, content \
    FROM cf_agents_context_blocks WHERE session_id = ?1";

pub(crate) async fn insert(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
    now: i64,
    content: &str,
) -> Result<BlockRow> {
    const SQL: &str = "INSERT INTO cf_agents_context_blocks (session_id, label, version, updated_at, content) \
        VALUES (?, ?, 0, ?, ?) RETURNING id, session_id, label, version, updated_at, content";
    let query = sqlx::query_as(SQL).bind(session).bind(label).bind(now).bind(content);
    query.fetch_one(connection).await
}

/// Writes down what the block holds now.
pub(crate) async fn update(connection: &mut Connection, row: &BlockRow) -> Result<()> {
    const SQL: &str =
        "UPDATE cf_agents_context_blocks SET version = ?, updated_at = ?, content = ? WHERE id = ?";
    let query = sqlx::query(SQL).bind(row.version).bind(row.updated_at).bind(&row.content).bind(row.id);
    query.execute(connection).await.map(drop)
}

/// Keeps the block as it is now as a version.
pub(crate) async fn insert_version(connection: &mut Connection, row: &BlockRow, author: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_block_versions (block_id, version, author, written_at, content) \
        VALUES (?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(row.id).bind(row.version).bind(author);
    query.bind(row.updated_at).bind(&row.content).execute(connection).await.map(drop)
}

/// Forgets all but the newest `keep` versions.
pub(crate) async fn prune_versions(connection: &mut Connection, row: &BlockRow, keep: i64) -> Result<()> {
    const SQL: &str = "DELETE FROM cf_agents_block_versions WHERE block_id = ?1 AND version <= ?2";
    let last = row.version.saturating_sub(keep);
    sqlx::query(SQL).bind(row.id).bind(last).execute(connection).await.map(drop)
}

/// A version without its text.
#[derive(Debug, FromRow)]
pub(crate) struct VersionRow {
    pub(crate) version: i64,
    pub(crate) author: String,
    pub(crate) written_at: i64,
}

/// Versions before `before`, newest first.
pub(crate) async fn versions(
    connection: &mut Connection,
    block: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<VersionRow>> {
    sqlx::query_as(VERSIONS).bind(block).bind(before).bind(limit).fetch_all(connection).await
}

pub(super) const VERSIONS: &str = "SELECT version, author, written_at FROM cf_agents_block_versions \
    WHERE block_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3";

/// One version: what is known of it, and its text.
pub(crate) async fn version(
    connection: &mut Connection,
    block: i64,
    version: i64,
) -> Result<Option<(VersionRow, String)>> {
    const SQL: &str = "SELECT version, author, written_at, content FROM cf_agents_block_versions \
        WHERE block_id = ? AND version = ?";
    #[derive(FromRow)]
    struct Whole {
        #[sqlx(flatten)]
        row: VersionRow,
        content: String,
    }
    let found: Option<Whole> =
        sqlx::query_as(SQL).bind(block).bind(version).fetch_optional(connection).await?;
    Ok(found.map(|whole| (whole.row, whole.content)))
}

/// Whether anything was written into blocks that belong to this session alone.
pub(crate) async fn has_own(connection: &mut Connection, session: &str) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM cf_agents_context_blocks WHERE session_id = ?1) \
        OR EXISTS (SELECT 1 FROM cf_agents_search_entries WHERE session_id = ?1) \
        OR EXISTS (SELECT 1 FROM cf_agents_block_changes WHERE session_id = ?1)";
    sqlx::query_scalar(SQL).bind(session).fetch_one(connection).await
}

/// A block that was added to the configured ones, or one that was taken away from them.
#[derive(Debug, FromRow)]
pub(crate) struct ChangeRow {
    pub(crate) session_id: Option<String>,
    pub(crate) label: String,
    pub(crate) is_removed: bool,
    pub(crate) description: Option<String>,
    pub(crate) max_tokens: Option<i64>,
}

/// All changes a session is concerned by, in the order they were made.
pub(crate) async fn changes(connection: &mut Connection, session: &str) -> Result<Vec<ChangeRow>> {
    sqlx::query_as(CHANGES).bind(session).fetch_all(connection).await
}

pub(super) const CHANGES: &str = "SELECT id, session_id, label, is_removed, description, max_tokens \
    FROM cf_agents_block_changes WHERE session_id IS NULL \
    UNION ALL SELECT id, session_id, label, is_removed, description, max_tokens \
    FROM cf_agents_block_changes WHERE session_id = ?1 ORDER BY id";

pub(crate) async fn insert_change(connection: &mut Connection, row: &ChangeRow) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_block_changes (session_id, label, is_removed, description, max_tokens) \
        VALUES (?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(&row.session_id).bind(&row.label).bind(row.is_removed);
    query.bind(&row.description).bind(row.max_tokens).execute(connection).await.map(drop)
}

/// Takes a change back; whether there was one.
pub(crate) async fn delete_change(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
) -> Result<bool> {
    const SQL: &str = "DELETE FROM cf_agents_block_changes WHERE session_id IS ?1 AND label = ?2";
    let done = sqlx::query(SQL).bind(session).bind(label).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Gives session `to` the blocks of session `from` as they are now, and its changes to the list.
pub(crate) async fn copy(connection: &mut Connection, from: &str, to: &str) -> Result<()> {
    const BLOCKS: &str = "INSERT INTO cf_agents_context_blocks (session_id, label, version, updated_at, content) \
        SELECT ?2, label, version, updated_at, content FROM cf_agents_context_blocks WHERE session_id = ?1";
    const VERSIONS: &str = "INSERT INTO cf_agents_block_versions (block_id, version, author, written_at, content) \
        SELECT copy.id, v.version, v.author, v.written_at, v.content FROM cf_agents_context_blocks AS block \
        JOIN cf_agents_block_versions AS v ON v.block_id = block.id \
        JOIN cf_agents_context_blocks AS copy ON copy.session_id = ?2 AND copy.label = block.label \
        WHERE block.session_id = ?1";
    const CHANGES: &str = "INSERT INTO cf_agents_block_changes \
        (session_id, label, is_removed, description, max_tokens) \
        SELECT ?2, label, is_removed, description, max_tokens FROM cf_agents_block_changes \
        WHERE session_id = ?1 ORDER BY id";
    for sql in [BLOCKS, VERSIONS, CHANGES] {
        sqlx::query(sql).bind(from).bind(to).execute(&mut *connection).await?;
    }
    Ok(())
}
