//! The one shape of every failed request: `application/problem+json` (RFC 9457) with a stable `code`.
//!
//! Handlers return [`AppError`]; causes that are ours are logged here, once, and reach the client as one sentence.

use crate::instances::InstanceError;
use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::{ErrorCode, MessageId, SessionId, WireError, limits};
use serde::Serialize;
use serde_json::{Map, Value, json};
use session::{ContextError, SessionError};
use think::ThinkError;

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    status: StatusCode,
    error: WireError,
    /// Further members of the body: numbers, or what is there instead.
    more: Map<String, Value>,
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
    #[serde(flatten)]
    more: &'a Map<String, Value>,
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
        Self::new(ErrorCode::NotFound, "there is nothing at this address")
    }

    /// The address exists, but not for this method.
    pub fn wrong_method() -> Self {
        Self::new(ErrorCode::UnknownMethod, "this address does not know that method")
            .with_status(StatusCode::METHOD_NOT_ALLOWED)
    }

    /// The body of a request is larger than the limit of this name.
    pub(crate) fn body_too_large(limit: usize, name: &str) -> Self {
        let text = format!("a request has at most {limit} bytes ({name})");
        Self::new(ErrorCode::TooLarge, text)
            .with_status(StatusCode::PAYLOAD_TOO_LARGE)
            .with(json!({ "max": limit }))
    }

    /// A request asks for more drawings than one may.
    pub(crate) fn too_many_pieces(pieces: usize) -> Self {
        let max = limits::RENDER_PIECES_MAX;
        let text =
            format!("a request asks for at most {max} pieces, this one for {pieces} (RENDER_PIECES_MAX)");
        Self::new(ErrorCode::TooLarge, text).with(json!({ "pieces": pieces, "max": max }))
    }

    /// With further members in the body.
    #[must_use]
    fn with(mut self, more: Value) -> Self {
        if let Value::Object(more) = more {
            self.more.extend(more);
        }
        self
    }

    /// The status it is answered with.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<WireError> for AppError {
    fn from(error: WireError) -> Self {
        Self { status: status_of(error.code), error, more: Map::new() }
    }
}

impl From<ThinkError> for AppError {
    fn from(error: ThinkError) -> Self {
        let more = if let ThinkError::Context(error) = &error {
            numbers_of_block(error)
        } else if let ThinkError::Session(error) = &error {
            numbers_of(error)
        } else {
            Value::Null
        };
        let failure = Self::from(WireError::from(&error)).with(more);
        // Nothing is wrong with the server: it is the session that is in the middle of something.
        if matches!(error, ThinkError::Busy) { failure.with_status(StatusCode::CONFLICT) } else { failure }
    }
}

impl From<SessionError> for AppError {
    fn from(error: SessionError) -> Self {
        ThinkError::from(error).into()
    }
}

impl From<ContextError> for AppError {
    fn from(error: ContextError) -> Self {
        ThinkError::from(error).into()
    }
}

/// What was asked for and what may be, where it is a question of size; the block as it is now, where it is one of
/// versions.
fn numbers_of_block(error: &ContextError) -> Value {
    if let ContextError::Full { tokens, max_tokens, .. } = error {
        json!({ "tokens": tokens, "max_tokens": max_tokens })
    } else if let ContextError::TooLarge { bytes, max, .. } = error {
        json!({ "bytes": bytes, "max": max })
    } else if let ContextError::Conflict { current, .. } = error {
        json!({ "current": current })
    } else if let ContextError::Session(error) = error {
        numbers_of(error)
    } else {
        Value::Null
    }
}

fn numbers_of(error: &SessionError) -> Value {
    if let SessionError::NameTooLong { chars, max } = error {
        json!({ "chars": chars, "max": max })
    } else if let SessionError::TooLarge { bytes, max } = error {
        json!({ "bytes": bytes, "max": max })
    } else if let SessionError::TooManyParts { parts, max } = error {
        json!({ "parts": parts, "max": max })
    } else if let SessionError::TooDeep { levels, max } = error {
        json!({ "levels": levels, "max": max })
    } else {
        Value::Null
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

/// The session has no such message, on whatever branch.
pub(crate) fn unknown_message(id: &MessageId) -> WireError {
    WireError::new(
        ErrorCode::UnknownMessage,
        format!("there is no message {:?} in this session", id.as_str()),
    )
}

/// The session has no such block.
pub(crate) fn unknown_block(label: &str) -> WireError {
    WireError::new(ErrorCode::UnknownBlock, format!("there is no block {label:?} in this session"))
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let Self { status, error, more } = self;
        if status.is_server_error() {
            tracing::error!(error.code = ?error.code, status = status.as_u16(), "a request failed: {error}");
        }
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &error.message,
            code: error.code,
            more: &more,
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
        ErrorCode::TooLarge => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::UnknownSession
        | ErrorCode::UnknownMessage
        | ErrorCode::UnknownBlock
        | ErrorCode::UnknownSubmission
        | ErrorCode::UnknownAgent
        | ErrorCode::UnknownModel
        | ErrorCode::NotFound
        | ErrorCode::UnknownMethod => StatusCode::NOT_FOUND,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::Conflict => StatusCode::CONFLICT,
        ErrorCode::Busy | ErrorCode::Storage | ErrorCode::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Provider => StatusCode::BAD_GATEWAY,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
