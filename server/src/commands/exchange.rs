//! `bough export` and `bough import`: conversations of one instance to a file and from one, while no server runs.

use super::{CommandError, Report, instance_file};
use crate::config::DataConfig;
use db::{DataDir, DataDirLock, Database, DbError, SystemClock, UuidSource};
use futures::channel::mpsc;
use futures::{StreamExt, join};
use protocol::{ImportReport, ImportStatus, SessionId, limits};
use session::{Exported, ImportError, ImportFile, PIECES_MAX, SessionManager};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// What to write down, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// All of the instance, or one session, as JSON.
    Json(Option<SessionId>),
    /// One session as a text for people.
    Markdown(SessionId),
}

/// Writes conversations of an instance into the new file `target`.
///
/// # Errors
/// No data, a server that runs, something at `target`, no such instance or session, or a file that breaks.
pub async fn export(
    data: &DataConfig,
    target: &Path,
    instance: &str,
    shape: &Shape,
) -> Result<Report, CommandError> {
    let file = data.folder.join(instance_file(instance)?);
    super::check_folder(data)?;
    let _lock = take(data, instance, "export")?;
    if target.exists() {
        return Err(CommandError::Taken(target.to_owned()));
    }
    if !file.is_file() {
        return Err(CommandError::NoBackup(file));
    }
    let database = Database::open(&file).await?;
    let done = write(&manager(&database), target, shape).await;
    database.close().await?;
    done?;
    Ok(Report { text: format!("exported to {}\n", target.display()), is_well: true })
}

/// Adds the sessions of a file to an instance, which comes to be if needed.
///
/// # Errors
/// A server that runs, a file that cannot be read or is not known, or a database that breaks.
pub async fn import(data: &DataConfig, source: &Path, instance: &str) -> Result<Report, CommandError> {
    let file = data.folder.join(instance_file(instance)?);
    let size = std::fs::metadata(source).map_err(CommandError::file(source))?.len();
    if size > limits::IMPORT_MAX_BYTES as u64 {
        return Err(CommandError::TooLarge { path: source.to_owned(), size });
    }
    let opened = std::fs::File::open(source).map_err(CommandError::file(source))?;
    let unusable = |error| CommandError::Import { path: source.to_owned(), source: error };
    let opened = ImportFile::open(opened).map_err(unusable)?;
    let _lock = take(data, instance, "import")?;
    let database = Database::open(&file).await?;
    let done = import_into(&manager(&database), opened).await;
    database.close().await?;
    Ok(told(&done.map_err(unusable)?))
}

/// Before anything is imported, what a crash has left of an import is removed.
async fn import_into(sessions: &SessionManager, file: ImportFile) -> Result<ImportReport, ImportError> {
    for id in sessions.unfinished_imports().await? {
        sessions.remove_unfinished_import(&id).await?;
    }
    sessions.import(file).await
}

fn manager(database: &Database) -> SessionManager {
    SessionManager::new(database.clone(), Arc::new(SystemClock), Arc::new(UuidSource))
}

fn take(data: &DataConfig, instance: &str, what: &'static str) -> Result<DataDirLock, CommandError> {
    match DataDir::lock(&data.folder) {
        Ok(lock) => Ok(lock),
        Err(DbError::InUse { path }) => {
            let address =
                instance.split_once('/').map(|(agent, name)| format!("/api/v1/agents/{agent}/{name}/{what}"));
            Err(CommandError::AskServer { path, address: address.unwrap_or_default() })
        }
        Err(error) => Err(error.into()),
    }
}

/// Nothing is left at `target` where it fails.
async fn write(sessions: &SessionManager, target: &Path, shape: &Shape) -> Result<(), CommandError> {
    let failed = CommandError::file(target);
    let done = match shape {
        Shape::Markdown(id) => {
            let text = sessions.markdown(id).await?;
            return std::fs::write(target, text).map_err(failed);
        }
        Shape::Json(session) => {
            let what = session.clone().map_or(Exported::Everything, |id| Exported::Sessions(vec![id]));
            write_pieces(sessions, target, &what).await
        }
    };
    if done.is_err() {
        let _may_not_be_there = std::fs::remove_file(target);
    }
    done
}

async fn write_pieces(sessions: &SessionManager, target: &Path, what: &Exported) -> Result<(), CommandError> {
    let (sender, mut pieces) = mpsc::channel::<String>(PIECES_MAX);
    let file = std::fs::File::create_new(target).map_err(CommandError::file(target))?;
    let mut file = std::io::BufWriter::new(file);
    let writing = async {
        while let Some(piece) = pieces.next().await {
            file.write_all(piece.as_bytes())?;
        }
        file.flush()?;
        file.get_ref().sync_all()
    };
    let (made, written) = join!(sessions.export(what, sender), writing);
    made?;
    written.map_err(CommandError::file(target))
}

fn told(report: &ImportReport) -> Report {
    let mut text = String::new();
    let mut counts = [0_usize; 3];
    for session in &report.sessions {
        let (at, word) = match session.status {
            ImportStatus::Imported => (0, "imported"),
            ImportStatus::Skipped => (1, "skipped"),
            ImportStatus::Failed => (2, "failed"),
        };
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
        let _written = write!(text, "{word} {:?}, {} messages", session.name, session.messages);
        if let Some(problem) = &session.problem {
            let _written = write!(text, ": {problem}");
        }
        text.push('\n');
    }
    if let Some(problem) = &report.problem {
        let _written = writeln!(text, "{problem}");
    }
    let [imported, skipped, failed] = counts;
    let _written = writeln!(text, "{imported} sessions imported, {skipped} skipped, {failed} failed");
    Report { text, is_well: failed == 0 }
}
