//! The blocks of a message, by their index, which is a key and never a size.

use super::wire::{Block, Delta};
use crate::dialect::anthropic::METADATA;
use crate::dialect::call_ids::CallIds;
use model::ModelEvent;
use protocol::ToolCallId;
use protocol::limits::{TOOL_CALLS_PER_STEP_MAX, TOOL_INPUT_MAX_BYTES};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a tool that takes nothing is given.
const NO_INPUT: &str = "{}";

/// All blocks that are open.
#[derive(Debug)]
pub(super) struct Blocks {
    open: BTreeMap<u64, Open>,
    ids: CallIds,
    count: usize,
    calls: usize,
}

#[derive(Debug)]
enum Open {
    Text { id: String },
    Reasoning { id: String, signature: String },
    Tool { id: ToolCallId, name: String, input: String },
}

impl Blocks {
    pub(super) fn new(ids: CallIds) -> Self {
        Self { open: BTreeMap::new(), ids, count: 0, calls: 0 }
    }

    /// Begins a block; one of an unknown type is left out. An error says which limit it breaks.
    pub(super) fn begin(
        &mut self,
        index: u64,
        block: Block,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), String> {
        // A server that forgets to end a block.
        self.end(index, out);
        let (open, delta) = match block {
            Block::Text { text } => {
                let id = self.name("text");
                out.push(ModelEvent::TextStart { id: id.clone() });
                (Open::Text { id }, Delta::Text { text })
            }
            Block::Thinking { thinking } => {
                let id = self.name("reasoning");
                out.push(ModelEvent::ReasoningStart { id: id.clone(), provider_metadata: None });
                (Open::Reasoning { id, signature: String::new() }, Delta::Thinking { thinking })
            }
            Block::RedactedThinking { data } => {
                let id = self.name("reasoning");
                let provider_metadata = Some(metadata("redactedData", &data));
                out.push(ModelEvent::ReasoningStart { id: id.clone(), provider_metadata });
                (Open::Reasoning { id, signature: String::new() }, Delta::Unknown)
            }
            Block::ToolUse { id, name } => {
                self.calls += 1;
                if self.calls > TOOL_CALLS_PER_STEP_MAX {
                    return Err(format!("more than {TOOL_CALLS_PER_STEP_MAX} tool calls in one answer"));
                }
                let id = self.ids.name(Some(id.as_str()).filter(|id| !id.is_empty()));
                out.push(ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() });
                (Open::Tool { id, name, input: String::new() }, Delta::Unknown)
            }
            Block::Unknown => return Ok(()),
        };
        let _older = self.open.insert(index, open);
        self.add(index, delta, out)
    }

    /// What a block grows by; nothing where the block is not known or of another type.
    pub(super) fn add(&mut self, index: u64, delta: Delta, out: &mut Vec<ModelEvent>) -> Result<(), String> {
        let Some(open) = self.open.get_mut(&index) else { return Ok(()) };
        match delta {
            Delta::Text { text } => open.add_text(text, out),
            Delta::Thinking { thinking } => open.add_reasoning(thinking, out),
            Delta::Signature { signature } => open.add_signature(&signature),
            Delta::InputJson { partial_json } => return open.add_input(partial_json, out),
            Delta::Citations { .. } | Delta::Unknown => {}
        }
        Ok(())
    }

    /// Ends a block, if it is open.
    pub(super) fn end(&mut self, index: u64, out: &mut Vec<ModelEvent>) {
        match self.open.remove(&index) {
            Some(Open::Text { id }) => out.push(ModelEvent::TextEnd { id }),
            Some(Open::Reasoning { id, signature }) => {
                let is_signed = !signature.is_empty();
                let provider_metadata = is_signed.then(|| metadata("signature", &json!(signature)));
                out.push(ModelEvent::ReasoningEnd { id, provider_metadata });
            }
            Some(Open::Tool { id, name, mut input }) => {
                if input.trim().is_empty() {
                    input.push_str(NO_INPUT);
                    out.push(ModelEvent::ToolInputDelta { id: id.clone(), delta: NO_INPUT.to_owned() });
                }
                out.push(ModelEvent::ToolInputEnd { id, name, input });
            }
            None => {}
        }
    }

    /// Ends every block.
    pub(super) fn end_all(&mut self, out: &mut Vec<ModelEvent>) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        for index in open {
            self.end(index, out);
        }
    }

    fn name(&mut self, word: &str) -> String {
        let id = format!("{word}-{}", self.count);
        self.count += 1;
        id
    }
}

impl Open {
    fn add_text(&self, delta: String, out: &mut Vec<ModelEvent>) {
        let Self::Text { id } = self else { return };
        if !delta.is_empty() {
            out.push(ModelEvent::TextDelta { id: id.clone(), delta });
        }
    }

    fn add_reasoning(&self, delta: String, out: &mut Vec<ModelEvent>) {
        let Self::Reasoning { id, .. } = self else { return };
        if !delta.is_empty() {
            out.push(ModelEvent::ReasoningDelta { id: id.clone(), delta, provider_metadata: None });
        }
    }

    fn add_signature(&mut self, piece: &str) {
        if let Self::Reasoning { signature, .. } = self {
            signature.push_str(piece);
        }
    }

    fn add_input(&mut self, delta: String, out: &mut Vec<ModelEvent>) -> Result<(), String> {
        let Self::Tool { id, input, .. } = self else { return Ok(()) };
        if input.len() + delta.len() > TOOL_INPUT_MAX_BYTES {
            return Err(format!("arguments of a tool call beyond the limit of {TOOL_INPUT_MAX_BYTES} bytes"));
        }
        input.push_str(&delta);
        if !delta.is_empty() {
            out.push(ModelEvent::ToolInputDelta { id: id.clone(), delta });
        }
        Ok(())
    }
}

fn metadata(key: &str, value: &Value) -> Value {
    json!({ METADATA: { key: value } })
}
