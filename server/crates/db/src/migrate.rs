//! Bringing a file up to date: all pending steps in one transaction, after a backup.

use crate::backup;
use crate::error::DbError;
use crate::look::{Found, has_tables, user_version};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection};
use std::path::Path;

/// One step of the format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// The format after it; also the number its file name begins with.
    pub(crate) version: u32,
    /// The statements.
    pub(crate) sql: &'static str,
}

/// Every step there ever was, in order.
pub(crate) const MIGRATIONS: &[Migration] = &[
    step(1, include_str!("../migrations/0001_session_tree.sql")),
    step(2, include_str!("../migrations/0002_think_streams.sql")),
    step(3, include_str!("../migrations/0003_think_turns.sql")),
    step(4, include_str!("../migrations/0004_session_context.sql")),
    step(5, include_str!("../migrations/0005_session_search.sql")),
    step(6, include_str!("../migrations/0006_session_compaction.sql")),
    step(7, include_str!("../migrations/0007_session_quarantine.sql")),
    step(8, include_str!("../migrations/0008_session_words.sql")),
    step(9, include_str!("../migrations/0009_session_message_trash.sql")),
    step(10, include_str!("../migrations/0010_session_sampling.sql")),
    step(11, include_str!("../migrations/0011_think_tries.sql")),
    step(12, include_str!("../migrations/0012_think_submissions.sql")),
    step(13, include_str!("../migrations/0013_session_sign_pairs.sql")),
    step(14, include_str!("../migrations/0014_session_letter_forms.sql")),
    step(15, include_str!("../migrations/0015_session_waiting.sql")),
    step(16, include_str!("../migrations/0016_session_marks.sql")),
    step(17, include_str!("../migrations/0017_session_imports.sql")),
    step(18, include_str!("../migrations/0018_think_fruitless_time.sql")),
    step(19, include_str!("../migrations/0019_session_merge.sql")),
    step(20, include_str!("../migrations/0020_session_prompt_generations.sql")),
    step(21, include_str!("../migrations/0021_session_names.sql")),
    step(22, include_str!("../migrations/0022_session_deletion_summaries.sql")),
    step(23, include_str!("../migrations/0023_server_logins.sql")),
];

const fn step(version: u32, sql: &'static str) -> Migration {
    Migration { version, sql }
}

/// The format these steps lead to.
pub(crate) fn newest(steps: &[Migration]) -> u32 {
    steps.last().map_or(0, |step| step.version)
}

/// Refuses a file these steps cannot handle, before anything opens it for writing.
pub(crate) fn check(path: &Path, found: &Found, steps: &[Migration]) -> Result<(), DbError> {
    let known = newest(steps);
    match *found {
        Found::Version(found) if found > known => Err(DbError::Newer { path: path.to_owned(), found, known }),
        Found::Version(_) | Found::Nothing => Ok(()),
    }
}

/// Applies the steps the file does not have yet. Two processes may do this at once: the second finds nothing to do.
pub(crate) async fn migrate(
    path: &Path,
    connection: &mut SqliteConnection,
    steps: &[Migration],
) -> Result<(), DbError> {
    let named = |e| DbError::from_sqlx(path, e);
    let version = user_version(connection).await.map_err(named)?;
    if version == newest(steps) {
        return Ok(());
    }
    if version > 0 {
        backup::make(path, connection, version).await?;
    } else if has_tables(connection).await.map_err(named)? {
        return Err(DbError::Foreign { path: path.to_owned() });
    }
    let mut tx = connection.begin_with("BEGIN IMMEDIATE").await.map_err(named)?;
    let version = user_version(&mut tx).await.map_err(named)?;
    for step in steps.iter().filter(|step| step.version > version) {
        apply(&mut tx, *step).await.map_err(|source| failed(path, step.version, source))?;
    }
    tx.commit().await.map_err(named)
}

async fn apply(connection: &mut SqliteConnection, step: Migration) -> sqlx::Result<()> {
    let _created = sqlx::raw_sql(step.sql).execute(&mut *connection).await?;
    let note = AssertSqlSafe(format!("PRAGMA user_version = {}", step.version));
    let _noted = sqlx::raw_sql(note).execute(connection).await?;
    Ok(())
}

/// A full or read-only disk stays what it is; anything else is the step's fault.
fn failed(path: &Path, version: u32, source: sqlx::Error) -> DbError {
    let error = DbError::from_sqlx(path, source);
    if let DbError::Statement { path, source } = error {
        DbError::Migration { path, version, source }
    } else {
        error
    }
}
