//! A real database file that is gone when the test is over.

use db::Database;
use std::path::PathBuf;
use tempfile::TempDir;

/// An open database in a folder of its own.
#[derive(Debug)]
pub struct TempDatabase {
    /// The database.
    pub db: Database,
    /// Removed, with the file, when this is dropped.
    folder: TempDir,
}

impl TempDatabase {
    /// Where the file stands.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("test.db")
    }

    /// Closes the file and opens it again, as a restarted server does.
    #[expect(clippy::expect_used, reason = "a test cannot go on without its database")]
    pub async fn reopen(&mut self) {
        self.db.close().await.expect("the database closes");
        self.db = Database::open(&self.path()).await.expect("the database opens again");
    }
}

/// A new, empty database.
#[expect(clippy::expect_used, reason = "a test cannot go on without its database")]
pub async fn temp_database() -> TempDatabase {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let db = Database::open(&folder.path().join("test.db")).await.expect("a new database opens");
    TempDatabase { db, folder }
}

/// A database that a killed program left: the file, and what stood in the log beside it.
#[expect(clippy::expect_used, reason = "a test cannot go on without its database")]
pub async fn left_database(file: &[u8], log: &[u8]) -> TempDatabase {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("test.db");
    std::fs::write(&path, file).expect("the file is written");
    std::fs::write(path.with_extension("db-wal"), log).expect("its log is written");
    let db = Database::open(&path).await.expect("the database opens");
    TempDatabase { db, folder }
}
