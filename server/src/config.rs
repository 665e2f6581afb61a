//! The effective configuration: flags, else variables, else `bough.toml`, else what the fields' docs say.
//!
//! Nothing outside this module reads the environment or the file, and nothing in the result has to be checked again.

mod agents;
mod blocks;
mod data;
mod environment;
mod error;
mod listen;
mod log;
mod mcp;
mod models;
mod password;
mod providers;
mod report;
mod settings;
mod site;
mod sources;
mod suggest;
#[cfg(test)]
mod tests;

pub use agents::{
    AgentConfig, BlockConfig, Concurrency, DEFAULT_AGENT, MemoryConfig, MishapConfig, OverlapConfig,
    ScheduleConfig,
};
pub use data::{AGENTS_FOLDER, DataConfig, SERVER_FILE, instance_path};
pub use environment::Environment;
pub use error::ConfigError;
pub use listen::ListenConfig;
pub use log::LogConfig;
pub use mcp::McpConfig;
pub use models::ModelsConfig;
pub use settings::{SETTINGS, Setting};
pub use site::SiteConfig;

use crate::auth::password::Password;
use protocol::limits;
use sources::{FileSource, Sources, invalid};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the processes of tool servers see of our variables; keys of providers are not among them.
const TOOL_VARIABLES: [&str; 2] = ["PATH", "HOME"];

/// Everything that can be set.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the server listens, and to whom.
    pub listen: ListenConfig,
    /// `password` or what is in `password_file`; absent leaves the one of `bough password`, if there is one.
    pub password: Option<Password>,
    /// Where everything is kept.
    pub data: DataConfig,
    /// Which models there are.
    pub models: ModelsConfig,
    /// The agents, by name; at least one.
    pub agents: Vec<AgentConfig>,
    /// All the variables that the processes of tool servers see: where programs are, and where the home is.
    pub tool_environment: Vec<(String, String)>,
    /// Where the page's files are.
    pub site: SiteConfig,
    /// What is logged.
    pub log: LogConfig,
    /// The file that was read, if there was one.
    pub file: Option<PathBuf>,
}

/// What a configuration is made of.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// Values of flags, by the keys of [`SETTINGS`].
    pub flags: BTreeMap<String, String>,
    /// The process's variables.
    pub environment: Environment,
    /// The running executable, beside which the page's files may be.
    pub executable: PathBuf,
}

impl Config {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// [`ConfigError`]: the first thing that is wrong, with its place.
    pub fn load(invocation: Invocation) -> Result<Self, ConfigError> {
        let Invocation { flags, environment, executable } = invocation;
        let mut sources = Sources { flags, environment: environment.clone(), file: None };
        let folder = locate(&mut sources)?;
        sources.check_names()?;
        Ok(Self {
            listen: ListenConfig::from_sources(&sources)?,
            password: password::from_sources(&sources)?,
            data: DataConfig::from_sources(folder, &sources)?,
            models: ModelsConfig::from_sources(&sources)?,
            agents: agents::from_file(sources.file.as_ref(), &environment)?,
            tool_environment: tool_environment(&environment),
            site: SiteConfig::from_environment(&environment, &executable)?,
            log: LogConfig::from_sources(&sources, &environment)?,
            file: sources.file.map(|file| file.path),
        })
    }

    /// The configuration as TOML for people, secrets masked.
    pub fn report(&self) -> String {
        report::report(self)
    }
}

/// Whether a text can name an agent or an instance: it becomes a part of addresses and a file's name.
pub fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=limits::INSTANCE_NAME_MAX_BYTES).contains(&text.len()) && text.bytes().all(is_plain)
}

/// What [`is_name`] asks for, in words.
pub(crate) fn name_rule() -> String {
    let limit = limits::INSTANCE_NAME_MAX_BYTES;
    format!("1 to {limit} letters, digits, - and _ (INSTANCE_NAME_MAX_BYTES)")
}

fn tool_environment(environment: &Environment) -> Vec<(String, String)> {
    let found = |name: &str| environment.get(name).map(|value| (name.to_owned(), value.to_owned()));
    TOOL_VARIABLES.into_iter().filter_map(found).collect()
}

/// Finds the data folder and reads the file. A named file may say where the data is; one that is found beside the
/// data cannot move the data away from itself.
fn locate(sources: &mut Sources) -> Result<PathBuf, ConfigError> {
    let folder = |sources: &Sources| match sources.find("data")? {
        Some(found) => Ok(PathBuf::from(found.value)),
        None => data::platform_folder(&sources.environment),
    };
    if let Some(found) = sources.find("config")? {
        sources.file = Some(FileSource::read(Path::new(&found.value))?);
        return folder(sources);
    }
    let folder = folder(sources)?;
    let beside = data::file_beside(&folder);
    if beside.is_file() {
        let file = FileSource::read(&beside)?;
        if file.table.contains_key("data") {
            return Err(invalid(
                file.place("data"),
                "only --data, BOUGH_DATA and a --config file can say this",
            ));
        }
        sources.file = Some(file);
    }
    Ok(folder)
}
