//! The JSON API: extractors that parse a request once, and a module of handlers for each kind of thing.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod blocks;
mod body;
pub(crate) mod branches;
pub(crate) mod compactions;
pub(crate) mod doctor;
pub(crate) mod exchange;
pub(crate) mod health;
pub(crate) mod logins;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod models;
pub(crate) mod openapi;
pub(crate) mod prompt;
pub(crate) mod render;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod shelves;
pub(crate) mod skills;
pub(crate) mod submissions;
pub(crate) mod trash;
pub(crate) mod versions;

pub(crate) use body::{Json, read_in_time};

use crate::error::{AppError, unknown_session};
use crate::instances::Lease;
use crate::state::AppState;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use protocol::{ErrorCode, MessageId, SessionId, WireError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// The agent instance that the address names, opened if it was not open.
pub(crate) struct Agent(pub(crate) Lease);

/// One session of the agent instance that the address names. Whether it exists is not known yet.
///
/// The session is the `{id}` of the path; where the path has none, the `session` of the query; else the default one.
pub(crate) struct AtSession {
    /// The instance.
    pub(crate) engine: Lease,
    /// The session.
    pub(crate) id: SessionId,
}

/// One message of such a session.
pub(crate) struct AtMessage {
    /// Its session.
    pub(crate) at: AtSession,
    /// The message.
    pub(crate) message: MessageId,
}

/// One context block of such a session.
pub(crate) struct AtBlock {
    /// The session whose blocks are meant.
    pub(crate) at: AtSession,
    /// The block.
    pub(crate) label: String,
}

/// The query of a request.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(AppError))]
pub(crate) struct Query<T>(pub(crate) T);

#[derive(Deserialize)]
struct AgentPath {
    agent: String,
    name: String,
}

#[derive(Deserialize)]
struct SessionPath {
    id: Option<String>,
}

#[derive(Deserialize)]
struct MessagePath {
    mid: MessageId,
}

#[derive(Deserialize)]
struct BlockPath {
    label: String,
}

#[derive(Deserialize)]
struct SessionQuery {
    session: Option<String>,
}

impl AtSession {
    /// What a request of this session was about is not there; or, if that is so, the session itself.
    pub(crate) async fn missing(&self, what: WireError) -> AppError {
        match self.exists().await {
            Ok(true) => what.into(),
            Ok(false) => unknown_session(&self.id).into(),
            Err(error) => error,
        }
    }

    /// The failure that this session does not exist, if it does not.
    pub(crate) async fn check(&self) -> Result<(), AppError> {
        if self.exists().await? { Ok(()) } else { Err(unknown_session(&self.id).into()) }
    }

    /// What the engine found in this session; none is no such session.
    pub(crate) fn found<T>(&self, found: Option<T>) -> Result<axum::Json<T>, AppError> {
        Ok(axum::Json(found.ok_or_else(|| unknown_session(&self.id))?))
    }

    async fn exists(&self) -> Result<bool, AppError> {
        Ok(self.id == SessionId::default() || self.engine.get_session(&self.id).await?.is_some())
    }
}

impl FromRequestParts<AppState> for Agent {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let path: AgentPath = path(parts, state).await?;
        Ok(Self(state.instances.engine(&path.agent, &path.name).await?))
    }
}

impl FromRequestParts<AppState> for AtSession {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let in_path: SessionPath = path(parts, state).await?;
        let in_query = Query::<SessionQuery>::from_request_parts(parts, state).await?;
        let Agent(engine) = Agent::from_request_parts(parts, state).await?;
        let id = in_path.id.or(in_query.0.session).unwrap_or_default();
        Ok(Self { engine, id: app::routes::session_of(&id) })
    }
}

impl FromRequestParts<AppState> for AtMessage {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let MessagePath { mid: message } = path(parts, state).await?;
        Ok(Self { at: AtSession::from_request_parts(parts, state).await?, message })
    }
}

impl FromRequestParts<AppState> for AtBlock {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let BlockPath { label } = path(parts, state).await?;
        Ok(Self { at: AtSession::from_request_parts(parts, state).await?, label })
    }
}

async fn path<T: DeserializeOwned + Send>(parts: &mut Parts, state: &AppState) -> Result<T, AppError> {
    let Path(path) = Path::<T>::from_request_parts(parts, state).await?;
    Ok(path)
}

/// Reads a field that may be absent or `null`, which are not the same.
pub(crate) fn given<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

impl From<PathRejection> for AppError {
    fn from(rejection: PathRejection) -> Self {
        Self::new(ErrorCode::BadRequest, rejection.body_text())
    }
}

impl From<QueryRejection> for AppError {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(ErrorCode::BadRequest, rejection.body_text())
    }
}
