//! The messages of a session's active path: a window for pages, the whole for other clients.

use super::{Agent, AtSession, Query};
use crate::error::{AppError, unknown_session};
use protocol::{Message, MessageId, SessionId, Transcript, limits};
use serde::Deserialize;

/// Messages in one window, unless the client asks for more or fewer.
pub(crate) const WINDOW_DEFAULT: usize = 60;

/// Which window.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WindowQuery {
    before: Option<MessageId>,
    limit: Option<usize>,
}

/// Which session; absent means the default one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WholeQuery {
    session: SessionId,
}

/// The last messages, or those before a given one.
pub(crate) async fn window(
    at: AtSession,
    Query(query): Query<WindowQuery>,
) -> Result<axum::Json<Transcript>, AppError> {
    let limit = query.limit.unwrap_or(WINDOW_DEFAULT).clamp(1, limits::MESSAGE_PAGE_MAX);
    let transcript = at.engine.transcript(&at.id, query.before.as_ref(), limit).await?;
    Ok(axum::Json(transcript.ok_or_else(|| unknown_session(&at.id))?))
}

/// The whole path, as existing clients of the socket's protocol fetch it.
pub(crate) async fn whole(
    Agent(engine): Agent,
    Query(query): Query<WholeQuery>,
) -> Result<axum::Json<Vec<Message>>, AppError> {
    let messages = engine.messages(&query.session).await?;
    Ok(axum::Json(messages.ok_or_else(|| unknown_session(&query.session))?))
}
