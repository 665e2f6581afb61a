//! `bough backup`: a copy of every database, or of one, also while a server works on them.

use super::{CommandError, Report, check_folder, close, databases, instance_file};
use crate::config::DataConfig;
use db::Database;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Copies all databases into the new folder `target`, or one instance's into the new file `target`. What is written
/// meanwhile may be in the copy or not; the copy is whole in any case, and gets its name when it is.
///
/// The configuration file is not copied: it may hold keys.
///
/// # Errors
/// No data, something at `target`, or a database that cannot be read.
pub async fn backup(
    data: &DataConfig,
    target: &Path,
    instance: Option<&str>,
) -> Result<Report, CommandError> {
    check_folder(data)?;
    if target.exists() {
        return Err(CommandError::Taken(target.to_owned()));
    }
    if let Some(instance) = instance {
        let file = data.folder.join(instance_file(instance)?);
        if !file.is_file() {
            return Err(CommandError::NoBackup(file));
        }
        copy(&file, target).await?;
        return Ok(report(1, target));
    }
    let files = databases(&data.folder)?;
    let unfinished = unfinished(target);
    if unfinished.exists() {
        std::fs::remove_dir_all(&unfinished).map_err(CommandError::file(&unfinished))?;
    }
    std::fs::create_dir_all(&unfinished).map_err(CommandError::file(&unfinished))?;
    for file in &files {
        copy(&data.folder.join(file), &unfinished.join(file)).await?;
    }
    std::fs::rename(&unfinished, target).map_err(CommandError::file(target))?;
    Ok(report(files.len(), target))
}

async fn copy(from: &Path, to: &Path) -> Result<(), CommandError> {
    let database = Database::open(from).await?;
    let copied = database.backup_to(to).await;
    close(&database).await;
    Ok(copied?)
}

fn unfinished(target: &Path) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(".unfinished");
    PathBuf::from(name)
}

fn report(count: usize, target: &Path) -> Report {
    let what = if count == 1 { "database" } else { "databases" };
    Report { text: format!("{count} {what} copied to {}\n", target.display()), is_well: true }
}
