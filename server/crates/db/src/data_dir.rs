//! The data directory belongs to one server at a time: a lock file says so, and the system drops the lock even when
//! the server is killed.

use crate::error::DbError;
use std::fs::{File, OpenOptions, TryLockError, create_dir_all};
use std::path::{Path, PathBuf};

/// Name of the lock file inside the data directory.
const LOCK_FILE: &str = "bough.lock";

/// The folder all files of a server stand in.
#[derive(Debug)]
pub struct DataDir;

impl DataDir {
    /// Makes the directory if needed and takes it for this process until the lock is dropped.
    ///
    /// # Errors
    /// [`DbError::InUse`] where another server has it, [`DbError::NotWritable`] or [`DbError::DiskFull`] where it
    /// cannot be made or written; all name the directory.
    pub fn lock(path: &Path) -> Result<DataDirLock, DbError> {
        create_dir_all(path).map_err(|e| DbError::from_io(path, &e))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK_FILE))
            .map_err(|e| DbError::from_io(path, &e))?;
        match file.try_lock() {
            Ok(()) => Ok(DataDirLock { path: path.to_owned(), file }),
            Err(TryLockError::WouldBlock) => Err(DbError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(e)) => Err(DbError::from_io(path, &e)),
        }
    }
}

/// Proof that this process owns the data directory; dropping it gives the directory back.
#[derive(Debug)]
pub struct DataDirLock {
    path: PathBuf,
    /// Holds the lock.
    file: File,
}

impl Drop for DataDirLock {
    fn drop(&mut self) {
        // Closing the file would do, were there no child process that was just started and has not let go of its copy.
        // If unlocking fails, closing is what is left.
        let _closing_does_it = self.file.unlock();
    }
}

impl DataDirLock {
    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let first = DataDir::lock(&path).unwrap();
        assert_eq!(first.path(), path);

        let refused = DataDir::lock(&path).unwrap_err();
        assert!(matches!(&refused, DbError::InUse { path: named } if *named == path));
        assert!(refused.to_string().contains(&path.display().to_string()));

        drop(first);
        DataDir::lock(&path).unwrap();
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "not a folder").unwrap();
        let path = file.join("data");

        let refused = DataDir::lock(&path).unwrap_err();
        assert!(
            matches!(&refused, DbError::NotWritable { path: named, .. } if *named == path),
            "{refused:?}"
        );
    }
}
