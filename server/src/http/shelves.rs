//! Where a session stands: in the list, at its top, put aside, in the trash, gone.

use super::AtSession;
use crate::error::{AppError, unknown_session};
use axum::Json;
use axum::http::StatusCode;
use protocol::{ErrorCode, SessionInfo};

/// Take a session out of the trash
#[utoipa::path(post, path = "/sessions/{id}/restore", responses((status = 200, body = SessionInfo)))]
pub(crate) async fn restore(at: AtSession) -> Result<Json<SessionInfo>, AppError> {
    at.found(at.engine.restore_session(&at.id).await?)
}

/// Keep a session at the top of the list
#[utoipa::path(post, path = "/sessions/{id}/pin", responses((status = 200, body = SessionInfo)))]
pub(crate) async fn pin(at: AtSession) -> Result<Json<SessionInfo>, AppError> {
    at.found(at.engine.pin_session(&at.id).await?)
}

/// Let a session go from the top of the list
#[utoipa::path(post, path = "/sessions/{id}/unpin", responses((status = 200, body = SessionInfo)))]
pub(crate) async fn unpin(at: AtSession) -> Result<Json<SessionInfo>, AppError> {
    at.found(at.engine.unpin_session(&at.id).await?)
}

/// Put a session aside
#[utoipa::path(post, path = "/sessions/{id}/archive", responses((status = 200, body = SessionInfo)))]
pub(crate) async fn archive(at: AtSession) -> Result<Json<SessionInfo>, AppError> {
    at.found(at.engine.archive_session(&at.id).await?)
}

/// Take a session back that was put aside
#[utoipa::path(post, path = "/sessions/{id}/unarchive", responses((status = 200, body = SessionInfo)))]
pub(crate) async fn unarchive(at: AtSession) -> Result<Json<SessionInfo>, AppError> {
    at.found(at.engine.unarchive_session(&at.id).await?)
}

/// Remove a session for good
///
/// Only from the trash, so that nothing is lost by one request.
#[utoipa::path(post, path = "/sessions/{id}/purge", responses((status = 204)))]
pub(crate) async fn purge(at: AtSession) -> Result<StatusCode, AppError> {
    if at.engine.get_session(&at.id).await?.is_some() {
        return Err(AppError::new(ErrorCode::Conflict, "only what is in the trash can be removed for good"));
    }
    if at.engine.purge_session(&at.id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown_session(&at.id).into())
    }
}
