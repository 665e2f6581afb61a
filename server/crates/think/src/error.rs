//! What can go wrong inside the engine, with the sources kept; the wire has its own list.

use db::DbError;
use model::ModelError;
use protocol::{ErrorCode, SessionId, ToolCallId, WireError, limits};
use session::{CompactionError, ContextError, ImportError, SessionError};

/// A failure of the engine.
#[derive(Debug, thiserror::Error)]
pub enum ThinkError {
    /// The conversation could not be read or written, or not as asked.
    #[error("{}", in_words(.0))]
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
    #[error("there is no session \"{0}\"")]
    UnknownSession(SessionId),
    /// A context block could not be read or written as asked.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The conversation could not be compacted.
    #[error("the conversation could not be compacted: {0}")]
    Compaction(#[source] CompactionError),
    /// A file of conversations could not be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// No such model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An answer cannot be removed while it is being written.
    #[error("this answer is being written; stop it first")]
    BeingWritten,
    /// Answers are on their way, so nobody moves to another branch.
    #[error("an answer is being written in this conversation; wait for its end, or stop it first")]
    Busy,
    /// A version of a message without content.
    #[error("a version of a message needs at least one part")]
    EmptyVersion,
    /// A version of a message with a call that the message does not hold like this.
    #[error(
        "the call {0} is not in the message like this; a new version can only keep calls or leave them out"
    )]
    InventedCall(ToolCallId),
    /// Something that cannot be used as it was given: a person's version of a call's arguments, say.
    #[error("{0}")]
    UnfitInput(String),
    /// Too many turns wait.
    #[error("{limit} turns wait already (TURN_QUEUE_MAX)", limit = limits::TURN_QUEUE_MAX)]
    QueueFull,
    /// Whoever asks stands inside a turn of this session, which would wait for itself.
    #[error("a turn of session \"{0}\" cannot wait for another one of the same session")]
    InsideTurn(SessionId),
    /// Whoever asks stands inside too many turns.
    #[error("turns stand {limit} deep in each other already (AGENT_DEPTH_MAX)", limit = limits::AGENT_DEPTH_MAX)]
    TooDeep,
    /// An id and a key that name two different submissions.
    #[error("the id and the key of this submission belong to two different ones")]
    TwoSubmissions,
    /// Too many submissions wait.
    #[error("{} submissions wait already (SUBMISSIONS_PENDING_MAX)", limits::SUBMISSIONS_PENDING_MAX)]
    SubmissionsFull,
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
            ThinkError::Context(error) => code_of_context(error),
            ThinkError::Compaction(error) => code_of_compaction(error),
            ThinkError::Import(error) => code_of_import(error),
            ThinkError::BeingWritten => ErrorCode::Conflict,
            ThinkError::Busy | ThinkError::QueueFull | ThinkError::TooDeep | ThinkError::SubmissionsFull => {
                ErrorCode::Busy
            }
            ThinkError::InsideTurn(_) | ThinkError::TwoSubmissions => ErrorCode::Conflict,
            ThinkError::EmptyVersion | ThinkError::InventedCall(_) | ThinkError::UnfitInput(_) => {
                ErrorCode::BadRequest
            }
            ThinkError::Model(_) => ErrorCode::UnknownModel,
            ThinkError::Stopping => ErrorCode::ShuttingDown,
        };
        Self::new(code, error.to_string())
    }
}

/// A request that asks for what cannot be is no fault of the file, and its sentence does not say so.
fn in_words(error: &SessionError) -> String {
    if code_of(error) == ErrorCode::Storage {
        return format!("the conversation could not be read or written: {error}");
    }
    error.to_string()
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

fn code_of_context(error: &ContextError) -> ErrorCode {
    match error {
        ContextError::Session(error) => code_of(error),
        ContextError::UnknownBlock(_) | ContextError::UnknownVersion { .. } => ErrorCode::UnknownBlock,
        ContextError::Full { .. }
        | ContextError::TooLarge { .. }
        | ContextError::TooManyEntries(_)
        | ContextError::TooManyBlocks => ErrorCode::TooLarge,
        ContextError::Conflict { .. } | ContextError::Exists(_) => ErrorCode::Conflict,
        ContextError::Readonly(_)
        | ContextError::MadeOfEntries(_)
        | ContextError::NotMadeOfEntries(_)
        | ContextError::InvalidLabel(_)
        | ContextError::LongDescription(_)
        | ContextError::InvalidKey(_) => ErrorCode::BadRequest,
        ContextError::Broken { .. } | ContextError::Provider { .. } => ErrorCode::Storage,
    }
}

fn code_of_import(error: &ImportError) -> ErrorCode {
    match error {
        ImportError::Unknown(_)
        | ImportError::Newer { .. }
        | ImportError::Json(_)
        | ImportError::Archive(_)
        | ImportError::Read(_) => ErrorCode::BadRequest,
        ImportError::TooMany { .. } | ImportError::Entries { .. } | ImportError::Inflated { .. } => {
            ErrorCode::TooLarge
        }
        ImportError::Stopped => ErrorCode::ShuttingDown,
        ImportError::Session(error) => code_of(error),
    }
}

fn code_of_compaction(error: &CompactionError) -> ErrorCode {
    match error {
        CompactionError::NotSetUp => ErrorCode::BadRequest,
        CompactionError::Failed(_) => ErrorCode::Provider,
        CompactionError::Session(error) => code_of(error),
    }
}
