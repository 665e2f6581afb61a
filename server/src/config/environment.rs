//! The process's variables as a value: read once, at the start, so that everything after it can be tested.

use super::ConfigError;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variables the configuration may come from.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process. Those that are not Unicode and not ours are left out.
    ///
    /// # Errors
    /// [`ConfigError::NotUnicode`] for a variable of ours.
    pub fn of_process() -> Result<Self, ConfigError> {
        std::env::vars_os().filter_map(|(name, value)| readable(&name, value).transpose()).collect()
    }

    /// The value of a variable; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether a variable is there with nothing in it.
    pub(super) fn is_empty(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(String::is_empty)
    }

    /// The names that begin with `BOUGH_`.
    pub(super) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str).filter(|name| name.starts_with("BOUGH_"))
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

fn readable(name: &OsStr, value: OsString) -> Result<Option<(String, String)>, ConfigError> {
    let Some(name) = name.to_str() else { return Ok(None) };
    match value.into_string() {
        Ok(value) => Ok(Some((name.to_owned(), value))),
        Err(_) if name.starts_with("BOUGH_") => Err(ConfigError::NotUnicode { name: name.to_owned() }),
        Err(_) => Ok(None),
    }
}
