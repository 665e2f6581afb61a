//! What an actor remembers of the context blocks, so that a turn does not read again what nobody has changed.

use crate::error::ThinkError;
use crate::shared::Shared;
use protocol::ToolSpec;
use session::{Context, Position, Session};
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
}

impl Kept {
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
            return Ok(told);
        }
        let told = read(shared, &shared.context(session), position).await?;
        let depends = told.tools.iter().any(|tool| tool.name == LOAD_TOOL);
        if !depends && !shared.spec.sessions.context.is_rendered_for_each_turn() {
            *self.told_now() = Some((changes, told.clone()));
        }
        Ok(told)
    }

    fn told_now(&self) -> MutexGuard<'_, Option<(u64, Told)>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without blocks, or where they say nothing, the agent's plain system prompt stands.
async fn read(shared: &Shared, context: &Context, position: Position<'_>) -> Result<Told, ThinkError> {
    let plain = || shared.spec.system_prompt.clone();
    if context.is_empty().await? {
        return Ok(Told { system: plain(), tools: Vec::new() });
    }
    let prompt = match position.so_far {
        None => context.prompt_for_turn().await?,
        Some(_) => context.freeze_system_prompt().await?,
    };
    let system = if prompt.is_empty() { plain() } else { prompt };
    Ok(Told { system, tools: context.tools(position).await? })
}
