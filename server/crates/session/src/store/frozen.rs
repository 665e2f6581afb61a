//! Statements on frozen prompts, one per session.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A prompt as it was frozen.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct FrozenRow {
    pub(crate) config_hash: String,
    pub(crate) frozen_at: i64,
    /// JSON.
    pub(crate) sections: String,
}

pub(crate) async fn find(connection: &mut Connection, session: &str) -> Result<Option<FrozenRow>> {
    const SQL: &str =
        "SELECT config_hash, frozen_at, sections FROM cf_agents_frozen_prompts WHERE session_id = ?";
    sqlx::query_as(SQL).bind(session).fetch_optional(connection).await
}

pub(crate) async fn replace(connection: &mut Connection, session: &str, row: &FrozenRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO cf_agents_frozen_prompts \
        (session_id, config_hash, frozen_at, sections) VALUES (?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(session).bind(&row.config_hash).bind(row.frozen_at).bind(&row.sections);
    query.execute(connection).await.map(drop)
}

pub(crate) async fn forget(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM cf_agents_frozen_prompts WHERE session_id = ?";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}
