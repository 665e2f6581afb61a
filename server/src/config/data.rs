//! Where everything is kept.

use super::{ConfigError, Environment};
use std::path::{Path, PathBuf};

/// Where everything is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataConfig {
    /// `data`: `bough.db` and `agents/` are in it. It is made when it is missing.
    pub folder: PathBuf,
}

impl DataConfig {
    /// The file of the server's own tables.
    pub fn server_file(&self) -> PathBuf {
        self.folder.join("bough.db")
    }

    /// The file of one agent instance. Both names were checked, so they cannot lead out of the folder.
    pub fn instance_file(&self, agent: &str, instance: &str) -> PathBuf {
        self.folder.join("agents").join(agent).join(format!("{instance}.db"))
    }
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
