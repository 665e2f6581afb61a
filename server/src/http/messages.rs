//! The messages of a session: a window for pages, the whole for other clients, and changes of single ones.

use super::{Agent, AtMessage, AtSession, Json as Body, Query};
use crate::error::{AppError, unknown_message, unknown_session};
use axum::Json;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use protocol::{Message, MessageId, Part, SessionId, Transcript, limits};
use serde::{Deserialize, Serialize};
use session::{History, Pin, Session};
use think::Reach;
use utoipa::{IntoParams, ToSchema};

/// Which window.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct WindowQuery {
    /// The messages before this one.
    #[param(value_type = Option<String>)]
    before: Option<MessageId>,
    /// The messages on both sides of this one; none where it is not on the active path.
    #[param(value_type = Option<String>)]
    around: Option<MessageId>,
    /// Most messages.
    limit: Option<usize>,
    /// The path to this message; absent means the active one.
    #[param(value_type = Option<String>)]
    leaf: Option<MessageId>,
    /// Every message itself, and no summaries.
    raw: bool,
}

/// Which session; absent means the default one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WholeQuery {
    session: SessionId,
}

/// How much to remove.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// With everything below it; otherwise what answered it answers the message before it.
    subtree: bool,
}

/// Another content.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditBody {
    /// All of it.
    #[schema(value_type = Vec<Object>)]
    parts: Vec<Part>,
}

/// The new version.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EditReply {
    /// Under an id of its own.
    message: Message,
}

/// The last messages of a path, or those before a given one
#[utoipa::path(get, path = "/sessions/{id}/messages", params(WindowQuery),
    responses((status = 200, body = Transcript)))]
pub(crate) async fn window(
    at: AtSession,
    Query(query): Query<WindowQuery>,
) -> Result<Json<Transcript>, AppError> {
    let limit = query.limit.unwrap_or(limits::MESSAGE_PAGE_DEFAULT).clamp(1, limits::MESSAGE_PAGE_MAX);
    if query.raw || query.leaf.is_some() {
        return other_path(&at, &query, limit).await;
    }
    if let Some(middle) = &query.around {
        return at.found(at.engine.transcript_around(&at.id, middle, limit).await?);
    }
    at.found(at.engine.transcript(&at.id, query.before.as_ref(), limit).await?)
}

/// A path that no page shows: it is read whole and cut here.
async fn other_path(at: &AtSession, query: &WindowQuery, limit: usize) -> Result<Json<Transcript>, AppError> {
    let session = at.engine.sessions().session(&at.id).await?;
    let session = session.ok_or_else(|| unknown_session(&at.id))?;
    if let Some(leaf) = &query.leaf
        && session.get(leaf).await?.is_none()
    {
        return Err(unknown_message(leaf).into());
    }
    let mut messages = path(&session, query).await?.messages;
    if let Some(before) = &query.before {
        let place = messages.iter().position(|message| message.id == *before);
        messages.truncate(place.ok_or_else(|| unknown_message(before))?);
    }
    let earlier = messages.len().saturating_sub(limit);
    let messages = messages.split_off(earlier);
    Ok(Json(Transcript { messages, earlier: earlier as u64, ..Transcript::default() }))
}

async fn path(session: &Session, query: &WindowQuery) -> Result<History, AppError> {
    let leaf = query.leaf.as_ref();
    Ok(if query.raw { session.raw_history(leaf).await? } else { session.history(leaf).await? })
}

/// The whole path, as existing clients of the socket's protocol fetch it.
pub(crate) async fn whole(
    Agent(engine): Agent,
    Query(query): Query<WholeQuery>,
) -> Result<impl IntoResponse, AppError> {
    let messages = engine.messages_text(&query.session).await?;
    let text = messages.ok_or_else(|| unknown_session(&query.session))?;
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

/// Store a new version of a message beside the old one, and look at it
///
/// No model is asked. The old version keeps everything below it.
#[utoipa::path(patch, path = "/messages/{mid}", request_body = EditBody,
    responses((status = 200, body = EditReply)))]
pub(crate) async fn edit(
    AtMessage { at, message }: AtMessage,
    Body(body): Body<EditBody>,
) -> Result<Json<EditReply>, AppError> {
    let message = at.engine.edit_message(&at.id, &message, body.parts).await?;
    Ok(Json(EditReply { message }))
}

/// Put a message into the trash, or all below it as well
///
/// `restore` brings it back.
#[utoipa::path(delete, path = "/messages/{mid}", params(DeleteQuery),
    responses((status = 200, body = Transcript)))]
pub(crate) async fn delete(
    AtMessage { at, message }: AtMessage,
    Query(query): Query<DeleteQuery>,
) -> Result<Json<Transcript>, AppError> {
    let reach = if query.subtree { Reach::Subtree } else { Reach::Message };
    if at.engine.delete_message(&at.id, &message, reach).await?.is_none() {
        return Err(at.missing(unknown_message(&message)).await);
    }
    at.found(at.engine.transcript(&at.id, None, limits::MESSAGE_PAGE_DEFAULT).await?)
}

/// Put away what a message waits for
///
/// Questions to a person count as refused and calls of the browser's tools as failed; no turn goes on because of it.
#[utoipa::path(post, path = "/messages/{mid}/dismiss", responses((status = 200, body = Message)))]
pub(crate) async fn dismiss(AtMessage { at, message }: AtMessage) -> Result<Json<Message>, AppError> {
    match at.engine.dismiss(&at.id, &message).await? {
        Some(message) => Ok(Json(message)),
        None => Err(at.missing(unknown_message(&message)).await),
    }
}

/// Keep a message out of summaries
#[utoipa::path(post, path = "/messages/{mid}/pin", responses((status = 204)))]
pub(crate) async fn pin(at: AtMessage) -> Result<StatusCode, AppError> {
    set_pinned(&at, Pin::Pinned).await
}

/// Let summaries stand for a message again
#[utoipa::path(post, path = "/messages/{mid}/unpin", responses((status = 204)))]
pub(crate) async fn unpin(at: AtMessage) -> Result<StatusCode, AppError> {
    set_pinned(&at, Pin::Loose).await
}

async fn set_pinned(AtMessage { at, message }: &AtMessage, pin: Pin) -> Result<StatusCode, AppError> {
    if at.engine.pin_message(&at.id, message, pin).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(at.missing(unknown_message(message)).await)
    }
}
