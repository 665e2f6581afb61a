//! Everything a turn can ask its driver to do, as data.

use crate::agent::StepSummary;
use crate::tools::ToolRun;
use model::ModelRequest;
use protocol::{Chunk, Message, TurnStatus, Usage};
use serde_json::Value;

/// Something to do, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Put the next prompt together; answer with `Prepared` or `PrepareFailed`.
    Prepare {
        /// The answer so far, for every step but the first.
        so_far: Option<Box<Message>>,
    },
    /// The provider refused the prompt as too long: put together a shorter one; answer with `Prepared` or
    /// `PrepareFailed`.
    PrepareShorter {
        /// The answer so far, for every step but the first.
        so_far: Option<Box<Message>>,
    },
    /// Call the model; answer with its events.
    CallModel(Box<ModelRequest>),
    /// Run a tool; answer with `ToolFinished`.
    RunTool(ToolRun),
    /// Drop the model call and all tools; nothing they still say is wanted.
    StopWork,
    /// Store, then show.
    Emit(Chunk),
    /// Show an error inside the stream; it is not stored as a chunk.
    EmitError(String),
    /// A step is over; whoever looks on is told.
    StepFinished(Box<StepSummary>),
    /// Write down how long a turn that was taken up again has worked without getting any further, in ms.
    NoteFruitless(u64),
    /// Let go of the turn as it stands: the next start takes it up.
    Leave,
    /// The turn is over.
    Finish(Box<Ending>),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// How.
    pub status: TurnStatus,
    /// Why, for people.
    pub error: Option<String>,
    /// What to store; none if nothing a reader would see had arrived.
    pub message: Option<Message>,
    /// As the provider reported, over all steps.
    pub usage: Option<Usage>,
    /// The answer as a document, where one was asked for.
    pub output: Option<Value>,
    /// The error was already shown inside the stream (else the last frame carries it).
    pub is_error_shown: bool,
}
