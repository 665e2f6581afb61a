//! What can go wrong inside the engine, with the sources kept; the wire has its own list.

use db::DbError;
use protocol::{ErrorCode, SessionId, WireError};
use session::SessionError;

/// A failure of the engine.
#[derive(Debug, thiserror::Error)]
pub enum ThinkError {
    /// The conversation could not be read or written.
    #[error("the conversation could not be read or written: {0}")]
    Session(#[from] SessionError),
    /// The engine's own tables could not be read or written.
    #[error("the engine's tables could not be read or written: {0}")]
    Store(#[from] sqlx::Error),
    /// The file could not be used.
    #[error(transparent)]
    Database(#[from] DbError),
    /// A stored setting cannot be read.
    #[error("the stored setting {key:?} cannot be read: {source}")]
    Setting {
        /// Its key.
        key: String,
        /// Why.
        source: serde_json::Error,
    },
    /// No such session, or it is in the trash.
    #[error("there is no session {0:?}")]
    UnknownSession(SessionId),
    /// The engine is stopping.
    #[error("the engine is stopping")]
    Stopping,
}

impl From<&ThinkError> for WireError {
    fn from(error: &ThinkError) -> Self {
        let code = match error {
            ThinkError::Session(error) => code_of(error),
            ThinkError::Store(_) | ThinkError::Database(_) | ThinkError::Setting { .. } => ErrorCode::Storage,
            ThinkError::UnknownSession(_) => ErrorCode::UnknownSession,
            ThinkError::Stopping => ErrorCode::ShuttingDown,
        };
        Self::new(code, error.to_string())
    }
}

fn code_of(error: &SessionError) -> ErrorCode {
    match error {
        SessionError::Db(_) | SessionError::Broken(_) => ErrorCode::Storage,
        SessionError::UnknownSession(_) => ErrorCode::UnknownSession,
        SessionError::UnknownMessage { .. } | SessionError::UnknownParent { .. } => ErrorCode::UnknownMessage,
        SessionError::Conflict(_) | SessionError::Pinned(_) => ErrorCode::Conflict,
        SessionError::NameTooLong { .. }
        | SessionError::TooLarge { .. }
        | SessionError::TooManyParts { .. } => ErrorCode::TooLarge,
        SessionError::OwnParent(_)
        | SessionError::Overlay(_)
        | SessionError::InvalidId { .. }
        | SessionError::NotOnePath { .. }
        | SessionError::TooDeep { .. }
        | SessionError::Unwritable { .. }
        | SessionError::BadCursor(_) => ErrorCode::BadRequest,
    }
}
