//! What statements run in: one change at a time, or a look at the file as it is at one moment.

use crate::error::DbError;
use sqlx::sqlite::{Sqlite, SqliteConnection};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

/// A transaction that has the right to write from its first statement on, so it can read first and never meets
/// `SQLITE_BUSY` when it then writes. Pass `&mut *tx` to statements.
///
/// Dropping it, also in the middle of a statement, undoes everything.
#[derive(Debug)]
#[must_use = "dropping a transaction undoes it"]
pub struct WriteTx(Inner);

/// Several reads that see the same state, whatever is written meanwhile. Pass `&mut *tx` to statements.
#[derive(Debug)]
pub struct ReadTx(Inner);

#[derive(Debug)]
struct Inner {
    path: Arc<Path>,
    tx: sqlx::Transaction<'static, Sqlite>,
}

impl WriteTx {
    pub(crate) fn new(path: Arc<Path>, tx: sqlx::Transaction<'static, Sqlite>) -> Self {
        Self(Inner { path, tx })
    }

    /// Makes the change permanent.
    ///
    /// # Errors
    /// As [`WriteTx::error`]; nothing was changed then.
    pub async fn commit(self) -> Result<(), DbError> {
        self.0.tx.commit().await.map_err(|e| DbError::from_sqlx(&self.0.path, e))
    }

    /// What an error of a statement in this transaction means, with the file's name.
    pub fn error(&self, source: sqlx::Error) -> DbError {
        DbError::from_sqlx(&self.0.path, source)
    }
}

impl ReadTx {
    pub(crate) fn new(path: Arc<Path>, tx: sqlx::Transaction<'static, Sqlite>) -> Self {
        Self(Inner { path, tx })
    }

    /// What an error of a statement in this transaction means, with the file's name.
    pub fn error(&self, source: sqlx::Error) -> DbError {
        DbError::from_sqlx(&self.0.path, source)
    }
}

impl Deref for WriteTx {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.0.tx
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.0.tx
    }
}

impl Deref for ReadTx {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.0.tx
    }
}

impl DerefMut for ReadTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.0.tx
    }
}
