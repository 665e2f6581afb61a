//! Where a setting's value comes from: a flag, else its variable, else the file. Whatever is wrong with a value is
//! told with the place it came from.

use super::settings::{SETTINGS, variable_of};
use super::{ConfigError, Environment, suggest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::{Table, Value};

/// The tables of the file, which are no settings of their own.
pub(super) const TABLES: [&str; 2] = ["agents", "providers"];

/// A value as text, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The value.
    pub(super) value: String,
    /// The place, for errors: `--addr`, `BOUGH_ADDR` or `addr in /path/bough.toml`.
    pub(super) place: String,
}

/// All places, in the order of their weight.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    /// By key.
    pub(super) flags: BTreeMap<String, String>,
    /// The process's variables.
    pub(super) environment: Environment,
    /// The file, where there is one.
    pub(super) file: Option<FileSource>,
}

/// A configuration file that was read.
#[derive(Debug, Clone)]
pub(super) struct FileSource {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What it says.
    pub(super) table: Table,
}

impl Sources {
    /// The value of a setting, if it is set anywhere.
    pub(super) fn find(&self, key: &str) -> Result<Option<Found>, ConfigError> {
        if let Some(value) = self.flags.get(key) {
            let place = format!("--{}", key.replace('_', "-"));
            return Ok(Some(Found { value: value.clone(), place }));
        }
        let variable = variable_of(key);
        if let Some(value) = self.environment.get(&variable) {
            return Ok(Some(Found { value: value.to_owned(), place: variable }));
        }
        let Some(file) = &self.file else { return Ok(None) };
        let Some(value) = file.table.get(key) else { return Ok(None) };
        let place = file.place(key);
        match as_text(value) {
            Some(value) => Ok(Some(Found { value, place })),
            None => Err(invalid(place, format!("a {} cannot be used here", value.type_str()))),
        }
    }

    /// The value of a setting, read as what it must be; `expected` says what that is.
    pub(super) fn parse<T: FromStr>(&self, key: &str, expected: &str) -> Result<Option<T>, ConfigError> {
        let Some(found) = self.find(key)? else { return Ok(None) };
        match found.value.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(invalid(found.place, format!("{:?} is not {expected}", found.value))),
        }
    }

    /// The values of a setting that is a list.
    pub(super) fn list(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let found = self.find(key)?.map(|found| found.value).unwrap_or_default();
        Ok(found.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect())
    }

    /// Refuses keys of the file that mean nothing, and variables that are ours but for a slip of the finger.
    /// Variables of other programs may begin with `BOUGH_` too, so those far from any setting are left alone.
    pub(super) fn check_names(&self) -> Result<(), ConfigError> {
        if let Some(file) = &self.file {
            let settings = SETTINGS.iter().map(|setting| setting.key).filter(|key| *key != "config");
            check_keys(&file.table, settings.chain(TABLES), &file.path.display().to_string())?;
        }
        let known: Vec<String> = SETTINGS.iter().map(|setting| setting.key.to_uppercase()).collect();
        for name in self.environment.own_names() {
            let bare = name.trim_start_matches("BOUGH_");
            let nearest = suggest::nearest(bare, known.iter().map(String::as_str));
            if let Some(nearest) = nearest.filter(|nearest| *nearest != bare) {
                return Err(ConfigError::Unknown {
                    place: "the environment".to_owned(),
                    name: name.to_owned(),
                    suggestion: Some(format!("BOUGH_{nearest}")),
                });
            }
        }
        Ok(())
    }
}

impl FileSource {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let path = path.to_owned();
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(path, &text),
            Err(source) => Err(ConfigError::Unreadable { path, source }),
        }
    }

    /// Reads a file's text.
    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self, ConfigError> {
        match text.parse() {
            Ok(table) => Ok(Self { path, table }),
            Err(error) => Err(ConfigError::Syntax { path, problem: error.to_string().trim().to_owned() }),
        }
    }

    /// How a key of it is named in errors.
    pub(super) fn place(&self, key: &str) -> String {
        format!("{key} in {}", self.path.display())
    }
}

/// Refuses keys of a table that mean nothing.
pub(super) fn check_keys<'a>(
    table: &Table,
    known: impl IntoIterator<Item = &'a str> + Clone,
    place: &str,
) -> Result<(), ConfigError> {
    for key in table.keys() {
        if known.clone().into_iter().any(|name| name == key) {
            continue;
        }
        return Err(ConfigError::Unknown {
            place: place.to_owned(),
            name: key.clone(),
            suggestion: suggest::nearest(key, known).map(str::to_owned),
        });
    }
    Ok(())
}

/// A value that must be a table.
pub(super) fn table<'a>(value: &'a Value, place: &str) -> Result<&'a Table, ConfigError> {
    value.as_table().ok_or_else(|| invalid(place, format!("must be a table, not a {}", value.type_str())))
}

/// Whether a text is an address that can be called.
pub(super) fn is_http(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

/// An unusable value at a place.
pub(super) fn invalid(place: impl Into<String>, problem: impl Into<String>) -> ConfigError {
    ConfigError::Invalid { place: place.into(), problem: problem.into() }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            items.map(|items| items.join(","))
        }
        Value::Float(_) | Value::Datetime(_) | Value::Table(_) => None,
    }
}
