//! What can be wrong with what a client sent, as a closed list with texts for people.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The stable name of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The text is not JSON, or not an object with a `type`.
    BadFrame,
    /// A frame type that no client may send.
    UnknownFrame,
    /// A known frame whose fields are wrong.
    BadRequest,
    /// Larger than the named limit.
    TooLarge,
    /// No such session.
    UnknownSession,
    /// No such message.
    UnknownMessage,
    /// No such context block, or no such version of it.
    UnknownBlock,
    /// No such submission.
    UnknownSubmission,
    /// No such agent.
    UnknownAgent,
    /// No such model, or no provider for it.
    UnknownModel,
    /// Nothing has this address.
    NotFound,
    /// No such method.
    UnknownMethod,
    /// Nobody who is known asks: sign in, or send a token.
    Unauthorized,
    /// The address or origin is not allowed here.
    Forbidden,
    /// Something was changed by somebody else meanwhile.
    Conflict,
    /// Too much waits already; try again.
    Busy,
    /// The store cannot be read or written.
    Storage,
    /// The model's provider failed.
    Provider,
    /// The server is stopping.
    ShuttingDown,
    /// A defect of ours.
    Internal,
}

/// An error as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WireError {
    /// Its stable name.
    pub code: ErrorCode,
    /// A sentence for people: what is wrong and, where there is one, the limit.
    pub message: String,
    /// Whether the same request may work later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
}

impl WireError {
    /// An error that will stay one.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let retry = matches!(code, ErrorCode::Busy | ErrorCode::Storage | ErrorCode::ShuttingDown);
        Self { code, message: message.into(), retry }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {}
