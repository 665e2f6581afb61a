//! Turns that are handed in and run one after the other, whatever happens to the server meanwhile.
//!
//! A submission is written down first. When its slot comes and its session is quiet it goes the way of every request;
//! how its turn ended is heard like a tab hears it. What a restart finds half done is told by the conversation itself:
//! which of its messages are there, and what became of the answer.

mod drain;
mod mend;
mod store;

pub(crate) use drain::drain;
pub(crate) use mend::{follow, mend};
pub(crate) use store::Submissions;

use protocol::{Message, SessionId};
use serde_json::Value;

/// Something to hand in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewSubmission {
    /// The id; absent makes one.
    pub id: Option<String>,
    /// Handing in the same key again changes nothing.
    pub idempotency_key: Option<String>,
    /// The session.
    pub session: SessionId,
    /// What is said, at least one message; the model answers the last one.
    pub messages: Vec<Message>,
    /// The caller's own; shown again.
    pub metadata: Option<Value>,
}
