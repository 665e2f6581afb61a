//! `bough password`: sets or removes the password, also while a server works on the data, which notices it by itself.

use super::{CommandError, Report, check_folder};
use crate::auth::Exposure;
use crate::auth::password::Password;
use crate::auth::store::Logins;
use crate::config::Config;
use db::{Clock, Database, SystemClock};
use protocol::limits;
use std::io::{IsTerminal, Read};

/// What to do with the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Ask for one and set it.
    Set,
    /// Remove it.
    Remove,
}

/// Changes the password; all browsers are signed out by it. The data folder is made where it is missing, so that a
/// server can be protected before its first start.
///
/// # Errors
/// A text that can be no password, a password that the configuration gives, or a file that cannot be written.
pub async fn password(config: &Config, change: Change) -> Result<Report, CommandError> {
    if config.password.is_some() {
        return Err(CommandError::Configured);
    }
    match change {
        Change::Set => set(config).await,
        Change::Remove => remove(config).await,
    }
}

async fn set(config: &Config) -> Result<Report, CommandError> {
    let hash = ask()?.hash().map_err(|error| CommandError::Random(error.to_string()))?;
    let database = Database::open(&config.data.server_file()).await?;
    let set = Logins::new(database.clone()).set_password(&hash, SystemClock.now_ms()).await;
    super::close(&database).await;
    set?;
    let text = "The password is set. Whoever was signed in has to sign in again.\n".to_owned();
    Ok(Report { text, is_well: true })
}

async fn remove(config: &Config) -> Result<Report, CommandError> {
    check_folder(&config.data)?;
    let database = Database::open(&config.data.server_file()).await?;
    let removed = Logins::new(database.clone()).remove_password().await;
    super::close(&database).await;
    let said = if removed? { "The password is removed." } else { "There was no password." };
    let warning = match Exposure::of(config.listen.addr) {
        Exposure::Loopback => String::new(),
        Exposure::Network => format!(" Without one, nobody is let in at {}.", config.listen.addr),
    };
    Ok(Report { text: format!("{said}{warning}\n"), is_well: true })
}

/// Asks twice on a terminal, which does not show it; else takes the one line of the standard input.
fn ask() -> Result<Password, CommandError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let mut text = String::new();
        let most = u64::try_from(limits::PASSWORD_MAX_BYTES).unwrap_or(u64::MAX).saturating_add(16);
        let _length = stdin.take(most).read_to_string(&mut text).map_err(CommandError::Input)?;
        return Ok(Password::of_line(&text)?);
    }
    let password = Password::new(&prompt("New password: ")?)?;
    if Password::new(&prompt("Once more: ")?).as_ref() == Ok(&password) {
        Ok(password)
    } else {
        Err(CommandError::NotTheSame)
    }
}

fn prompt(words: &str) -> Result<String, CommandError> {
    rpassword::prompt_password(words).map_err(CommandError::Input)
}
