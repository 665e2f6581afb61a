//! What the program does besides serving: look after the data folder, and say how it went.

pub mod backup;
pub mod check;
pub mod doctor;
pub mod exchange;
pub mod password;
pub mod restore;
pub mod token;

use crate::auth::password::BadPassword;
use crate::config::{AGENTS_FOLDER, DataConfig, SERVER_FILE, instance_path, is_name};
use db::{DataDir, DataDirLock, Database, DbError};
use protocol::limits;
use session::{ImportError, SessionError};
use std::path::{Path, PathBuf};

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is nothing to work on.
    #[error("there is no data at {}; name the folder with --data or BOUGH_DATA", .0.display())]
    NoData(PathBuf),
    /// A server works on the data.
    #[error("a server is using {}; stop it first", .0.display())]
    ServerRuns(PathBuf),
    /// A server works on the data; it can be asked for the same.
    #[error("a server is using {}; stop it first, or ask it at {address}", path.display())]
    AskServer {
        /// The data folder.
        path: PathBuf,
        /// What to ask, below the server's own address.
        address: String,
    },
    /// A file is larger than what is read at once.
    #[error("{} has {size} bytes; at most {max} are imported (IMPORT_MAX_BYTES)", path.display(), max = limits::IMPORT_MAX_BYTES)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// A file cannot be imported.
    #[error("{}: {source}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ImportError,
    },
    /// Something stands where the result was to be written.
    #[error("{} exists already; it was left untouched", .0.display())]
    Taken(PathBuf),
    /// What was named is no backup.
    #[error("{} holds no database of bough", .0.display())]
    NoBackup(PathBuf),
    /// A name that no instance can have.
    #[error("{0:?} is not of the form AGENT/INSTANCE, such as assistant/default")]
    BadInstance(String),
    /// What was typed is no password.
    #[error(transparent)]
    BadPassword(#[from] BadPassword),
    /// The password was typed in two ways.
    #[error("the two are not the same; nothing was changed")]
    NotTheSame,
    /// The next start would set the password of the configuration again.
    #[error("the configuration gives the password (BOUGH_PASSWORD or BOUGH_PASSWORD_FILE); change it there")]
    Configured,
    /// Nothing can be read where a password was to be typed.
    #[error("the password cannot be read: {0}")]
    Input(std::io::Error),
    /// No random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// A name that no token can have.
    #[error(
        "a token's name is one line of 1 to {} characters (TOKEN_NAME_MAX_CHARS)",
        limits::TOKEN_NAME_MAX_CHARS
    )]
    BadTokenName,
    /// A token has that name, or there are too many.
    #[error("there is a token {0:?} already, or there are {max} of them (TOKENS_MAX)", max = limits::TOKENS_MAX)]
    TokenTaken(String),
    /// No token has that name.
    #[error("there is no token {0:?}; `bough token list` says which there are")]
    NoToken(String),
    /// A file of ours.
    #[error(transparent)]
    Data(#[from] DbError),
    /// The conversations in it.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Any other file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What a command says, and whether all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// For people, line by line.
    pub text: String,
    /// Whether nothing is left to be done.
    pub is_well: bool,
}

impl CommandError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

/// Takes the data folder, which must exist, away from servers until the lock is dropped.
fn take(data: &DataConfig) -> Result<DataDirLock, CommandError> {
    check_folder(data)?;
    match DataDir::lock(&data.folder) {
        Ok(lock) => Ok(lock),
        Err(DbError::InUse { path }) => Err(CommandError::ServerRuns(path)),
        Err(error) => Err(error.into()),
    }
}

fn check_folder(data: &DataConfig) -> Result<(), CommandError> {
    if data.folder.is_dir() { Ok(()) } else { Err(CommandError::NoData(data.folder.clone())) }
}

/// Closes a file on which a server may go on to work.
async fn close(database: &Database) {
    // A server that works on the file keeps its log; this is no fault.
    if let Err(error) = database.close().await {
        tracing::debug!("a file was not closed in good order: {error}");
    }
}

/// The databases below a folder that is laid out like a data folder, by their paths in it, in order.
fn databases(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut found = Vec::new();
    if folder.join(SERVER_FILE).is_file() {
        found.push(PathBuf::from(SERVER_FILE));
    }
    let agents = folder.join(AGENTS_FOLDER);
    for agent in entries(&agents)? {
        let files = entries(&agents.join(&agent))?;
        let names = files.iter().filter_map(|file| file.strip_suffix(".db")).filter(|name| is_name(name));
        found.extend(names.map(|name| instance_path(&agent, name)));
    }
    Ok(found)
}

/// The names in a folder, in order; none where there is no folder.
fn entries(folder: &Path) -> Result<Vec<String>, CommandError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let listed = std::fs::read_dir(folder).map_err(CommandError::file(folder))?;
    let mut names = Vec::new();
    for entry in listed {
        let entry = entry.map_err(CommandError::file(folder))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// The path of an instance's database in a data folder.
fn instance_file(instance: &str) -> Result<PathBuf, CommandError> {
    let names = instance.split_once('/').filter(|(agent, name)| is_name(agent) && is_name(name));
    let (agent, name) = names.ok_or_else(|| CommandError::BadInstance(instance.to_owned()))?;
    Ok(instance_path(agent, name))
}
