//! `bough restore`: the copies of a backup take the places of the databases, which are kept beside them.

use super::{CommandError, Report, databases, instance_file, take};
use crate::config::DataConfig;
use db::{Database, Restored};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Goes back to a backup of all databases (a folder) or of one instance (a file). Databases that the backup does not
/// have stay as they are.
///
/// # Errors
/// A server that runs, or a backup that cannot be used; what was restored before stays so, and says where the file
/// that stood there is kept.
pub async fn restore(data: &DataConfig, from: &Path, instance: Option<&str>) -> Result<Report, CommandError> {
    let copies = copies(from, instance)?;
    std::fs::create_dir_all(&data.folder).map_err(CommandError::file(&data.folder))?;
    let _lock = take(data)?;
    let mut text = String::new();
    for (copy, place) in copies {
        let Restored { kept } = Database::restore(&data.folder.join(&place), &copy).await?;
        let kept = kept.map(|kept| format!("; the old one is {}", kept.display())).unwrap_or_default();
        let _written = writeln!(text, "{} restored{kept}", place.display());
    }
    Ok(Report { text, is_well: true })
}

/// Each copy, and its place in the data folder.
fn copies(from: &Path, instance: Option<&str>) -> Result<Vec<(PathBuf, PathBuf)>, CommandError> {
    let copies = match instance {
        Some(instance) if from.is_file() => vec![(from.to_owned(), instance_file(instance)?)],
        Some(instance) => {
            let place = instance_file(instance)?;
            vec![(from.join(&place), place)]
        }
        None => databases(from)?.into_iter().map(|place| (from.join(&place), place)).collect(),
    };
    if copies.is_empty() || copies.iter().any(|(copy, _)| !copy.is_file()) {
        return Err(CommandError::NoBackup(from.to_owned()));
    }
    Ok(copies)
}
