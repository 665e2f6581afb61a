//! The one change that is going on at a time.

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
pub struct WriteTx {
    path: Arc<Path>,
    tx: sqlx::Transaction<'static, Sqlite>,
}

impl WriteTx {
    pub(crate) fn new(path: Arc<Path>, tx: sqlx::Transaction<'static, Sqlite>) -> Self {
        Self { path, tx }
    }

    /// Makes the change permanent.
    ///
    /// # Errors
    /// As [`WriteTx::error`]; nothing was changed then.
    pub async fn commit(self) -> Result<(), DbError> {
        self.tx
            .commit()
            .await
            .map_err(|e| DbError::from_sqlx(&self.path, e))
    }

    /// What an error of a statement in this transaction means, with the file's name.
    pub fn error(&self, source: sqlx::Error) -> DbError {
        DbError::from_sqlx(&self.path, source)
    }
}

impl Deref for WriteTx {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.tx
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.tx
    }
}
