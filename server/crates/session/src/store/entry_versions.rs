//! Statements on older versions of entries.
//!
//! A `session` of none means the rows that belong to all sessions of the agent.

use crate::store::blocks::VersionRow;
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// Which entry is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryKey<'a> {
    pub(crate) session: Option<&'a str>,
    pub(crate) label: &'a str,
    pub(crate) key: &'a str,
}

/// A version with its text.
#[derive(Debug, FromRow)]
pub(crate) struct WholeVersion {
    #[sqlx(flatten)]
    pub(crate) row: VersionRow,
    pub(crate) content: String,
}

/// The newest version up to `version`.
pub(crate) async fn latest(
    connection: &mut Connection,
    entry: EntryKey<'_>,
    version: i64,
) -> Result<Option<WholeVersion>> {
    let query = sqlx::query_as(LATEST).bind(entry.session).bind(entry.label).bind(entry.key).bind(version);
    query.fetch_optional(connection).await
}

pub(super) const LATEST: &str = "SELECT version, author, written_at, content FROM cf_agents_entry_versions \
    WHERE session_id IS ?1 AND label = ?2 AND key = ?3 AND version <= ?4 ORDER BY version DESC LIMIT 1";

/// Versions before `before`, newest first.
pub(crate) async fn list(
    connection: &mut Connection,
    entry: EntryKey<'_>,
    before: i64,
    limit: i64,
) -> Result<Vec<VersionRow>> {
    let query = sqlx::query_as(LIST).bind(entry.session).bind(entry.label).bind(entry.key);
    query.bind(before).bind(limit).fetch_all(connection).await
}

pub(super) const LIST: &str = "SELECT version, author, written_at FROM cf_agents_entry_versions \
    WHERE session_id IS ?1 AND label = ?2 AND key = ?3 AND version < ?4 ORDER BY version DESC LIMIT ?5";

pub(crate) async fn insert(
    connection: &mut Connection,
    entry: EntryKey<'_>,
    version: &WholeVersion,
) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_entry_versions \
        (session_id, label, key, version, author, written_at, content) VALUES (?, ?, ?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(entry.session).bind(entry.label).bind(entry.key);
    let query = query.bind(version.row.version).bind(&version.row.author).bind(version.row.written_at);
    query.bind(&version.content).execute(connection).await.map(drop)
}

/// Forgets the versions up to `last`.
pub(crate) async fn prune(connection: &mut Connection, entry: EntryKey<'_>, last: i64) -> Result<()> {
    const SQL: &str = "DELETE FROM cf_agents_entry_versions \
        WHERE session_id IS ?1 AND label = ?2 AND key = ?3 AND version <= ?4";
    let query = sqlx::query(SQL).bind(entry.session).bind(entry.label).bind(entry.key).bind(last);
    query.execute(connection).await.map(drop)
}

/// Gives session `to` the versions of session `from`.
pub(crate) async fn copy(connection: &mut Connection, from: &str, to: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_entry_versions \
        (session_id, label, key, version, author, written_at, content) \
        SELECT ?2, label, key, version, author, written_at, content FROM cf_agents_entry_versions \
        WHERE session_id = ?1 ORDER BY id";
    sqlx::query(SQL).bind(from).bind(to).execute(connection).await.map(drop)
}
