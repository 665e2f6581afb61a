//! How a turn went, for the agent's own code.

use protocol::{Message, RequestId, SessionId, TurnStatus, Usage};
use serde_json::Value;

/// How a turn went, for [`crate::Agent::on_chat_response`].
#[derive(Debug, Clone, PartialEq)]
pub struct ChatOutcome {
    /// The session.
    pub session_id: SessionId,
    /// The request.
    pub request_id: RequestId,
    /// What was stored; none if nothing had arrived.
    pub message: Option<Message>,
    /// Whether the turn went on with an earlier message.
    pub is_continuation: bool,
    /// The seed's three words for it.
    pub status: OutcomeStatus,
    /// The honest status.
    pub turn_status: TurnStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// As the provider reported.
    pub usage: Option<Usage>,
    /// The answer as a document, where [`RequestExtras::output`](super::RequestExtras::output) asked for one.
    pub output: Option<Value>,
}

/// The coarse status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeStatus {
    /// It ended by itself.
    Completed,
    /// It failed.
    Error,
    /// Somebody stopped it.
    Aborted,
}

impl OutcomeStatus {
    /// The coarse word for an honest status.
    pub fn of(status: TurnStatus) -> Self {
        match status {
            TurnStatus::Complete | TurnStatus::CutOff | TurnStatus::StepLimit | TurnStatus::Running => {
                Self::Completed
            }
            TurnStatus::Failed | TurnStatus::Refused => Self::Error,
            TurnStatus::Stopped | TurnStatus::Interrupted => Self::Aborted,
        }
    }
}
