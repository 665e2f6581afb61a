//! Who are you, may you: one password for the whole server, sign-ins of browsers, tokens of programs.
//!
//! Every request passes [`door::check`], which lets nobody in who is not known, but for the few addresses of
//! [`room::Room::Open`]. What it finds out goes with the request as a [`Caller`], so that a handler cannot do what its
//! caller may not. Nothing here is asked by its text twice: a token is found by its SHA-256, a password by its Argon2id
//! hash. Without a password everybody on this machine is let in, and nobody from anywhere else.

pub mod configured;
pub mod cookie;
pub(crate) mod device;
pub(crate) mod door;
pub mod guesses;
pub(crate) mod page;
pub mod password;
pub(crate) mod peer;
pub mod room;
pub mod store;
pub mod token;

use crate::auth::cookie::CookieName;
use crate::auth::guesses::Guesses;
use crate::auth::store::{Logins, Mark, Standing};
use crate::auth::token::Digest;
use crate::error::AppError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use db::{Clock, DbError, IdSource};
use protocol::{ErrorCode, LoginInfo, limits};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, watch};

#[cfg(test)]
mod tests;

/// Who asks. It is made by the door only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caller {
    /// There is no password, so that this is whoever uses this machine.
    Anybody,
    /// A person, signed in with this sign-in.
    Person(Known),
    /// A program, with this token.
    Program(Known),
}

/// What the caller is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Of the sign-in or token.
    pub(crate) id: String,
    /// What finds it again.
    digest: Digest,
    /// When it was last renewed.
    seen_at: u64,
}

/// A person who is signed in: who may look after the sign-ins.
pub(crate) struct SignedIn(pub(crate) Known);

/// Who can reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// This machine only.
    Loopback,
    /// Others too.
    Network,
}

/// All that decides who may be here. Shared by all requests.
#[derive(Debug)]
pub(crate) struct Auth {
    pub(crate) logins: Logins,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    exposure: Exposure,
    /// What comes before every address.
    pub(crate) base: String,
    cookie: CookieName,
    guesses: Mutex<Guesses>,
    /// Places for passwords that are compared.
    checks: Arc<Semaphore>,
    /// Places for those and for the ones that wait for them.
    waiting: Arc<Semaphore>,
    /// Told when somebody may be here no longer.
    changes: watch::Sender<()>,
}

impl Auth {
    /// For a server at `address`, below `base`.
    pub(crate) fn new(
        logins: Logins,
        (clock, ids): (Arc<dyn Clock>, Arc<dyn IdSource>),
        (address, base): (SocketAddr, &str),
    ) -> Self {
        let checks = limits::PASSWORD_CHECKS_MAX;
        Self {
            logins,
            clock,
            ids,
            exposure: Exposure::of(address),
            base: base.to_owned(),
            cookie: CookieName::new(address.port(), base),
            guesses: Mutex::new(Guesses::default()),
            checks: Arc::new(Semaphore::new(checks)),
            waiting: Arc::new(Semaphore::new(checks + limits::PASSWORD_CHECKS_WAITING_MAX)),
            changes: watch::Sender::new(()),
        }
    }

    /// Whether there is a password, so that a page can offer to sign out.
    pub(crate) fn is_needed(caller: &Caller) -> bool {
        match caller {
            Caller::Anybody => false,
            Caller::Person(_) | Caller::Program(_) => true,
        }
    }

    /// Somebody may be here no longer: open sockets look whether it is theirs.
    pub(crate) fn tell(&self) {
        let _nobody_listens = self.changes.send(());
    }

    /// Waits until the caller may no longer be here: signed out, revoked, too old, or a password was set meanwhile.
    pub(crate) async fn ended(&self, caller: &Caller) {
        let mut changes = self.changes.subscribe();
        loop {
            let until = match self.last_of(caller).await {
                Ok(Some(until)) => until,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!("who is signed in cannot be read: {error}");
                    u64::MAX
                }
            };
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = self.clock.reached(until) => {}
            }
        }
    }

    /// Until when the caller may be here; none if no longer.
    async fn last_of(&self, caller: &Caller) -> Result<Option<u64>, DbError> {
        let now = self.clock.now_ms();
        let (Caller::Person(known) | Caller::Program(known)) = caller else {
            let standing = self.logins.standing(None, now).await?;
            return Ok((!standing.has_password).then_some(u64::MAX));
        };
        let Standing { login, .. } = self.logins.standing(Some(&known.digest), now).await?;
        Ok(login.map(|login| login.expires_at.unwrap_or(u64::MAX)))
    }

    /// All sign-ins and tokens, the last used first.
    pub(crate) async fn all(&self) -> Result<Vec<LoginInfo>, AppError> {
        self.logins.all(self.clock.now_ms()).await.map_err(|error| door::unreadable(&error))
    }

    /// Ends a sign-in or takes a token back. Whether there was one.
    pub(crate) async fn end(&self, id: &str) -> Result<bool, AppError> {
        let was_there = self.logins.end(id).await.map_err(|error| door::unreadable(&error))?;
        self.tell();
        Ok(was_there)
    }

    /// Notices what the command line changed beside this server; never returns.
    pub(crate) async fn look_after(&self) {
        let mut before = None;
        loop {
            before = self.look(before).await;
            self.clock.reached(self.clock.now_ms().saturating_add(limits::LOGIN_LOOK_MS)).await;
        }
    }

    /// One look, which tells where something is not as it was before.
    async fn look(&self, before: Option<Mark>) -> Option<Mark> {
        let told = |error: &DbError| tracing::warn!("who is signed in cannot be read: {error}");
        let Ok(mark) = self.logins.mark().await.inspect_err(told) else { return before };
        if before.is_some_and(|before| before != mark) {
            self.tell();
        }
        Some(mark)
    }
}

impl Exposure {
    /// Of a server at this address.
    pub(crate) fn of(address: SocketAddr) -> Self {
        if address.ip().to_canonical().is_loopback() { Self::Loopback } else { Self::Network }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SignedIn {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, AppError> {
        match parts.extensions.get::<Caller>() {
            Some(Caller::Person(known)) => Ok(Self(known.clone())),
            Some(Caller::Program(_)) => {
                Err(AppError::new(ErrorCode::Forbidden, "only a person who is signed in may do this"))
            }
            Some(Caller::Anybody) | None => {
                Err(AppError::new(ErrorCode::Conflict, "there is no password here, so nobody is signed in"))
            }
        }
    }
}
