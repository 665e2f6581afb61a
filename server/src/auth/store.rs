//! Statements on `server_password` and `server_logins`, in `bough.db`.

use crate::auth::token::Digest;
use db::{Database, DbError};
use protocol::{LoginInfo, LoginKind, limits};
use sqlx::FromRow;

/// Who may be here, as it is stored. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Logins {
    db: Database,
}

/// How things stand for somebody who shows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Whether there is a password at all.
    pub(crate) has_password: bool,
    /// The sign-in or token that was shown, if it is one.
    pub(crate) login: Option<Login>,
}

/// A sign-in or token that lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) id: String,
    pub(crate) kind: LoginKind,
    pub(crate) seen_at: u64,
    pub(crate) expires_at: Option<u64>,
}

/// A sign-in or token to be.
#[derive(Debug, Clone)]
pub(crate) struct NewLogin<'a> {
    pub(crate) id: &'a str,
    pub(crate) digest: &'a Digest,
    pub(crate) name: &'a str,
    pub(crate) now: u64,
}

/// Differs where something was changed that ends somebody's stay.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Mark {
    hash: Option<String>,
    count: i64,
    newest: Option<i64>,
}

#[derive(FromRow)]
struct StandingRow {
    has_password: bool,
    id: Option<String>,
    kind: Option<String>,
    seen_at: Option<i64>,
    expires_at: Option<i64>,
}

#[derive(FromRow)]
struct LoginRow {
    id: String,
    kind: String,
    name: String,
    created_at: i64,
    seen_at: i64,
}

impl Logins {
    /// Those of `bough.db`.
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// The hash of the password, if there is one.
    pub(crate) async fn password(&self) -> Result<Option<String>, DbError> {
        sqlx::query_scalar("SELECT hash FROM server_password")
            .fetch_optional(self.db.reader())
            .await
            .map_err(|error| self.db.error(error))
    }

    /// Sets the password's hash. All browsers are signed out by it.
    pub(crate) async fn set_password(&self, hash: &str, now: u64) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        let set = sqlx::query(
            "INSERT INTO server_password (id, hash, set_at) VALUES (1, ?1, ?2) \
             ON CONFLICT (id) DO UPDATE SET hash = ?1, set_at = ?2",
        );
        let set = set.bind(hash).bind(now.cast_signed()).execute(&mut *tx).await;
        let _set = set.map_err(|error| tx.error(error))?;
        let _ended = end_browsers().execute(&mut *tx).await.map_err(|error| tx.error(error))?;
        tx.commit().await
    }

    /// Removes the password, and signs all browsers out. Whether there was one.
    pub(crate) async fn remove_password(&self) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let removed = sqlx::query("DELETE FROM server_password").execute(&mut *tx).await;
        let removed = removed.map_err(|error| tx.error(error))?;
        let _ended = end_browsers().execute(&mut *tx).await.map_err(|error| tx.error(error))?;
        tx.commit().await?;
        Ok(removed.rows_affected() > 0)
    }

    /// Signs all browsers out.
    pub(crate) async fn end_browsers(&self) -> Result<(), DbError> {
        let ended = end_browsers().execute(self.db.writer()).await;
        ended.map(drop).map_err(|error| self.db.error(error))
    }

    /// How things stand for somebody who shows this at `now`. One look at the file, so that no change comes between.
    pub(crate) async fn standing(&self, shown: Option<&Digest>, now: u64) -> Result<Standing, DbError> {
        let row: StandingRow = sqlx::query_as(
            "SELECT EXISTS (SELECT 1 FROM server_password) AS has_password, id, kind, seen_at, expires_at \
             FROM (SELECT 1) LEFT JOIN server_logins ON digest = ?1 AND (expires_at IS NULL OR expires_at > ?2)",
        )
        .bind(shown.map(Digest::bytes))
        .bind(now.cast_signed())
        .fetch_one(self.db.reader())
        .await
        .map_err(|error| self.db.error(error))?;
        let StandingRow { has_password, id, kind, seen_at, expires_at } = row;
        let login = id.zip(seen_at).map(|(id, seen_at)| Login {
            id,
            kind: kind_of(kind.as_deref().unwrap_or_default()),
            seen_at: seen_at.cast_unsigned(),
            expires_at: expires_at.map(i64::cast_unsigned),
        });
        Ok(Standing { has_password, login })
    }

    /// Signs a browser in, as long as the password that was given is still the one. Whether it was. What has ended is
    /// cleared away, and of too many sign-ins the one that was not used for the longest time.
    pub(crate) async fn sign_in(&self, login: &NewLogin<'_>, hash: &str) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let cleared =
            sqlx::query("DELETE FROM server_logins WHERE expires_at <= ?").bind(login.now.cast_signed());
        let _cleared = cleared.execute(&mut *tx).await.map_err(|error| tx.error(error))?;
        let inserted = sqlx::query(
            "INSERT INTO server_logins (id, digest, kind, name, created_at, seen_at, expires_at) \
             SELECT ?1, ?2, 'browser', ?3, ?4, ?4, ?5 FROM server_password WHERE hash = ?6",
        )
        .bind(login.id)
        .bind(login.digest.bytes())
        .bind(login.name)
        .bind(login.now.cast_signed())
        .bind(login.now.saturating_add(limits::LOGIN_MS).cast_signed())
        .bind(hash)
        .execute(&mut *tx)
        .await
        .map_err(|error| tx.error(error))?;
        let trimmed = sqlx::query(
            "DELETE FROM server_logins WHERE kind = 'browser' AND id NOT IN (SELECT id FROM server_logins \
             WHERE kind = 'browser' ORDER BY id = ?1 DESC, seen_at DESC, id DESC LIMIT ?2)",
        );
        let trimmed = trimmed.bind(login.id).bind(i64::try_from(limits::LOGINS_MAX).unwrap_or(i64::MAX));
        let _trimmed = trimmed.execute(&mut *tx).await.map_err(|error| tx.error(error))?;
        tx.commit().await?;
        Ok(inserted.rows_affected() > 0)
    }

    /// Makes a program's token. Whether there was room: names are given once, and there are so many at most.
    pub(crate) async fn add_token(&self, token: &NewLogin<'_>) -> Result<bool, DbError> {
        let inserted = sqlx::query(
            "INSERT INTO server_logins (id, digest, kind, name, created_at, seen_at) \
             SELECT ?1, ?2, 'program', ?3, ?4, ?4 \
             WHERE NOT EXISTS (SELECT 1 FROM server_logins WHERE kind = 'program' AND name = ?3) \
             AND (SELECT count(*) FROM server_logins WHERE kind = 'program') < ?5",
        )
        .bind(token.id)
        .bind(token.digest.bytes())
        .bind(token.name)
        .bind(token.now.cast_signed())
        .bind(i64::try_from(limits::TOKENS_MAX).unwrap_or(i64::MAX))
        .execute(self.db.writer())
        .await
        .map_err(|error| self.db.error(error))?;
        Ok(inserted.rows_affected() > 0)
    }

    /// Takes a program's token back, by its name. Whether there was one.
    pub(crate) async fn remove_token(&self, name: &str) -> Result<bool, DbError> {
        let removed = sqlx::query("DELETE FROM server_logins WHERE kind = 'program' AND name = ?").bind(name);
        let removed = removed.execute(self.db.writer()).await.map_err(|error| self.db.error(error))?;
        Ok(removed.rows_affected() > 0)
    }

    /// Notes that a sign-in or token was used. A sign-in lasts longer by it.
    pub(crate) async fn renew(&self, id: &str, now: u64) -> Result<(), DbError> {
        let _renewed = sqlx::query(
            "UPDATE server_logins SET seen_at = ?2, expires_at = CASE kind WHEN 'browser' THEN ?3 END WHERE id = ?1",
        )
        .bind(id)
        .bind(now.cast_signed())
        .bind(now.saturating_add(limits::LOGIN_MS).cast_signed())
        .execute(self.db.writer())
        .await
        .map_err(|error| self.db.error(error))?;
        Ok(())
    }

    /// Ends a sign-in or takes a token back. Whether there was one.
    pub(crate) async fn end(&self, id: &str) -> Result<bool, DbError> {
        let ended = sqlx::query("DELETE FROM server_logins WHERE id = ?").bind(id);
        let ended = ended.execute(self.db.writer()).await.map_err(|error| self.db.error(error))?;
        Ok(ended.rows_affected() > 0)
    }

    /// All that let in at `now`, the last used first.
    pub(crate) async fn all(&self, now: u64) -> Result<Vec<LoginInfo>, DbError> {
        let rows: Vec<LoginRow> = sqlx::query_as(
            "SELECT id, kind, name, created_at, seen_at FROM server_logins \
             WHERE expires_at IS NULL OR expires_at > ?1 ORDER BY seen_at DESC, id DESC LIMIT ?2",
        )
        .bind(now.cast_signed())
        .bind(i64::try_from(limits::LOGINS_MAX + limits::TOKENS_MAX).unwrap_or(i64::MAX))
        .fetch_all(self.db.reader())
        .await
        .map_err(|error| self.db.error(error))?;
        Ok(rows.into_iter().map(LoginInfo::from).collect())
    }

    /// What differs after any change that ends somebody's stay.
    pub(crate) async fn mark(&self) -> Result<Mark, DbError> {
        sqlx::query_as(
            "SELECT (SELECT hash FROM server_password) AS hash, count(*) AS count, max(created_at) AS newest \
             FROM server_logins",
        )
        .fetch_one(self.db.reader())
        .await
        .map_err(|error| self.db.error(error))
    }
}

fn end_browsers() -> sqlx::query::Query<'static, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
    sqlx::query("DELETE FROM server_logins WHERE kind = 'browser'")
}

impl From<LoginRow> for LoginInfo {
    fn from(row: LoginRow) -> Self {
        Self {
            id: row.id,
            kind: kind_of(&row.kind),
            name: row.name,
            created_at: row.created_at.cast_unsigned(),
            seen_at: row.seen_at.cast_unsigned(),
            is_this: false,
        }
    }
}

/// The table allows no third.
fn kind_of(text: &str) -> LoginKind {
    if text == "program" { LoginKind::Program } else { LoginKind::Browser }
}

#[cfg(test)]
mod tests;
