//! `bough token`: what lets programs in, also while a server works on the data.

use super::{CommandError, Report, check_folder};
use crate::auth::store::{Logins, NewLogin};
use crate::auth::token::Token;
use crate::config::DataConfig;
use db::{Clock, Database, IdSource, SystemClock, UuidSource};
use protocol::{LoginKind, limits};
use std::fmt::Write;

/// What to do with tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tokens {
    /// Make one of this name.
    Add(String),
    /// Say which there are.
    List,
    /// Take the one of this name back.
    Remove(String),
}

/// Makes, lists or takes back tokens. A new one is shown this once, and nothing else is, so that scripts can take it.
///
/// # Errors
/// A name that is taken or that nobody has, or a file that cannot be written.
pub async fn token(data: &DataConfig, what: &Tokens) -> Result<Report, CommandError> {
    check_folder(data)?;
    let database = Database::open(&data.server_file()).await?;
    let logins = Logins::new(database.clone());
    let done = match what {
        Tokens::Add(name) => add(&logins, name).await,
        Tokens::List => list(&logins).await,
        Tokens::Remove(name) => remove(&logins, name).await,
    };
    super::close(&database).await;
    Ok(Report { text: done?, is_well: true })
}

async fn add(logins: &Logins, name: &str) -> Result<String, CommandError> {
    let is_name = (1..=limits::TOKEN_NAME_MAX_CHARS).contains(&name.chars().count());
    if !is_name || name.chars().any(char::is_control) {
        return Err(CommandError::BadTokenName);
    }
    let token = Token::for_program().map_err(|error| CommandError::Random(error.to_string()))?;
    let (id, digest) = (UuidSource.new_id(), token.digest());
    let new = NewLogin { id: &id, digest: &digest, name, now: SystemClock.now_ms() };
    if logins.add_token(&new).await? {
        Ok(format!("{}\n", token.expose()))
    } else {
        Err(CommandError::TokenTaken(name.to_owned()))
    }
}

async fn list(logins: &Logins) -> Result<String, CommandError> {
    let all = logins.all(SystemClock.now_ms()).await?;
    let mut text = String::new();
    for token in all.iter().filter(|login| login.kind == LoginKind::Program) {
        let _written = writeln!(text, "{}", token.name);
    }
    Ok(if text.is_empty() { "There are no tokens.\n".to_owned() } else { text })
}

async fn remove(logins: &Logins, name: &str) -> Result<String, CommandError> {
    if logins.remove_token(name).await? {
        Ok(format!("The token {name:?} lets nobody in any more.\n"))
    } else {
        Err(CommandError::NoToken(name.to_owned()))
    }
}
