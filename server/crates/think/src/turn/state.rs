//! Where a turn stands, and what was fixed when it began.

use protocol::{MessageId, ToolSpec};

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Accepted; nothing has happened yet.
    Idle,
    /// The prompt is being put together.
    Preparing,
    /// The model is answering.
    Streaming,
    /// Tools of the last answer are running.
    RunningTools,
    /// It ended; every later input is stale and ignored.
    Finished,
}

/// What is fixed when a turn begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The id of the answer; the row was reserved when the turn was accepted.
    pub message_id: MessageId,
    /// `provider/model`.
    pub model: String,
    /// Most model calls; at least 1.
    pub max_steps: u32,
    /// What the server runs, as the model is told.
    pub tools: Vec<ToolSpec>,
}

impl Plan {
    pub(super) fn runs_here(&self, tool: &str) -> bool {
        self.tools.iter().any(|spec| spec.name == tool)
    }
}
