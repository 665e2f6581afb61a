//! Tool chunks: each is a move in the table of `tool_part`; a move that is not legal changes nothing.

use super::{Accumulator, Applied, CrossMessage};
use crate::chunk::Chunk;
use crate::ids::{ApprovalId, ToolCallId};
use crate::part::Part;
use crate::tool_part::{Approval, ToolCall, ToolMove, ToolPart, ToolState, normalise_input};
use serde_json::Value;

/// How a call is introduced.
struct Introduction<'a> {
    id: &'a ToolCallId,
    name: &'a str,
    is_dynamic: bool,
    title: Option<&'a String>,
    provider_executed: Option<bool>,
    metadata: Option<&'a Value>,
}

impl Accumulator {
    pub(super) fn apply_tool(&mut self, chunk: &Chunk) -> Applied {
        match chunk {
            Chunk::ToolInputStart { tool_call_id, .. } if self.tool_index(tool_call_id).is_some() => {
                Applied::Nothing
            }
            Chunk::ToolInputStart { .. } => self.introduce(chunk, ToolState::InputStreaming),
            Chunk::ToolInputDelta { tool_call_id, input_text_delta } => {
                self.grow_input(tool_call_id, input_text_delta)
            }
            Chunk::ToolInputAvailable { tool_call_id, input, .. } => {
                self.complete_input(chunk, tool_call_id, input)
            }
            Chunk::ToolInputError { tool_call_id, input, error_text, .. } => {
                self.fail_input(chunk, tool_call_id, (input, error_text))
            }
            Chunk::ToolApprovalRequest { tool_call_id, approval_id, approval_descriptor } => {
                self.ask(tool_call_id, approval_id, approval_descriptor.as_ref())
            }
            Chunk::ToolOutputAvailable { tool_call_id, output, preliminary, provider_executed } => self
                .settle(tool_call_id, Ok(output), |call| {
                    call.preliminary = *preliminary;
                    call.provider_executed = provider_executed.or(call.provider_executed);
                }),
            Chunk::ToolOutputError { tool_call_id, error_text } => {
                self.settle(tool_call_id, Err(error_text), |_| {})
            }
            Chunk::ToolOutputDenied { tool_call_id } => {
                self.step(tool_call_id, ToolMove::Deny, |_| {}).unwrap_or(Applied::Nothing)
            }
            _ => Applied::Unhandled,
        }
    }

    fn introduce(&mut self, chunk: &Chunk, state: ToolState) -> Applied {
        let Some(intro) = Introduction::of(chunk) else { return Applied::Unhandled };
        let mut call = ToolCall::new(intro.id.clone(), state);
        call.title = intro.title.cloned();
        call.provider_executed = intro.provider_executed;
        call.call_provider_metadata = intro.metadata.cloned();
        let part = ToolPart { name: intro.name.to_owned(), is_dynamic: intro.is_dynamic, call };
        self.push(Part::Tool(Box::new(part)))
    }

    fn grow_input(&mut self, id: &ToolCallId, delta: &str) -> Applied {
        let Some(index) = self.tool_index(id) else { return Applied::Nothing };
        let state = self.parts.get(index).and_then(Part::as_tool).map(|tool| tool.call.state);
        if state != Some(ToolState::InputStreaming) {
            return Applied::Nothing;
        }
        self.inputs.entry(id.clone()).or_default().push_str(delta);
        Applied::Changed(index)
    }

    fn complete_input(&mut self, chunk: &Chunk, id: &ToolCallId, input: &Value) -> Applied {
        let _text = self.inputs.remove(id);
        let set = |call: &mut ToolCall| call.input = Some(normalise_input(input.clone()));
        if self.tool_index(id).is_some() {
            return self.step(id, ToolMove::Input, set).unwrap_or(Applied::Nothing);
        }
        let added = self.introduce(chunk, ToolState::InputAvailable);
        self.edit(id, set);
        added
    }

    fn fail_input(
        &mut self,
        chunk: &Chunk,
        id: &ToolCallId,
        (input, error): (&Value, &str),
    ) -> Applied {
        let _text = self.inputs.remove(id);
        let set = |call: &mut ToolCall| {
            call.input = Some(normalise_input(input.clone()));
            call.error_text = Some(error.to_owned());
        };
        if self.tool_index(id).is_some() {
            return self.step(id, ToolMove::InputError, set).unwrap_or(Applied::Nothing);
        }
        let added = self.introduce(chunk, ToolState::OutputError);
        self.edit(id, set);
        added
    }

    fn ask(&mut self, id: &ToolCallId, approval: &ApprovalId, descriptor: Option<&Value>) -> Applied {
        let asked = self.step(id, ToolMove::AskApproval, |call| {
            call.approval = Some(Approval {
                id: approval.clone(),
                approved: None,
                reason: None,
                descriptor: descriptor.cloned(),
            });
        });
        asked.unwrap_or(Applied::Nothing)
    }

    fn settle(
        &mut self,
        id: &ToolCallId,
        outcome: Result<&Value, &String>,
        more: impl FnOnce(&mut ToolCall),
    ) -> Applied {
        if self.tool_index(id).is_none() {
            let outcome = outcome.cloned().map_err(String::clone);
            return Applied::CrossMessage(CrossMessage { tool_call_id: id.clone(), outcome });
        }
        let step = if outcome.is_ok() { ToolMove::Output } else { ToolMove::Fail };
        let settled = self.step(id, step, |call| {
            match outcome {
                Ok(output) => call.output = Some(output.clone()),
                Err(error) => call.error_text = Some(error.clone()),
            }
            more(call);
        });
        settled.unwrap_or(Applied::Nothing)
    }

    /// Makes a move and edits the call; none if the move is not legal.
    fn step(&mut self, id: &ToolCallId, step: ToolMove, edit: impl FnOnce(&mut ToolCall)) -> Option<Applied> {
        let index = self.tool_index(id)?;
        let call = &mut self.parts.get_mut(index)?.as_tool_mut()?.call;
        call.state = call.state.after(step)?;
        edit(call);
        Some(Applied::Changed(index))
    }

    fn edit(&mut self, id: &ToolCallId, edit: impl FnOnce(&mut ToolCall)) {
        let index = self.tool_index(id);
        if let Some(tool) = index.and_then(|index| self.parts.get_mut(index)).and_then(Part::as_tool_mut) {
            edit(&mut tool.call);
        }
    }
}

impl<'a> Introduction<'a> {
    fn of(chunk: &'a Chunk) -> Option<Self> {
        match chunk {
            Chunk::ToolInputStart {
                tool_call_id: id,
                tool_name: name,
                provider_executed,
                provider_metadata: metadata,
                dynamic,
                title,
            }
            | Chunk::ToolInputAvailable {
                tool_call_id: id,
                tool_name: name,
                provider_executed,
                provider_metadata: metadata,
                dynamic,
                title,
                ..
            } => Some(Self {
                id,
                name,
                is_dynamic: *dynamic == Some(true),
                title: title.as_ref(),
                provider_executed: *provider_executed,
                metadata: metadata.as_ref(),
            }),
            Chunk::ToolInputError { tool_call_id: id, tool_name: name, dynamic, .. } => Some(Self {
                id,
                name,
                is_dynamic: *dynamic == Some(true),
                title: None,
                provider_executed: None,
                metadata: None,
            }),
            _ => None,
        }
    }
}
