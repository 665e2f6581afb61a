//! What can go wrong in a call. The class decides what happens next; the text is for people.

use std::time::Duration;

/// What kind of failure it is; retrying depends on this and on nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The provider cannot be reached, or closed the connection in the middle.
    Connection,
    /// Nothing came for too long.
    Timeout,
    /// Too many requests; see [`ModelError::retry_after`].
    RateLimited,
    /// The provider is overloaded or broken (5xx).
    Unavailable,
    /// Key missing, wrong or without permission.
    Auth,
    /// No such model.
    UnknownModel,
    /// The prompt is longer than the model's window.
    ContextOverflow,
    /// The provider refused on grounds of content.
    Refused,
    /// The provider says that the request is wrong.
    BadRequest,
    /// The provider's answer breaks its own protocol.
    Protocol,
}

impl ErrorClass {
    /// Whether the same call may work a little later.
    pub fn is_transient(self) -> bool {
        match self {
            Self::Connection | Self::Timeout | Self::RateLimited | Self::Unavailable => true,
            Self::Auth
            | Self::UnknownModel
            | Self::ContextOverflow
            | Self::Refused
            | Self::BadRequest
            | Self::Protocol => false,
        }
    }
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// For people: one or two sentences, never with keys, never with the request.
    pub message: String,
    /// When the provider said to try again.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// An error without a time to wait.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retry_after: None }
    }
}
