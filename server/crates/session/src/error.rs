//! What can be wrong with a request to a conversation, and with its stored rows.

use db::DbError;
use protocol::{MessageId, SessionId};
use std::fmt;

/// Why something could not be done. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file.
    #[error(transparent)]
    Db(#[from] DbError),
    /// The session was never made, or is gone for good.
    #[error("there is no session \"{0}\"")]
    UnknownSession(SessionId),
    /// The session has no such message.
    #[error("session \"{session}\" has no message \"{id}\"")]
    UnknownMessage {
        /// The session.
        session: SessionId,
        /// The message asked for.
        id: MessageId,
    },
    /// The message that was to be answered is not in the session.
    #[error("session \"{session}\" has no message \"{parent}\" to continue from")]
    UnknownParent {
        /// The session.
        session: SessionId,
        /// The parent asked for.
        parent: MessageId,
    },
    /// A message cannot answer itself.
    #[error("message \"{0}\" cannot be its own parent")]
    OwnParent(MessageId),
    /// Ids of summaries name no stored message.
    #[error("\"{0}\" names a summary; no message can be stored under it or below it")]
    Overlay(MessageId),
    /// The ends of a summary's range must lie on one path, the first one first.
    #[error("no path leads from message \"{from}\" to \"{to}\"")]
    NotOnePath {
        /// Where the range should begin.
        from: MessageId,
        /// Where it should end.
        to: MessageId,
    },
    /// A pinned message is kept out of summaries.
    #[error("message \"{0}\" is pinned; no summary can stand for it")]
    Pinned(MessageId),
    /// The id of the new session is taken.
    #[error("a session \"{0}\" exists already")]
    Conflict(SessionId),
    /// An id that cannot stand in an address or a frame.
    #[error("{id:?} cannot be an id: {reason}")]
    InvalidId {
        /// As it came.
        id: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The name of a session is too long.
    #[error("a name has at most {max} characters; this one has {chars}")]
    NameTooLong {
        /// Its length.
        chars: usize,
        /// The limit.
        max: usize,
    },
    /// A message of a person is too large.
    #[error("a message has at most {max} bytes; this one has {bytes}")]
    TooLarge {
        /// Its size as compact JSON.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// A message of a person has too many parts.
    #[error("a message has at most {max} parts; this one has {parts}")]
    TooManyParts {
        /// How many it has.
        parts: usize,
        /// The limit.
        max: usize,
    },
    /// Data in a message of a person is nested so deeply that it could not be read again.
    #[error("data in a message is nested at most {max} levels deep; this goes {levels} deep")]
    TooDeep {
        /// How deep it goes.
        levels: usize,
        /// The limit.
        max: usize,
    },
    /// A message that cannot be written as JSON.
    #[error("message \"{id}\" cannot be written down: {reason}")]
    Unwritable {
        /// The message.
        id: MessageId,
        /// What is in the way.
        reason: String,
    },
    /// A page of the session list was asked for with a cursor that we never gave out.
    #[error("\"{0}\" is not a cursor of the session list")]
    BadCursor(String),
    /// A stored message does not parse.
    #[error(transparent)]
    Broken(BrokenRow),
}

/// A stored row that is not a message. It stays stored, its children keep it as their parent, and every list of
/// messages names it beside the messages it could read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRow {
    /// The session.
    pub session: SessionId,
    /// The row.
    pub id: MessageId,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for BrokenRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, id, reason } = self;
        write!(f, "the stored message {id:?} of session {session:?} cannot be read: {reason}")
    }
}

impl std::error::Error for BrokenRow {}
