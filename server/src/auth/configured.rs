//! What the configuration says about who may be here, before a server listens: its password is taken over into the store,
//! so that there is one truth, and an address that others can reach is refused without one.

use crate::auth::Exposure;
use crate::auth::password::Password;
use crate::auth::store::Logins;
use db::{Clock, DbError};
use std::net::SocketAddr;

/// Why a server must not listen.
#[derive(Debug, thiserror::Error)]
pub enum Unprotected {
    /// Other machines could reach the address, and nothing would keep them out.
    #[error(
        "refusing to listen at {0}, which other machines can reach, because no password protects this server; \
         set one with `bough password` (in a container with BOUGH_PASSWORD_FILE), or listen at 127.0.0.1 only \
         (BOUGH_ADDR=127.0.0.1:{port})", port = .0.port()
    )]
    Exposed(SocketAddr),
    /// The store.
    #[error(transparent)]
    Data(#[from] DbError),
    /// The password cannot be hashed or compared.
    #[error("the password cannot be kept: {0}")]
    Password(#[from] argon2::password_hash::Error),
}

/// Makes the configured password the stored one. Where it is that already, who is signed in stays so.
///
/// # Errors
/// The store, or a system without random numbers.
pub(crate) async fn take_over(
    configured: Option<&Password>,
    logins: &Logins,
    clock: &dyn Clock,
) -> Result<(), Unprotected> {
    let Some(password) = configured else { return Ok(()) };
    let is_stored = match logins.password().await? {
        Some(hash) => password.is_of(&hash)?,
        None => false,
    };
    if !is_stored {
        logins.set_password(&password.hash()?, clock.now_ms()).await?;
    }
    Ok(())
}

/// Refuses an address that other machines can reach while there is no password.
///
/// # Errors
/// [`Unprotected::Exposed`], with both ways out.
pub(crate) async fn check(address: SocketAddr, logins: &Logins) -> Result<(), Unprotected> {
    if logins.password().await?.is_some() { Ok(()) } else { refusal(address).map_or(Ok(()), Err) }
}

/// Why nobody may listen at an address without a password, if so.
pub(crate) fn refusal(address: SocketAddr) -> Option<Unprotected> {
    match Exposure::of(address) {
        Exposure::Network => Some(Unprotected::Exposed(address)),
        Exposure::Loopback => None,
    }
}
