//! Tool chunks: each is a move in the table of `tool_part`; a move that is not legal changes nothing.

use super::text::merge;
use super::{Accumulator, Applied, CrossMessage};
use crate::chunk::Chunk;
use crate::ids::{ApprovalId, ToolCallId};
use crate::part::Part;
use crate::tool_part::{Approval, ToolCall, ToolMove, ToolPart, ToolState, normalise_input};
use serde_json::Value;

/// How a call is introduced.
struct Introduction<'a> {
    name: &'a str,
    is_dynamic: bool,
    title: Option<&'a String>,
    provider_executed: Option<bool>,
    metadata: Option<&'a Value>,
}

impl Accumulator {
    pub(super) fn start_input(&mut self, chunk: &Chunk, id: &ToolCallId) -> Applied {
        self.introduce(chunk, id).unwrap_or(Applied::Nothing)
    }

    /// Adds the part of a call that is not there yet.
    fn introduce(&mut self, chunk: &Chunk, id: &ToolCallId) -> Option<Applied> {
        let Introduction { name, is_dynamic, .. } = Introduction::of(chunk)?;
        if self.tool_index(id).is_some() {
            return None;
        }
        let mut call = ToolCall::new(id.clone(), ToolState::InputStreaming);
        complete(&mut call, chunk);
        let part = ToolPart { name: name.to_owned(), is_dynamic, call };
        Some(self.push(Part::Tool(Box::new(part))))
    }

    pub(super) fn grow_input(&mut self, id: &ToolCallId, delta: &str) -> Applied {
        let Some(index) = self.tool_index(id) else { return Applied::Nothing };
        let state = self.parts.get(index).and_then(Part::as_tool).map(|tool| tool.call.state);
        if state != Some(ToolState::InputStreaming) {
            return Applied::Nothing;
        }
        self.inputs.entry(id.clone()).or_default().push_str(delta);
        Applied::Changed(index)
    }

    pub(super) fn complete_input(&mut self, chunk: &Chunk, id: &ToolCallId, input: &Value) -> Applied {
        let _text = self.inputs.remove(id);
        let added = self.introduce(chunk, id);
        let changed = self.step(id, ToolMove::Input, |call| {
            complete(call, chunk);
            call.input = Some(normalise_input(input.clone()));
        });
        added.unwrap_or(changed)
    }

    pub(super) fn fail_input(
        &mut self,
        chunk: &Chunk,
        id: &ToolCallId,
        (input, error): (&Value, &str),
    ) -> Applied {
        let _text = self.inputs.remove(id);
        let added = self.introduce(chunk, id);
        let changed = self.step(id, ToolMove::InputError, |call| {
            call.input = Some(normalise_input(input.clone()));
            call.error_text = Some(error.to_owned());
        });
        added.unwrap_or(changed)
    }

    pub(super) fn ask(
        &mut self,
        id: &ToolCallId,
        approval: &ApprovalId,
        descriptor: Option<&Value>,
    ) -> Applied {
        self.step(id, ToolMove::AskApproval, |call| {
            call.approval = Some(Approval {
                id: approval.clone(),
                approved: None,
                reason: None,
                descriptor: descriptor.cloned(),
                original_input: None,
            });
        })
    }

    pub(super) fn answer(
        &mut self,
        id: &ToolCallId,
        output: &Value,
        (preliminary, provider_executed): (Option<bool>, Option<bool>),
    ) -> Applied {
        if self.tool_index(id).is_none() {
            return elsewhere(id, Ok(output.clone()));
        }
        self.step(id, ToolMove::Output, |call| {
            call.output = Some(output.clone());
            call.preliminary = preliminary;
            call.provider_executed = provider_executed.or(call.provider_executed);
        })
    }

    pub(super) fn fail(&mut self, id: &ToolCallId, error: &str) -> Applied {
        if self.tool_index(id).is_none() {
            return elsewhere(id, Err(error.to_owned()));
        }
        self.step(id, ToolMove::Fail, |call| {
            (call.output, call.preliminary) = (None, None);
            call.error_text = Some(error.to_owned());
        })
    }

    /// Makes a move and edits the call; a move that is not legal changes nothing.
    pub(super) fn step(
        &mut self,
        id: &ToolCallId,
        step: ToolMove,
        edit: impl FnOnce(&mut ToolCall),
    ) -> Applied {
        let Some(index) = self.tool_index(id) else { return Applied::Nothing };
        let Some(tool) = self.parts.get_mut(index).and_then(Part::as_tool_mut) else {
            return Applied::Nothing;
        };
        let Some(state) = tool.call.after(step) else { return Applied::Nothing };
        tool.call.state = state;
        edit(&mut tool.call);
        Applied::Changed(index)
    }
}

/// Adds what this chunk says about a call; what an earlier one said stays where this one is silent.
fn complete(call: &mut ToolCall, chunk: &Chunk) {
    let Some(intro) = Introduction::of(chunk) else { return };
    call.title = intro.title.cloned().or(call.title.take());
    call.provider_executed = intro.provider_executed.or(call.provider_executed);
    merge(&mut call.call_provider_metadata, intro.metadata);
}

impl<'a> Introduction<'a> {
    fn of(chunk: &'a Chunk) -> Option<Self> {
        if let Chunk::ToolInputStart {
            tool_name: name,
            provider_executed,
            provider_metadata: metadata,
            dynamic,
            title,
            ..
        }
        | Chunk::ToolInputAvailable {
            tool_name: name,
            provider_executed,
            provider_metadata: metadata,
            dynamic,
            title,
            ..
        } = chunk
        {
            let (title, metadata, is_dynamic) = (title.as_ref(), metadata.as_ref(), *dynamic == Some(true));
            return Some(Self { name, is_dynamic, title, provider_executed: *provider_executed, metadata });
        }
        if let Chunk::ToolInputError { tool_name: name, dynamic, .. } = chunk {
            let is_dynamic = *dynamic == Some(true);
            return Some(Self { name, is_dynamic, title: None, provider_executed: None, metadata: None });
        }
        None
    }
}

fn elsewhere(id: &ToolCallId, outcome: Result<Value, String>) -> Applied {
    Applied::CrossMessage(CrossMessage { tool_call_id: id.clone(), outcome })
}
