//! Copies of a file that are whole or not there: the one beside it before it is upgraded, and those people ask for.

use crate::error::DbError;
use crate::look::beside;
use crate::private;
use sqlx::sqlite::SqliteConnection;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs;

/// Backups of earlier formats that are kept beside a file.
const KEPT: usize = 3;
/// What a backup's name has after the name of its file; the format follows.
const SUFFIX: &str = ".backup-v";
/// A backup that is still being written.
const UNFINISHED: &str = ".backup-unfinished";

/// Writes the file behind `connection` to `target`, where nothing may stand yet.
///
/// The copy gets its name only when it is complete and on the disk, so a backup is never half a backup.
pub(crate) async fn make_at(connection: &mut SqliteConnection, target: &Path) -> Result<(), DbError> {
    if fs::try_exists(target).await.map_err(|e| DbError::from_io(target, &e))? {
        return Err(DbError::Taken { path: target.to_owned() });
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).await.map_err(|e| DbError::from_io(folder, &e))?;
    }
    let unfinished = beside(target, UNFINISHED);
    remove_if_there(&unfinished).await.map_err(|e| DbError::from_io(&unfinished, &e))?;
    copy_into(connection, &unfinished).await.map_err(|e| DbError::from_sqlx(target, e))?;
    name(&unfinished, target).await.map_err(|e| DbError::from_io(target, &e))
}

/// Puts a complete file under its name, in place of what stood there, so that even a power cut leaves one of the two.
pub(crate) async fn name(complete: &Path, target: &Path) -> io::Result<()> {
    fs::File::open(complete).await?.sync_all().await?;
    fs::rename(complete, target).await?;
    match target.parent().filter(|folder| cfg!(unix) && !folder.as_os_str().is_empty()) {
        Some(folder) => fs::File::open(folder).await?.sync_all().await,
        None => Ok(()),
    }
}

/// Saves the open file `path`, which has format `version`, and drops all but the newest backups.
///
/// The copy gets its name only when it is complete, so a backup is never half a backup.
pub(crate) async fn make(
    path: &Path,
    connection: &mut SqliteConnection,
    version: u32,
) -> Result<(), DbError> {
    let unfinished = beside(path, UNFINISHED);
    remove_if_there(&unfinished).await.map_err(|e| failed(path, &e))?;
    copy_into(connection, &unfinished).await.map_err(|e| failed(path, &e))?;
    let finished = beside(path, &format!("{SUFFIX}{version}"));
    name(&unfinished, &finished).await.map_err(|e| failed(path, &e))?;
    drop_old(path).await.map_err(|e| failed(path, &e))
}

fn failed(path: &Path, reason: &dyn std::error::Error) -> DbError {
    DbError::Backup { path: path.to_owned(), reason: reason.to_string() }
}

/// Writes a file anew, without the room it does not need. It may be written to meanwhile.
pub(crate) async fn copy_into(connection: &mut SqliteConnection, target: &Path) -> sqlx::Result<()> {
    let target = target.to_str().ok_or_else(|| {
        sqlx::Error::Io(io::Error::new(io::ErrorKind::InvalidFilename, "its path is not UTF-8"))
    })?;
    private::make(Path::new(target))?;
    let _copied = sqlx::query("VACUUM INTO ?").bind(target).execute(connection).await?;
    Ok(())
}

pub(crate) async fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path).await {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

async fn drop_old(path: &Path) -> io::Result<()> {
    let mut backups = list(path).await?;
    backups.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    for (_, old) in backups.iter().skip(KEPT) {
        remove_if_there(old).await?;
    }
    Ok(())
}

/// All backups beside `path`, with their formats.
async fn list(path: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(stem) = path.file_name().map(|name| format!("{}{SUFFIX}", name.to_string_lossy())) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let mut entries = fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        let version = name.to_str().and_then(|name| name.strip_prefix(&stem)).and_then(|v| v.parse().ok());
        found.extend(version.map(|version| (version, entry.path())));
    }
    Ok(found)
}
