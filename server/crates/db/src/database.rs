//! One open SQLite file: a writer, a few readers, and how they are set up.

use crate::backup;
use crate::error::DbError;
use crate::look::{Found, beside, check_rights, look_at};
use crate::migrate::{self, MIGRATIONS, Migration};
use crate::private;
use crate::restore::{Restore, Restored};
use crate::tx::{ReadTx, WriteTx};
use sqlx::Connection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Connections that only read. They are opened when first needed and closed when idle.
const READERS: u32 = 4;
/// How long a reader may do nothing before it is closed.
const READER_IDLE: Duration = Duration::from_secs(60);
/// How long a statement waits for another process that keeps the file locked.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a caller waits for its turn at a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// Page cache of one connection; negative means KiB, as SQLite wants it.
const CACHE_SIZE: &str = "-2000";
/// Rows a connection's thread may be ahead of the task that reads them. A small number makes the two wait for each
/// other all the time; whole paths are read, and they have hundreds of rows.
const ROW_BUFFER: usize = 1_024;
/// What a log file is cut back to after a checkpoint, in bytes.
const LOG_SIZE_LIMIT: &str = "8388608";

/// An open file. Cloning is cheap and gives the same file.
#[derive(Debug, Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: Arc<Path>,
    writer: SqlitePool,
    reader: SqlitePool,
}

impl Database {
    /// Opens the file at `path`, makes it and its folders where they are missing, and brings it up to date. An older
    /// file is saved beside itself first, as `NAME.backup-vN`.
    ///
    /// # Errors
    /// [`DbError::Newer`], [`DbError::Foreign`] and [`DbError::Corrupt`] leave the file untouched;
    /// [`DbError::NotWritable`], [`DbError::DiskFull`], [`DbError::Backup`] and [`DbError::Migration`] leave it as it was.
    pub async fn open(path: &Path) -> Result<Self, DbError> {
        Self::open_with(path, MIGRATIONS).await
    }

    /// Whether a file stands at `path` that [`Database::open`] would not change. Nothing is changed by asking.
    ///
    /// # Errors
    /// [`DbError::Corrupt`] where what stands there is no database.
    pub async fn is_up_to_date(path: &Path) -> Result<bool, DbError> {
        Ok(look_at(path).await? == Found::Version(migrate::newest(MIGRATIONS)))
    }

    async fn open_with(path: &Path, steps: &[Migration]) -> Result<Self, DbError> {
        if let Some(folder) = path.parent() {
            tokio::fs::create_dir_all(folder).await.map_err(|e| DbError::from_io(folder, &e))?;
        }
        let found = look_at(path).await?;
        migrate::check(path, &found, steps)?;
        check_rights(path, &found).await?;
        let inner = Inner { path: path.into(), writer: writer_pool(path), reader: reader_pool(path) };
        let db = Self { inner: Arc::new(inner) };
        if let Err(refused) = db.prepare(steps).await {
            db.inner.writer.close().await;
            if found == Found::Nothing {
                remove_beginnings(path).await;
            }
            return Err(refused);
        }
        private::close_to_others(path);
        Ok(db)
    }

    async fn prepare(&self, steps: &[Migration]) -> Result<(), DbError> {
        let mut connection = self.inner.writer.acquire().await.map_err(|e| self.error(e))?;
        migrate::migrate(self.path(), &mut connection, steps).await
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The connections for reading. They cannot write, and they do not wait for the writer.
    pub fn reader(&self) -> &SqlitePool {
        &self.inner.reader
    }

    /// The writer, for a change that is one statement: it needs one round trip instead of three. Anything of more
    /// than one statement goes through [`Database::write`].
    pub fn writer(&self) -> &SqlitePool {
        &self.inner.writer
    }

    /// Begins several reads that see the same state.
    ///
    /// # Errors
    /// [`DbError::Busy`] where all readers stay in use for too long, [`DbError::Closed`] after [`Database::close`].
    pub async fn read(&self) -> Result<ReadTx, DbError> {
        let tx = self.inner.reader.begin().await.map_err(|e| self.error(e))?;
        Ok(ReadTx::new(Arc::clone(&self.inner.path), tx))
    }

    /// Begins a change. There is one at a time; others wait for it, so do nothing slow before
    /// [`WriteTx::commit`]. Dropping it undoes everything.
    ///
    /// # Errors
    /// [`DbError::Busy`] where another process keeps the file, [`DbError::Closed`] after [`Database::close`].
    pub async fn write(&self) -> Result<WriteTx, DbError> {
        let tx = self.inner.writer.begin_with("BEGIN IMMEDIATE").await.map_err(|e| self.error(e))?;
        Ok(WriteTx::new(Arc::clone(&self.inner.path), tx))
    }

    /// Writes a copy of everything that is committed to `target`, where nothing may stand yet. Changes go on meanwhile.
    /// A copy that is broken off, by dropping the future or by a crash, never gets that name.
    ///
    /// # Errors
    /// [`DbError::Taken`], [`DbError::NotWritable`] and [`DbError::DiskFull`] name the target.
    pub async fn backup_to(&self, target: &Path) -> Result<(), DbError> {
        let mut connection = self.inner.reader.acquire().await.map_err(|e| self.error(e))?;
        backup::make_at(&mut connection, target).await
    }

    /// Puts a copy of the backup `from` in the place of the file `path`, which nobody may have open. The file that
    /// stood there is kept beside it. At any moment, also after a crash, one of the two stands whole at `path`.
    ///
    /// # Errors
    /// [`DbError::Newer`], [`DbError::Foreign`] and [`DbError::Corrupt`] name a backup that cannot be used,
    /// [`DbError::Busy`] a file that is still open; the file at `path` is as it was then.
    pub async fn restore(path: &Path, from: &Path) -> Result<Restored, DbError> {
        Restore::new(path, from).run().await
    }

    /// What an error of a statement on [`Database::reader`] means, with the file's name.
    pub fn error(&self, source: sqlx::Error) -> DbError {
        DbError::from_sqlx(self.path(), source)
    }

    /// Moves everything into the one file and closes it, for every clone.
    ///
    /// # Errors
    /// What [`Database::error`] makes of a failed checkpoint; the file is closed all the same and loses nothing.
    pub async fn close(&self) -> Result<(), DbError> {
        self.inner.reader.close().await;
        let moved = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.inner.writer).await;
        self.inner.writer.close().await;
        match moved {
            Ok(_) | Err(sqlx::Error::PoolClosed) => Ok(()),
            Err(e) => Err(self.error(e)),
        }
    }
}

/// Removes what is left of a file that could not be made, as long as nothing was written into it: it would be taken for one
/// that has lost everything.
async fn remove_beginnings(path: &Path) {
    if tokio::fs::metadata(path).await.is_ok_and(|file| file.len() == 0) {
        for left in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
            // Whatever is in the way is told with the error of making the file, and again with the next attempt.
            let _gone = backup::remove_if_there(&left).await;
        }
    }
}

fn writer_pool(path: &Path) -> SqlitePool {
    let options = connect_options(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .pragma("journal_size_limit", LOG_SIZE_LIMIT);
    pool_options()
        .max_connections(1)
        .idle_timeout(None)
        .after_release(|connection, _| Box::pin(is_reusable(connection)))
        .connect_lazy_with(options)
}

fn reader_pool(path: &Path) -> SqlitePool {
    let options = connect_options(path).read_only(true);
    pool_options().max_connections(READERS).idle_timeout(READER_IDLE).connect_lazy_with(options)
}

/// SQLite itself undoes a change when the disk is full. The driver then counts a transaction that is gone, and would
/// refuse to begin another one for ever: such a connection is replaced.
async fn is_reusable(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if connection.is_in_transaction() {
        // A dropped change is undone in the background; the answer to this comes after that.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

fn connect_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .row_buffer_size(ROW_BUFFER)
        .pragma("cache_size", CACHE_SIZE)
        .pragma("temp_store", "MEMORY")
}

/// A connection to a local file cannot go stale, so it is neither tested before use nor replaced by age.
fn pool_options() -> SqlitePoolOptions {
    SqlitePoolOptions::new().acquire_timeout(ACQUIRE_TIMEOUT).test_before_acquire(false).max_lifetime(None)
}
