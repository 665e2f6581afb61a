//! What can be wrong with the configuration. Every text names the place and, where one is known, the fix.

use std::path::PathBuf;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration file {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{}: {problem}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        problem: String,
    },
    /// A key or variable that means nothing.
    #[error("{place}: there is no setting {name}{}", did_you_mean(suggestion.as_deref()))]
    Unknown {
        /// Where it stands.
        place: String,
        /// What stands there.
        name: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// A value that cannot be used.
    #[error("{place}: {problem}")]
    Invalid {
        /// Where it stands.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A variable of ours that is not Unicode.
    #[error("the variable {name} is not Unicode text")]
    NotUnicode {
        /// Which.
        name: String,
    },
    /// There is no place for the data.
    #[error("no data folder is known for this user; name one with BOUGH_DATA")]
    NoDataFolder,
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}
