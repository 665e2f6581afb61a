//! The JSON API: extractors that parse a request once, and a module of handlers for each kind of thing.

pub(crate) mod health;
pub(crate) mod messages;
pub(crate) mod sessions;

use crate::error::AppError;
use crate::state::AppState;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use protocol::{ErrorCode, SessionId};
use serde::Deserialize;
use think::Engine;

/// The agent instance that the address names, opened if it was not open.
pub(crate) struct Agent(pub(crate) Engine);

/// One session of the agent instance that the address names. Whether it exists is not known yet.
pub(crate) struct AtSession {
    /// The instance.
    pub(crate) engine: Engine,
    /// The session.
    pub(crate) id: SessionId,
}

/// The query of a request.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(AppError))]
pub(crate) struct Query<T>(pub(crate) T);

/// The body of a request.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(AppError))]
pub(crate) struct Json<T>(pub(crate) T);

#[derive(Deserialize)]
struct AgentPath {
    agent: String,
    name: String,
}

#[derive(Deserialize)]
struct SessionPath {
    id: String,
}

impl FromRequestParts<AppState> for Agent {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let Path(path) = Path::<AgentPath>::from_request_parts(parts, state).await?;
        Ok(Self(state.instances.engine(&path.agent, &path.name).await?))
    }
}

impl FromRequestParts<AppState> for AtSession {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let Path(path) = Path::<SessionPath>::from_request_parts(parts, state).await?;
        let Agent(engine) = Agent::from_request_parts(parts, state).await?;
        Ok(Self { engine, id: app::routes::session_of(&path.id) })
    }
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

impl From<JsonRejection> for AppError {
    fn from(rejection: JsonRejection) -> Self {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::TooLarge,
            _ => ErrorCode::BadRequest,
        };
        Self::new(code, rejection.body_text()).with_status(rejection.status())
    }
}
