//! Everything that can be wrong with a database file or a data directory, each error naming it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a database cannot be used. Every variant names the file or directory.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// A newer version wrote the file.
    #[error("{} has format {found}, but this version knows only up to {known}; it was left untouched. Use the newer version that wrote it", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// A database, but not one of ours.
    #[error("{} belongs to another program; it was left untouched", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Not a database, or one whose content is damaged.
    #[error("{} is damaged or not a database: {reason}", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The file, or the directory it stands in, cannot be written.
    #[error("{} cannot be written: {reason}", .path.display())]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// No room left.
    #[error("the disk is full: {} cannot grow", .path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Another server works on the data directory.
    #[error("another server is already using the data directory {}", .path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// Somebody else kept the file locked for too long.
    #[error("{} is busy; try again", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// It was closed meanwhile.
    #[error("{} is closed", .path.display())]
    Closed {
        /// The file.
        path: PathBuf,
    },
    /// The backup before a migration could not be made; the file was not changed.
    #[error("no backup of {} could be made, so it was not upgraded: {reason}", .path.display())]
    Backup {
        /// The file that was to be saved.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// Something stands where a backup was to be written.
    #[error("{} exists already; it was left untouched", .path.display())]
    Taken {
        /// What stands there.
        path: PathBuf,
    },
    /// Bringing the file up to date did not work; it is as it was before.
    #[error("{} cannot be upgraded to format {version}; it is as it was before", .path.display())]
    Migration {
        /// The file.
        path: PathBuf,
        /// The format that could not be reached.
        version: u32,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// Anything else a statement can meet.
    #[error("a statement on {} failed", .path.display())]
    Statement {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
}

impl DbError {
    /// What an error of a statement on `path` means.
    pub(crate) fn from_sqlx(path: &Path, source: sqlx::Error) -> Self {
        let path = path.to_owned();
        match Fault::of(&source) {
            Fault::Corrupt => Self::Corrupt { path, reason: source.to_string() },
            Fault::NotWritable => Self::NotWritable { path, reason: source.to_string() },
            Fault::DiskFull => Self::DiskFull { path },
            Fault::Busy => Self::Busy { path },
            Fault::Closed => Self::Closed { path },
            Fault::Other => Self::Statement { path, source },
        }
    }

    /// What an error of the file system at `path` means.
    pub(crate) fn from_io(path: &Path, source: &io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == io::ErrorKind::StorageFull {
            return Self::DiskFull { path };
        }
        Self::NotWritable { path, reason: source.to_string() }
    }
}

/// The classes of SQLite's result codes that callers tell apart.
enum Fault {
    Corrupt,
    NotWritable,
    DiskFull,
    Busy,
    Closed,
    Other,
}

impl Fault {
    fn of(error: &sqlx::Error) -> Self {
        if let sqlx::Error::Database(inner) = error {
            let code = inner.code().and_then(|code| code.parse::<u32>().ok());
            return code.map_or(Self::Other, Self::of_code);
        }
        if matches!(error, sqlx::Error::PoolTimedOut) {
            return Self::Busy;
        }
        if matches!(error, sqlx::Error::PoolClosed) {
            return Self::Closed;
        }
        Self::Other
    }

    fn of_code(code: u32) -> Self {
        /// The low byte is the class, the rest says more about it.
        const CLASS: u32 = 0xff;
        /// SQLITE_IOERR_SHMSIZE: the file beside it that says where things are in the log could not grow.
        const NO_ROOM_FOR_THE_SHARED_PART: u32 = 4_874;
        match code & CLASS {
            _ if code == NO_ROOM_FOR_THE_SHARED_PART => Self::DiskFull,
            5 | 6 => Self::Busy,             // SQLITE_BUSY, SQLITE_LOCKED
            3 | 8 | 14 => Self::NotWritable, // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
            11 | 26 => Self::Corrupt,        // SQLITE_CORRUPT, SQLITE_NOTADB
            13 => Self::DiskFull,            // SQLITE_FULL
            _ => Self::Other,
        }
    }
}
