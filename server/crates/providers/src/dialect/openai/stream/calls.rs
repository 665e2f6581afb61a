//! Tool calls out of their pieces, for providers that number them, name them, do both, or neither.
//!
//! A piece belongs to the call with its index; without one, to the call with its id; without either, to the last
//! call. A piece with a tool's name begins a new call where the one it would belong to is already complete, or has
//! another id. The index is a key and never a size, so a hostile one costs nothing.

use super::wire::CallDelta;
use crate::dialect::call_ids::CallIds;
use model::ModelEvent;
use protocol::ToolCallId;
use protocol::limits::{TOOL_CALLS_PER_STEP_MAX, TOOL_INPUT_MAX_BYTES};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::HashMap;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Calls {
    list: Vec<Call>,
    by_index: HashMap<u64, usize>,
    ids: CallIds,
}

#[derive(Debug, Default)]
struct Call {
    /// As the provider names it.
    wire_id: Option<String>,
    /// As we name it, from the moment its tool is known.
    begun: Option<Begun>,
    input: String,
}

#[derive(Debug)]
struct Begun {
    id: ToolCallId,
    name: String,
}

/// One piece, read.
#[derive(Debug)]
struct Piece {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
    place: Place,
}

/// Where a piece stands in its chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    /// Another piece came before it, so two pieces with names are two calls.
    Later,
}

impl Calls {
    pub(super) fn new(ids: CallIds) -> Self {
        Self { list: Vec::new(), by_index: HashMap::new(), ids }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes the pieces of one chunk. An error says which limit they break.
    pub(super) fn add(&mut self, deltas: Vec<CallDelta>, out: &mut Vec<ModelEvent>) -> Result<(), String> {
        for (position, delta) in deltas.into_iter().enumerate() {
            let place = if position == 0 { Place::First } else { Place::Later };
            self.add_piece(Piece::read(delta, place), out)?;
        }
        Ok(())
    }

    /// Completes every call. An error says that one has no name.
    pub(super) fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), String> {
        for call in self.list.drain(..) {
            let Some(Begun { id, name }) = call.begun else {
                return Err("a tool call without a name".to_owned());
            };
            let mut input = call.input;
            if input.trim().is_empty() {
                // Many providers say nothing where a tool takes nothing.
                let nothing = "{}";
                input.push_str(nothing);
                out.push(ModelEvent::ToolInputDelta { id: id.clone(), delta: nothing.to_owned() });
            }
            out.push(ModelEvent::ToolInputEnd { id, name, input });
        }
        Ok(())
    }

    fn add_piece(&mut self, piece: Piece, out: &mut Vec<ModelEvent>) -> Result<(), String> {
        let slot = self.slot(&piece)?;
        let Some(call) = self.list.get_mut(slot) else { return Ok(()) };
        if call.wire_id.is_none() {
            call.wire_id.clone_from(&piece.id);
        }
        if call.input.len() + piece.arguments.len() > TOOL_INPUT_MAX_BYTES {
            return Err(format!("arguments of a tool call beyond the limit of {TOOL_INPUT_MAX_BYTES} bytes"));
        }
        call.input.push_str(&piece.arguments);
        if let Some(begun) = &call.begun {
            if !piece.arguments.is_empty() {
                out.push(ModelEvent::ToolInputDelta { id: begun.id.clone(), delta: piece.arguments });
            }
            return Ok(());
        }
        let Some(name) = piece.name else { return Ok(()) };
        let id = self.ids.name(call.wire_id.as_deref());
        out.push(ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() });
        if !call.input.is_empty() {
            out.push(ModelEvent::ToolInputDelta { id: id.clone(), delta: call.input.clone() });
        }
        call.begun = Some(Begun { id, name });
        Ok(())
    }

    /// The call that a piece belongs to, which is begun if need be.
    fn slot(&mut self, piece: &Piece) -> Result<usize, String> {
        let known = match (piece.index, &piece.id) {
            (Some(index), _) => self.by_index.get(&index).copied(),
            (None, Some(id)) => {
                let named = self.list.iter().position(|call| call.wire_id.as_ref() == Some(id));
                named.or(if piece.name.is_none() { self.last() } else { None })
            }
            (None, None) => self.last(),
        };
        let fitting = known.filter(|slot| self.list.get(*slot).is_some_and(|call| !piece.begins_after(call)));
        if let Some(slot) = fitting {
            return Ok(slot);
        }
        let slot = self.list.len();
        if slot >= TOOL_CALLS_PER_STEP_MAX {
            return Err(format!("more than {TOOL_CALLS_PER_STEP_MAX} tool calls in one answer"));
        }
        self.list.push(Call::default());
        if let Some(index) = piece.index {
            let _older = self.by_index.insert(index, slot);
        }
        Ok(slot)
    }

    fn last(&self) -> Option<usize> {
        self.list.len().checked_sub(1)
    }
}

impl Piece {
    fn read(delta: CallDelta, place: Place) -> Self {
        let function = delta.function.unwrap_or_default();
        let id = match delta.id {
            Some(Value::String(id)) => Some(id),
            Some(Value::Number(id)) => Some(id.to_string()),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
        };
        let arguments = match function.arguments {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(whole) => whole.to_string(),
        };
        Self {
            index: delta.index.as_ref().and_then(Value::as_u64),
            id: id.filter(|id| !id.is_empty()),
            name: function.name.filter(|name| !name.is_empty()),
            arguments,
            place,
        }
    }

    /// Whether this piece begins a call although `call` has its index, its id or the last place.
    fn begins_after(&self, call: &Call) -> bool {
        if self.name.is_none() || call.begun.is_none() {
            return false;
        }
        match (&self.id, &call.wire_id) {
            (Some(new), Some(old)) => new != old,
            (Some(_), None) | (None, Some(_)) | (None, None) => {
                let is_sibling = self.index.is_none() && self.place == Place::Later;
                is_sibling || is_whole(&call.input)
            }
        }
    }
}

/// Whether arguments are complete. Only asked where a name comes again, so the cost stays linear.
fn is_whole(input: &str) -> bool {
    input.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(input).is_ok()
}
