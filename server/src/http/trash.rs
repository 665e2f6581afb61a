//! The messages in the trash of a session: named, brought back, removed for good.

use super::{AtMessage, AtSession};
use crate::error::{AppError, unknown_message};
use axum::Json;
use axum::http::StatusCode;
use protocol::limits::MESSAGE_PAGE_DEFAULT;
use protocol::{MessageTrash, Transcript};

/// What was deleted of a session, the last deletion first
#[utoipa::path(get, path = "/sessions/{id}/trash", responses((status = 200, body = MessageTrash)))]
pub(crate) async fn list(at: AtSession) -> Result<Json<MessageTrash>, AppError> {
    at.found(at.engine.message_trash(&at.id).await?)
}

/// Bring a message back from the trash
///
/// With all that was deleted together with it: each where it was, or below the nearest message that is left.
#[utoipa::path(post, path = "/messages/{mid}/restore", responses((status = 200, body = Transcript)))]
pub(crate) async fn restore(AtMessage { at, message }: AtMessage) -> Result<Json<Transcript>, AppError> {
    if at.engine.restore_message(&at.id, &message).await?.is_none() {
        return Err(at.missing(unknown_message(&message)).await);
    }
    at.found(at.engine.transcript(&at.id, None, MESSAGE_PAGE_DEFAULT).await?)
}

/// Remove a message from the trash for good
///
/// With all that was deleted together with it.
#[utoipa::path(delete, path = "/sessions/{id}/trash/{mid}", responses((status = 204)))]
pub(crate) async fn purge(AtMessage { at, message }: AtMessage) -> Result<StatusCode, AppError> {
    match at.engine.purge_message(&at.id, &message).await? {
        Some(_count) => Ok(StatusCode::NO_CONTENT),
        None => Err(at.missing(unknown_message(&message)).await),
    }
}
