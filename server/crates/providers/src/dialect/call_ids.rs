//! Names for tool calls: the provider's own where it gives usable ones, made-up ones elsewhere.

use crate::entropy::Entropy;
use model::ModelRequest;
use protocol::ToolCallId;
use protocol::limits::ID_MAX_BYTES;
use std::collections::HashSet;

/// Gives each call of an answer an id that no other call of the answer or of the history has. Some servers name the
/// first call of every answer the same; a result would then find the wrong call.
#[derive(Debug)]
pub(super) struct CallIds {
    taken: HashSet<ToolCallId>,
    seed: u64,
    made: usize,
}

impl CallIds {
    pub(super) fn new(request: &ModelRequest, entropy: &Entropy) -> Self {
        let taken = request.messages.iter().flat_map(model::ModelMessage::tool_call_ids).cloned().collect();
        Self { taken, seed: entropy.draw(), made: 0 }
    }

    /// The id for a call that the provider calls `wire_id`.
    pub(super) fn name(&mut self, wire_id: Option<&str>) -> ToolCallId {
        let own = wire_id.filter(|id| id.len() <= ID_MAX_BYTES).map(ToolCallId::from);
        if let Some(id) = own.filter(|id| self.taken.insert(id.clone())) {
            return id;
        }
        loop {
            let id = ToolCallId::new(format!("call_{:016x}_{}", self.seed, self.made));
            self.made += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}
