//! What a scripted model says in one call, piece by piece.

use super::gate::Gate;
use crate::error::{ErrorClass, ModelError};
use crate::event::{FinishReason, ModelEvent};
use protocol::{ToolCallId, Usage};
use serde_json::Value;
use std::collections::VecDeque;

/// One piece of a script.
#[derive(Debug, Clone)]
pub(super) enum Beat {
    Event(ModelEvent),
    Error(ModelError),
    Hold(Gate),
}

/// Which block is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Text,
    Reasoning,
}

/// One answer. Blocks open and close by themselves, ids are counted. A script that says neither [`Script::finish`]
/// nor [`Script::error`] at its end is an answer that was cut off.
#[derive(Debug, Clone, Default)]
pub struct Script {
    beats: VecDeque<Beat>,
    open: Option<Open>,
    blocks: usize,
}

impl Script {
    /// Says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A piece of text.
    #[must_use]
    pub fn text(mut self, delta: &str) -> Self {
        let id = self.block(Open::Text);
        self.event(ModelEvent::TextDelta { id, delta: delta.to_owned() })
    }

    /// A piece of reasoning.
    #[must_use]
    pub fn reasoning(mut self, delta: &str) -> Self {
        let id = self.block(Open::Reasoning);
        self.event(ModelEvent::ReasoningDelta { id, delta: delta.to_owned(), provider_metadata: None })
    }

    /// A whole call of a tool.
    #[must_use]
    pub fn tool(self, id: &str, name: &str, input: &Value) -> Self {
        self.raw_tool(id, name, &input.to_string())
    }

    /// A call of a tool whose arguments are this text, whatever it is.
    #[must_use]
    pub fn raw_tool(mut self, id: &str, name: &str, input: &str) -> Self {
        self.close();
        let (id, name) = (ToolCallId::from(id), name.to_owned());
        self.event(ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() })
            .event(ModelEvent::ToolInputDelta { id: id.clone(), delta: input.to_owned() })
            .event(ModelEvent::ToolInputEnd { id, name, input: input.to_owned() })
    }

    /// What the call cost.
    #[must_use]
    pub fn usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.event(ModelEvent::Usage(Usage { input_tokens, output_tokens, ..Usage::default() }))
    }

    /// Any event at all, as it is: no block is opened or closed for it.
    #[must_use]
    pub fn event(mut self, event: ModelEvent) -> Self {
        self.beats.push_back(Beat::Event(event));
        self
    }

    /// Waits here until `gate` is opened.
    #[must_use]
    pub fn hold(mut self, gate: &Gate) -> Self {
        self.beats.push_back(Beat::Hold(gate.clone()));
        self
    }

    /// Ends the answer for this reason.
    #[must_use]
    pub fn finish(mut self, reason: FinishReason) -> Self {
        self.close();
        self.event(ModelEvent::Finish { reason })
    }

    /// Ends the answer because all is said.
    #[must_use]
    pub fn stop(self) -> Self {
        self.finish(FinishReason::Stop)
    }

    /// Ends the answer because tools must run.
    #[must_use]
    pub fn tool_calls(self) -> Self {
        self.finish(FinishReason::ToolCalls)
    }

    /// Fails here.
    #[must_use]
    pub fn error(self, class: ErrorClass, message: &str) -> Self {
        self.fail(ModelError::new(class, message))
    }

    /// Fails here with everything an error can say.
    #[must_use]
    pub fn fail(mut self, error: ModelError) -> Self {
        self.beats.push_back(Beat::Error(error));
        self
    }

    pub(super) fn into_beats(self) -> VecDeque<Beat> {
        self.beats
    }

    /// The id of the open block of this kind, which is begun where another or none is open.
    fn block(&mut self, kind: Open) -> String {
        if self.open != Some(kind) {
            self.close();
            let start = match kind {
                Open::Text => ModelEvent::TextStart { id: self.block_id(kind) },
                Open::Reasoning => {
                    ModelEvent::ReasoningStart { id: self.block_id(kind), provider_metadata: None }
                }
            };
            self.beats.push_back(Beat::Event(start));
            self.open = Some(kind);
        }
        self.block_id(kind)
    }

    fn close(&mut self) {
        let Some(kind) = self.open.take() else { return };
        let id = self.block_id(kind);
        self.blocks += 1;
        self.beats.push_back(Beat::Event(match kind {
            Open::Text => ModelEvent::TextEnd { id },
            Open::Reasoning => ModelEvent::ReasoningEnd { id, provider_metadata: None },
        }));
    }

    fn block_id(&self, kind: Open) -> String {
        match kind {
            Open::Text => format!("text-{}", self.blocks),
            Open::Reasoning => format!("reasoning-{}", self.blocks),
        }
    }
}
