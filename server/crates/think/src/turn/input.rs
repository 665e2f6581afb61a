//! Everything that can happen to a turn.

use super::PlannedTool;
use crate::agent::Recovery;
use model::{ModelError, ModelEvent, ModelRequest};
use protocol::ToolCallId;
use serde_json::Value;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// It is this turn's slot.
    Begin,
    /// These may be called in the step that is being prepared.
    Offered(Vec<PlannedTool>),
    /// The agent's code wants it otherwise, from the next model call on.
    Revised {
        /// What the message is said to be from.
        model: Option<String>,
        /// Most model calls; at least 1 counts.
        max_steps: Option<u32>,
    },
    /// The prompt is ready.
    Prepared(Box<ModelRequest>),
    /// The prompt could not be put together, or there is no such model.
    PrepareFailed(String),
    /// The model said something.
    Model(ModelEvent),
    /// The model's stream ended without an error.
    ModelEnded,
    /// The model's stream failed.
    ModelFailed(ModelError),
    /// A running tool shows what it has so far.
    ToolReported {
        /// The call.
        id: ToolCallId,
        /// Its preliminary result.
        output: Value,
    },
    /// The model said nothing for too long; the call is dropped.
    ModelStalled,
    /// A tool answered or failed.
    ToolFinished {
        /// The call.
        id: ToolCallId,
        /// Result, or the text of the failure.
        outcome: Result<Value, String>,
    },
    /// The time has come that [`Machine::due`](super::Machine::due) told.
    TimePassed,
    /// What was to be shown could not be stored.
    StoreFailed(String),
    /// A person stops it.
    Cancel,
    /// The server stops, and the next start does this with turns that it interrupts.
    ShutDown(Recovery),
}
