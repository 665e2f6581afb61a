//! Where a turn stands, and what was fixed when it began.

use crate::tools::misfit;
use protocol::{Message, MessageId, ToolSpec};
use serde_json::Value;

/// Tools that are named to a model which called one that is not there.
const NAMED_MAX: usize = 32;

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
    /// What it writes.
    pub answer: Answer,
    /// `provider/model`.
    pub model: String,
    /// Most model calls; at least 1.
    pub max_steps: u32,
    /// What the model may call, and where that runs.
    pub tools: Vec<PlannedTool>,
}

/// What a turn writes.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A new message; its row was reserved when the turn was accepted.
    New(MessageId),
    /// More of a stored message, whose calls have been answered meanwhile.
    More(Box<Message>),
}

/// A tool of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTool {
    /// What the model is told.
    pub spec: ToolSpec,
    /// Where it runs.
    pub place: Place,
}

/// Where a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Here, at once.
    Server,
    /// Here, after a person has agreed.
    ServerAfterApproval,
    /// In the browser: the turn ends and goes on with its result.
    Client,
    /// Here, at once, by the context blocks, which know where in the answer the model is.
    Context,
}

impl Plan {
    pub(super) fn place_of(&self, tool: &str) -> Option<Place> {
        self.tools.iter().find(|planned| planned.spec.name == tool).map(|planned| planned.place)
    }

    /// What is wrong with arguments; none if they fit, or if only the tool can tell.
    pub(super) fn misfit(&self, tool: &str, input: &Value) -> Option<String> {
        let planned = self.tools.iter().find(|planned| planned.spec.name == tool)?;
        let schema = planned.spec.parameters.as_ref()?;
        match planned.place {
            Place::Server | Place::ServerAfterApproval | Place::Client => misfit(tool, schema, input),
            // They take labels in any spelling, and answer with the room there is.
            Place::Context => None,
        }
    }

    /// The answer to a call of a tool that is not offered.
    pub(super) fn no_such_tool(&self, tool: &str) -> String {
        let names: Vec<&str> =
            self.tools.iter().map(|planned| planned.spec.name.as_str()).take(NAMED_MAX).collect();
        if names.is_empty() {
            return format!("There is no tool named {tool:?}, nor any other.");
        }
        format!("There is no tool named {tool:?}. There are: {}.", names.join(", "))
    }

    /// What the model is told of the tools.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|planned| planned.spec.clone()).collect()
    }
}
