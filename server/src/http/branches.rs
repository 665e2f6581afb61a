//! The tree of a session, and new sessions out of it.

use super::{AtSession, Json};
use crate::error::{AppError, unknown_session};
use axum::http::StatusCode;
use protocol::limits::MESSAGE_PAGE_DEFAULT;
use protocol::{MessageId, SessionInfo, SessionTree, Transcript};
use serde::Deserialize;
use utoipa::ToSchema;

/// Where to fork, and what to call it.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// The last message to carry over; absent means the end of the active path.
    at: Option<MessageId>,
    /// Absent means the name of the old session.
    name: Option<String>,
}

/// Which branch to look at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActiveBody {
    /// Any message of it.
    id: MessageId,
}

/// The whole tree of a session as an outline
#[utoipa::path(get, path = "/sessions/{id}/tree", responses((status = 200, body = SessionTree)))]
pub(crate) async fn tree(at: AtSession) -> Result<axum::Json<SessionTree>, AppError> {
    at.found(at.engine.tree(&at.id).await?)
}

/// Look at another branch
///
/// Below the message the leaf is chosen that was looked at last. Not while a turn runs.
#[utoipa::path(put, path = "/sessions/{id}/active", request_body = ActiveBody,
    responses((status = 200, body = Transcript)))]
pub(crate) async fn choose(
    at: AtSession,
    Json(body): Json<ActiveBody>,
) -> Result<axum::Json<Transcript>, AppError> {
    let _leaf = at.engine.set_active(&at.id, &body.id).await?;
    at.found(at.engine.transcript(&at.id, None, MESSAGE_PAGE_DEFAULT).await?)
}

/// Copy a path into a new session
///
/// Its blocks and pins are carried; a summary becomes a message like any other.
#[utoipa::path(post, path = "/sessions/{id}/fork", request_body = ForkBody,
    responses((status = 201, body = SessionInfo)))]
pub(crate) async fn fork(
    at: AtSession,
    Json(body): Json<ForkBody>,
) -> Result<(StatusCode, axum::Json<SessionInfo>), AppError> {
    let forked = at.engine.fork(&at.id, body.at.as_ref(), body.name.as_deref()).await?;
    Ok((StatusCode::CREATED, at.found(forked)?))
}

/// Put the whole conversation of a session into its trash
///
/// It is one deletion there: `GET /sessions/{id}/trash` names it first, and restoring that message undoes it. The
/// session's name, its counters and its blocks stay.
#[utoipa::path(post, path = "/sessions/{id}/clear", responses((status = 204)))]
pub(crate) async fn clear(at: AtSession) -> Result<StatusCode, AppError> {
    if at.engine.clear_session(&at.id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown_session(&at.id).into())
    }
}
