//! The sessions of an agent instance: list, make, read, rename, delete to the trash, take back.

use super::{Agent, AtSession, Json, Query};
use crate::error::{AppError, unknown_session};
use axum::http::StatusCode;
use protocol::{SessionId, SessionInfo, SessionPage, limits};
use serde::Deserialize;
use session::NewSession;

/// Sessions on one page, unless the client asks for more or fewer.
pub(crate) const PAGE_DEFAULT: usize = 100;

/// Which part of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    cursor: Option<String>,
    limit: Option<usize>,
}

/// A session to be.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NewBody {
    name: Option<String>,
    id: Option<SessionId>,
    model: Option<String>,
}

/// What may be changed.
#[derive(Debug, Deserialize)]
pub(crate) struct ChangeBody {
    name: String,
}

/// One page of the list, newest first.
pub(crate) async fn list(
    Agent(engine): Agent,
    Query(query): Query<ListQuery>,
) -> Result<axum::Json<SessionPage>, AppError> {
    let limit = query.limit.unwrap_or(PAGE_DEFAULT).clamp(1, limits::SESSION_PAGE_MAX);
    Ok(axum::Json(engine.list_sessions(query.cursor.as_deref(), limit).await?))
}

/// A new session.
pub(crate) async fn create(
    Agent(engine): Agent,
    Json(body): Json<NewBody>,
) -> Result<(StatusCode, axum::Json<SessionInfo>), AppError> {
    let session = NewSession {
        name: body.name.unwrap_or_default(),
        model: body.model,
        source: Some("api".to_owned()),
        id: body.id,
        parent_session_id: None,
    };
    Ok((StatusCode::CREATED, axum::Json(engine.create_session(session).await?)))
}

/// One session.
pub(crate) async fn read(at: AtSession) -> Result<axum::Json<SessionInfo>, AppError> {
    let session = at.engine.get_session(&at.id).await?;
    Ok(axum::Json(session.ok_or_else(|| unknown_session(&at.id))?))
}

/// Another name.
pub(crate) async fn rename(
    at: AtSession,
    Json(body): Json<ChangeBody>,
) -> Result<axum::Json<SessionInfo>, AppError> {
    let session = at.engine.rename_session(&at.id, &body.name).await?;
    Ok(axum::Json(session.ok_or_else(|| unknown_session(&at.id))?))
}

/// Into the trash.
pub(crate) async fn delete(at: AtSession) -> Result<StatusCode, AppError> {
    if at.engine.delete_session(&at.id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown_session(&at.id).into())
    }
}

/// Out of the trash.
pub(crate) async fn restore(at: AtSession) -> Result<axum::Json<SessionInfo>, AppError> {
    let session = at.engine.restore_session(&at.id).await?;
    Ok(axum::Json(session.ok_or_else(|| unknown_session(&at.id))?))
}
