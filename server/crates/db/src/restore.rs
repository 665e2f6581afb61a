//! Going back to a backup without ever being without a file: the copy is made and checked beside the file, the old file
//! gets a second name, and one rename puts the copy in its place. A crash between any two steps loses nothing, and doing
//! it again then works.

use crate::backup;
use crate::error::DbError;
use crate::look::{Found, beside, look_at};
use crate::migrate::{self, MIGRATIONS};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};
use tokio::fs;

#[cfg(test)]
mod tests;

/// The copy that is still being made.
const UNFINISHED: &str = ".restore-unfinished";
/// What the name of a kept file has after its old name; a number follows.
const KEPT: &str = ".before-restore-";
/// Files that belong to a database while it is open, or after a crash.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// What a restore has left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The file that stood there before; none where nothing did.
    pub kept: Option<PathBuf>,
}

/// The steps of a restore, in their order.
pub(crate) struct Restore<'a> {
    path: &'a Path,
    from: &'a Path,
    unfinished: PathBuf,
}

impl<'a> Restore<'a> {
    pub(crate) fn new(path: &'a Path, from: &'a Path) -> Self {
        Self { path, from, unfinished: beside(path, UNFINISHED) }
    }

    pub(crate) async fn run(&self) -> Result<Restored, DbError> {
        self.copy().await?;
        self.check_copy().await?;
        let kept = self.keep().await?;
        self.replace().await?;
        Ok(Restored { kept })
    }

    /// Writes what the backup holds, its log included, beside the file.
    async fn copy(&self) -> Result<(), DbError> {
        let found = look_at(self.from).await?;
        migrate::check(self.from, &found, MIGRATIONS)?;
        match found {
            Found::Version(version) if version > 0 => {}
            Found::Version(_) => return Err(DbError::Foreign { path: self.from.to_owned() }),
            Found::Nothing => return Err(corrupt(self.from, "there is nothing in it")),
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).await.map_err(|e| DbError::from_io(folder, &e))?;
        }
        let removed = backup::remove_if_there(&self.unfinished).await;
        removed.map_err(|e| DbError::from_io(&self.unfinished, &e))?;
        let mut source = open(self.from, Access::Read).await?;
        let copied = backup::copy_into(&mut source, &self.unfinished).await;
        copied.map_err(|e| DbError::from_sqlx(self.from, e))?;
        close(source, self.from).await
    }

    /// Damage is found before anything is replaced.
    async fn check_copy(&self) -> Result<(), DbError> {
        let named = |e| DbError::from_sqlx(self.from, e);
        let mut copy = open(&self.unfinished, Access::Read).await?;
        let verdict = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut copy).await;
        let verdict: String = verdict.map_err(named)?;
        close(copy, &self.unfinished).await?;
        if verdict == "ok" { Ok(()) } else { Err(corrupt(self.from, &verdict)) }
    }

    /// Gives the file that stands there a second name, with all that belongs to it.
    async fn keep(&self) -> Result<Option<PathBuf>, DbError> {
        match look_at(self.path).await {
            Ok(Found::Nothing) => return Ok(None),
            Ok(Found::Version(_)) => self.settle().await?,
            Err(DbError::Corrupt { .. }) => {}
            Err(other) => return Err(other),
        }
        let failed = |e| DbError::from_io(self.path, &e);
        let kept = free_name(self.path).await.map_err(failed)?;
        // Not every file system knows second names.
        if fs::hard_link(self.path, &kept).await.is_err() {
            let _bytes = fs::copy(self.path, &kept).await.map_err(failed)?;
        }
        for companion in COMPANIONS {
            let there = beside(self.path, companion);
            if fs::try_exists(&there).await.map_err(failed)? {
                fs::rename(&there, beside(&kept, companion)).await.map_err(failed)?;
            }
        }
        Ok(Some(kept))
    }

    /// Moves what stands in the log of the old file into it: a log that is left would be taken for one of the new file.
    async fn settle(&self) -> Result<(), DbError> {
        let mut old = open(self.path, Access::Write).await?;
        let moved = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut old).await;
        let moved = moved.map(drop).map_err(|e| DbError::from_sqlx(self.path, e));
        close(old, self.path).await?;
        match moved {
            // What is damaged is kept as it is.
            Err(DbError::Corrupt { .. }) => return Ok(()),
            moved => moved?,
        }
        // The last one to close a file removes its log.
        let log = beside(self.path, "-wal");
        if fs::try_exists(&log).await.map_err(|e| DbError::from_io(self.path, &e))? {
            return Err(DbError::Busy { path: self.path.to_owned() });
        }
        Ok(())
    }

    async fn replace(&self) -> Result<(), DbError> {
        backup::name(&self.unfinished, self.path).await.map_err(|e| DbError::from_io(self.path, &e))
    }
}

fn corrupt(path: &Path, reason: &str) -> DbError {
    DbError::Corrupt { path: path.to_owned(), reason: reason.to_owned() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

async fn open(path: &Path, access: Access) -> Result<SqliteConnection, DbError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(access == Access::Read);
    options.connect().await.map_err(|e| DbError::from_sqlx(path, e))
}

async fn close(connection: SqliteConnection, path: &Path) -> Result<(), DbError> {
    connection.close().await.map_err(|e| DbError::from_sqlx(path, e))
}

/// The next name under which nothing is kept yet.
async fn free_name(path: &Path) -> std::io::Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let name = beside(path, &format!("{KEPT}{number}"));
        if !fs::try_exists(&name).await? {
            return Ok(name);
        }
        number = number.saturating_add(1);
    }
}
