//! The one shape of every failed request: `application/problem+json` (RFC 9457) with a stable `code`.
//!
//! Handlers return [`AppError`]; causes that are ours are logged here, once, and reach the client as one sentence.

use crate::instances::InstanceError;
use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::{ErrorCode, SessionId, WireError};
use serde::Serialize;
use think::ThinkError;

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    status: StatusCode,
    error: WireError,
}

/// The body of a failed request.
#[derive(Debug, Serialize)]
struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: ErrorCode,
}

impl AppError {
    /// A failure with the status its code stands for.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        WireError::new(code, message).into()
    }

    /// The same failure under another status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Nothing has this address.
    pub fn no_such_page() -> Self {
        Self::new(ErrorCode::BadRequest, "there is nothing at this address")
            .with_status(StatusCode::NOT_FOUND)
    }

    /// The address exists, but not for this method.
    pub fn wrong_method() -> Self {
        Self::new(ErrorCode::UnknownMethod, "this address does not know that method")
            .with_status(StatusCode::METHOD_NOT_ALLOWED)
    }

    /// The status it is answered with.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<WireError> for AppError {
    fn from(error: WireError) -> Self {
        Self { status: status_of(error.code), error }
    }
}

impl From<ThinkError> for AppError {
    fn from(error: ThinkError) -> Self {
        WireError::from(&error).into()
    }
}

impl From<InstanceError> for AppError {
    fn from(error: InstanceError) -> Self {
        WireError::from(&error).into()
    }
}

/// There is no such session, or it is in the trash.
pub(crate) fn unknown_session(id: &SessionId) -> WireError {
    WireError::new(ErrorCode::UnknownSession, format!("there is no session {:?}", id.as_str()))
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let Self { status, error } = self;
        if status.is_server_error() {
            tracing::error!(error.code = ?error.code, status = status.as_u16(), "a request failed: {error}");
        }
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &error.message,
            code: error.code,
        };
        let mut response = (status, Json(&problem)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        let _json = response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::BadFrame | ErrorCode::UnknownFrame | ErrorCode::BadRequest => StatusCode::BAD_REQUEST,
        ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnknownSession
        | ErrorCode::UnknownMessage
        | ErrorCode::UnknownBlock
        | ErrorCode::UnknownAgent
        | ErrorCode::UnknownModel
        | ErrorCode::UnknownMethod => StatusCode::NOT_FOUND,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::Conflict => StatusCode::CONFLICT,
        ErrorCode::Busy | ErrorCode::Storage | ErrorCode::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Provider => StatusCode::BAD_GATEWAY,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
