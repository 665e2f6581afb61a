//! The password as containers are given it: in a variable, or in a file whose place is in one.

use super::ConfigError;
use super::settings::variable_of;
use super::sources::{Sources, invalid};
use crate::auth::password::{BadPassword, Password};
use protocol::limits;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// What is read of a file: more than a password can have, so that a wrong file is told from a long one.
const READ_MAX_BYTES: u64 = limits::PASSWORD_MAX_BYTES as u64 + 16;

/// The one that is configured, if there is one.
pub(super) fn from_sources(sources: &Sources) -> Result<Option<Password>, ConfigError> {
    // Elsewhere an empty variable counts as absent. Here that would open a server whose owner meant to close it.
    for variable in ["password", "password_file"].map(variable_of) {
        if sources.environment.is_empty(&variable) {
            return Err(invalid(variable, "it is empty; give it a value or take it away".to_owned()));
        }
    }
    let (given, file) = (sources.find("password")?, sources.find("password_file")?);
    if let (Some(given), Some(file)) = (&given, &file) {
        return Err(invalid(&file.place, format!("{} gives a password too; keep one of them", given.place)));
    }
    let bad = |place: &str| {
        let place = place.to_owned();
        move |problem: BadPassword| invalid(place, problem.to_string())
    };
    if let Some(given) = given {
        return Password::new(&given.value).map(Some).map_err(bad(&given.place));
    }
    let Some(found) = file else { return Ok(None) };
    let path = PathBuf::from(&found.value);
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(READ_MAX_BYTES).read_to_string(&mut text));
    if let Err(error) = read {
        return Err(invalid(&found.place, format!("{} cannot be read: {error}", path.display())));
    }
    Password::of_line(&text).map(Some).map_err(bad(&found.place))
}
