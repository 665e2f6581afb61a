//! What an actor remembers of the context blocks, so that a turn does not read again what nobody has changed.

use crate::error::ThinkError;
use crate::shared::Shared;
use protocol::{PromptChanges, ToolSpec};
use session::{Context, Position, Recall, RecallRoom, Session};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Its presence means that the tools depend on what the conversation holds.
const LOAD_TOOL: &str = "load_context";

/// What a model is told beside the messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) system: String,
    /// Tools of the context blocks.
    pub(crate) tools: Vec<ToolSpec>,
}

#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// With the number of changes it was read after.
    told: Mutex<Option<(u64, Told)>>,
    /// Tokens of a prompt beside its messages, as it was last put together.
    overhead: AtomicU64,
    /// What the agent's code made of the last call.
    changed: Mutex<Option<PromptChanges>>,
    /// The messages of the last prompt.
    recall: Recall,
}

impl Kept {
    /// Remembers messages as far as there is room.
    pub(crate) fn within(room: &RecallRoom) -> Self {
        Self { recall: Recall::new(room), ..Self::default() }
    }

    pub(crate) fn recall(&self) -> &Recall {
        &self.recall
    }

    pub(crate) fn changed(&self) -> Option<PromptChanges> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_changed(&self, changes: PromptChanges) {
        let changes = Some(changes).filter(|changes| *changes != PromptChanges::default());
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = changes;
    }

    pub(crate) fn overhead(&self) -> u64 {
        self.overhead.load(Ordering::Relaxed)
    }

    pub(crate) fn set_overhead(&self, tokens: u64) {
        self.overhead.store(tokens, Ordering::Relaxed);
    }

    /// As remembered, or read now.
    pub(crate) async fn told(
        &self,
        shared: &Shared,
        session: &Session,
        position: Position<'_>,
    ) -> Result<Told, ThinkError> {
        let changes = shared.context_changes();
        let is_fresh = |(at, told): &(u64, Told)| (*at == changes).then(|| told.clone());
        if let Some(told) = self.told_now().as_ref().and_then(is_fresh) {
            return Ok(or_plain(told, shared));
        }
        let told = read(&shared.context(session), position).await?;
        let depends = told.tools.iter().any(|tool| tool.name == LOAD_TOOL);
        if !depends && !shared.setup().context.is_rendered_for_each_turn() {
            *self.told_now() = Some((changes, told.clone()));
        }
        Ok(or_plain(told, shared))
    }

    fn told_now(&self) -> MutexGuard<'_, Option<(u64, Told)>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without blocks, or where they say nothing, the agent's plain system prompt stands.
fn or_plain(mut told: Told, shared: &Shared) -> Told {
    if told.system.is_empty() {
        told.system = shared.spec.agent.get_system_prompt(&shared.spec);
    }
    told
}

/// What the blocks say.
async fn read(context: &Context, position: Position<'_>) -> Result<Told, ThinkError> {
    if context.is_empty().await? {
        return Ok(Told { system: String::new(), tools: Vec::new() });
    }
    let prompt = match position.so_far {
        None => context.prompt_for_turn().await?,
        Some(_) => context.freeze_system_prompt().await?,
    };
    Ok(Told { system: prompt, tools: context.tools(position).await? })
}
