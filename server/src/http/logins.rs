//! Sign-ins and tokens, as their owner looks after them.

use crate::auth::SignedIn;
use crate::error::AppError;
use crate::state::AppState;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use protocol::{ErrorCode, LoginList};

/// Who may be here: browsers and programs
///
/// Only a person who is signed in may ask; 409 where no password is set.
#[utoipa::path(get, path = "/logins", responses((status = 200, body = LoginList)))]
pub(crate) async fn list(
    State(state): State<AppState>,
    SignedIn(known): SignedIn,
) -> Result<axum::Json<LoginList>, AppError> {
    let mut logins = state.auth.all().await?;
    for login in &mut logins {
        login.is_this = login.id == known.id;
    }
    Ok(axum::Json(LoginList { logins }))
}

/// End a sign-in, or take a token back; its sockets close
#[utoipa::path(delete, path = "/logins/{login}", responses((status = 204)))]
pub(crate) async fn end(
    State(state): State<AppState>,
    SignedIn(_known): SignedIn,
    Path(login): Path<String>,
) -> Result<StatusCode, AppError> {
    if state.auth.end(&login).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(AppError::new(ErrorCode::NotFound, "there is no such sign-in; it may have ended meanwhile"))
    }
}
