//! Where everything is kept.

use super::sources::Sources;
use super::{ConfigError, Environment};
use protocol::limits;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file of the server's own tables, in the data folder.
pub const SERVER_FILE: &str = "bough.db";
/// The folder of the agents' files, in the data folder.
pub const AGENTS_FOLDER: &str = "agents";

/// Where everything is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataConfig {
    /// `data`: `bough.db` and `agents/` are in it. It is made when it is missing.
    pub folder: PathBuf,
    /// `instance_idle_ms`: how long nobody may use an agent instance before its file is closed; none keeps it open.
    pub instance_idle: Option<Duration>,
}

impl DataConfig {
    pub(super) fn from_sources(folder: PathBuf, sources: &Sources) -> Result<Self, ConfigError> {
        let idle = sources.parse("instance_idle_ms", "a number of milliseconds")?;
        let idle = idle.unwrap_or(limits::INSTANCE_IDLE_MS);
        Ok(Self { folder, instance_idle: (idle > 0).then_some(Duration::from_millis(idle)) })
    }

    /// The file of the server's own tables.
    pub fn server_file(&self) -> PathBuf {
        self.folder.join(SERVER_FILE)
    }

    /// The file of one agent instance. Both names were checked, so they cannot lead out of the folder.
    pub fn instance_file(&self, agent: &str, instance: &str) -> PathBuf {
        self.folder.join(instance_path(agent, instance))
    }
}

/// The path of an instance's file in the data folder.
pub fn instance_path(agent: &str, instance: &str) -> PathBuf {
    Path::new(AGENTS_FOLDER).join(agent).join(format!("{instance}.db"))
}

/// The platform's data folder for bough.
pub(super) fn platform_folder(environment: &Environment) -> Result<PathBuf, ConfigError> {
    let absolute = |name: &str| environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME");
    let parent = if cfg!(target_os = "windows") {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
    };
    parent.map(|parent: PathBuf| parent.join("bough")).ok_or(ConfigError::NoDataFolder)
}

/// The configuration file that is read without being named.
pub(super) fn file_beside(folder: &Path) -> PathBuf {
    folder.join("bough.toml")
}
