//! `bough restore`: the copies of a backup take the places of the databases, which are kept beside them.

use super::{CommandError, Report, close, databases, instance_file, take};
use crate::auth::store::Logins;
use crate::config::{DataConfig, SERVER_FILE};
use db::{Database, Restored};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Goes back to a backup of all databases (a folder) or of one instance (a file). Databases that the backup does not
/// have stay as they are.
///
/// # Errors
/// A server that runs, or a backup that cannot be used; what was restored before stays so, and says where the file
/// that stood there is kept.
pub async fn restore(data: &DataConfig, from: &Path, instance: Option<&str>) -> Result<Report, CommandError> {
    let copies = copies(from, instance)?;
    std::fs::create_dir_all(&data.folder).map_err(CommandError::file(&data.folder))?;
    let _lock = take(data)?;
    let mut text = String::new();
    for (copy, place) in copies {
        let Restored { kept } = Database::restore(&data.folder.join(&place), &copy).await?;
        if place == Path::new(SERVER_FILE) {
            sign_out(data).await?;
        }
        let kept = kept.map(|kept| format!("; the old one is {}", kept.display())).unwrap_or_default();
        let _written = writeln!(text, "{} restored{kept}", place.display());
    }
    Ok(Report { text, is_well: true })
}

/// A backup knows browsers that were signed out after it, or are of another machine.
async fn sign_out(data: &DataConfig) -> Result<(), CommandError> {
    let database = Database::open(&data.server_file()).await?;
    let ended = Logins::new(database.clone()).end_browsers().await;
    close(&database).await;
    Ok(ended?)
}

/// Each copy, and its place in the data folder.
fn copies(from: &Path, instance: Option<&str>) -> Result<Vec<(PathBuf, PathBuf)>, CommandError> {
    let copies = match instance {
        Some(instance) if from.is_file() => vec![(from.to_owned(), instance_file(instance)?)],
        Some(instance) => {
            let place = instance_file(instance)?;
            vec![(from.join(&place), place)]
        }
        None => databases(from)?.into_iter().map(|place| (from.join(&place), place)).collect(),
    };
    if copies.is_empty() || copies.iter().any(|(copy, _)| !copy.is_file()) {
        return Err(CommandError::NoBackup(from.to_owned()));
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::store::{NewLogin, Standing};
    use crate::auth::token::Token;
    use crate::commands::backup::backup;

    #[tokio::test]
    async fn a_backup_brings_back_the_password_and_tokens_but_no_browser_that_was_signed_in_then() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataConfig { folder: folder.path().join("data"), ..DataConfig::default() };
        let browser = Token::for_browser().unwrap().digest();
        let program = Token::for_program().unwrap().digest();
        let database = Database::open(&data.server_file()).await.unwrap();
        let logins = Logins::new(database.clone());
        logins.set_password("hash", 0).await.unwrap();
        let new =
            |digest| NewLogin { id: if digest == &browser { "b" } else { "p" }, digest, name: "it", now: 0 };
        assert!(logins.sign_in(&new(&browser), "hash").await.unwrap());
        assert!(logins.add_token(&new(&program)).await.unwrap());
        close(&database).await;
        let copy = folder.path().join("copy");
        let _report = backup(&data, &copy, None).await.unwrap();
        let _report = restore(&data, &copy, None).await.unwrap();
        let database = Database::open(&data.server_file()).await.unwrap();
        let logins = Logins::new(database.clone());
        let ended = Standing { has_password: true, login: None };
        assert_eq!(logins.standing(Some(&browser), 1).await.unwrap(), ended);
        let stays = logins.standing(Some(&program), 1).await.unwrap().login;
        assert_eq!(stays.map(|login| login.id).as_deref(), Some("p"));
        close(&database).await;
    }
}
