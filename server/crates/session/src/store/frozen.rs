//! Statements on frozen prompts, one per session.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// A prompt as it was frozen.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct FrozenRow {
    pub(crate) config_hash: String,
    pub(crate) frozen_at: i64,
    /// How often a prompt of this session was frozen or forgotten.
    pub(crate) generation: i64,
    /// JSON.
    pub(crate) sections: String,
}

pub(crate) async fn find(connection: &mut Connection, session: &str) -> Result<Option<FrozenRow>> {
    const SQL: &str = "SELECT config_hash, frozen_at, generation, sections FROM cf_agents_frozen_prompts WHERE session_id = ?";
    sqlx::query_as(SQL).bind(session).fetch_optional(connection).await
}

pub(crate) async fn replace(connection: &mut Connection, session: &str, row: &FrozenRow) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO cf_agents_frozen_prompts \
        (session_id, config_hash, frozen_at, generation, sections) VALUES (?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(session).bind(&row.config_hash).bind(row.frozen_at);
    query.bind(row.generation).bind(&row.sections).execute(connection).await.map(drop)
}

/// Forgets the prompt of a session, but not that there was one: whoever renders one now reads again.
pub(crate) async fn forget(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_frozen_prompts (session_id, config_hash, frozen_at, generation, sections) \
        SELECT id, '', 0, 1, '[]' FROM assistant_sessions WHERE id = ? ON CONFLICT DO UPDATE SET \
        config_hash = excluded.config_hash, sections = excluded.sections, generation = generation + 1";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}
