//! Looking at a file before touching it: is it a database, and of which version? Nothing here writes.

use crate::error::DbError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tokio::fs::{self, File};
use tokio::io::AsyncReadExt;

/// What every SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Length of the head of every SQLite file.
const HEAD_LEN: usize = 100;
/// Where the head holds `user_version`, as four bytes, the most significant first.
const USER_VERSION_AT: usize = 60;

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A database with this `user_version`.
    Version(u32),
}

/// Finds out what stands at `path` without changing it.
pub(crate) async fn look_at(path: &Path) -> Result<Found, DbError> {
    let Some(head) = read_head(path).await? else {
        return Ok(Found::Nothing);
    };
    if !head.starts_with(MAGIC) {
        return Err(DbError::Corrupt {
            path: path.to_owned(),
            reason: "it does not begin like one".to_owned(),
        });
    }
    let Some(stored) = head.get(USER_VERSION_AT..).and_then(|rest| rest.first_chunk::<4>()) else {
        return Err(DbError::Corrupt { path: path.to_owned(), reason: "it ends too early".to_owned() });
    };
    if fs::metadata(beside(path, "-wal")).await.is_ok_and(|wal| wal.len() > 0) {
        return ask_sqlite(path).await.map(Found::Version);
    }
    Ok(Found::Version(u32::from_be_bytes(*stored)))
}

/// Refuses a file that may not be written. SQLite would open it for reading only, and make its log with the same rights:
/// nobody could write then, not even when the file itself may be written again.
pub(crate) async fn check_rights(path: &Path, found: &Found) -> Result<(), DbError> {
    if *found == Found::Nothing {
        return Ok(());
    }
    let opened = File::options().write(true).open(path).await;
    opened.map(drop).map_err(|e| DbError::from_io(path, &e))
}

/// The path with something appended to its file name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

async fn read_head(path: &Path) -> Result<Option<Vec<u8>>, DbError> {
    let file = match File::open(path).await {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(DbError::from_io(path, &e)),
    };
    let mut head = Vec::with_capacity(HEAD_LEN);
    let read = file.take(HEAD_LEN as u64).read_to_end(&mut head).await;
    let _read_bytes = read.map_err(|e| DbError::from_io(path, &e))?;
    // Whoever made it new would hide that something was lost.
    if head.is_empty() {
        let reason = "it is empty; put a backup in its place, or remove it to begin anew".to_owned();
        return Err(DbError::Corrupt { path: path.to_owned(), reason });
    }
    Ok(Some(head))
}

/// After a crash the newest pages may still stand in the log beside the file, where only SQLite can read them.
async fn ask_sqlite(path: &Path) -> Result<u32, DbError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let named = |e| DbError::from_sqlx(path, e);
    let mut connection = options.connect().await.map_err(named)?;
    let version = user_version(&mut connection).await.map_err(named);
    connection.close().await.map_err(named)?;
    version
}

/// The version of an open file.
pub(crate) async fn user_version(connection: &mut SqliteConnection) -> sqlx::Result<u32> {
    sqlx::query_scalar("PRAGMA user_version").fetch_one(connection).await
}

/// Whether an open file holds any table.
pub(crate) async fn has_tables(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").fetch_one(connection).await
}
