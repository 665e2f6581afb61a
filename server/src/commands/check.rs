//! `bough check`: the configuration as it is in force, and whether a server could listen with it.

use super::{CommandError, Report};
use crate::auth::configured;
use crate::auth::store::Logins;
use crate::config::Config;
use db::Database;
use std::path::Path;

/// What a server would work with. Nothing is changed, and no file is made.
///
/// # Errors
/// A file that cannot be read.
pub async fn check(config: &Config) -> Result<Report, CommandError> {
    let (note, refusal) = if config.password.is_some() {
        ("the password is the one of this configuration", None)
    } else if is_set(&config.data.server_file()).await? {
        ("a password is set by `bough password`", None)
    } else {
        ("no password is set", configured::refusal(config.listen.addr))
    };
    let mut text = format!("{}# {note}\n", config.report());
    if let Some(refusal) = &refusal {
        text = format!("{text}# {refusal}\n");
    }
    Ok(Report { text, is_well: refusal.is_none() })
}

/// Whether `bough password` has set one. A file of an older version has none, and is left for the server to bring up to
/// date.
async fn is_set(file: &Path) -> Result<bool, CommandError> {
    if !Database::is_up_to_date(file).await? {
        return Ok(false);
    }
    let database = Database::open(file).await?;
    let found = Logins::new(database.clone()).password().await;
    super::close(&database).await;
    Ok(found?.is_some())
}
