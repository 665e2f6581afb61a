//! Calls the agent's code around a turn: in the right order, within a time, and so that a panic in it stays there.

mod consult;
mod events;
mod observer;
mod told;
mod tool;

pub(crate) use consult::{Choices, Draft};
pub(crate) use observer::LastWord;

use crate::agent::{Agent, AgentSpec, ChatMessage, ChatOutcome, ModelContext, StepSummary, TurnContext};
use crate::engine::Engine;
use crate::lineage::Lineage;
use crate::prompt::ContextSource;
use futures::FutureExt;
use observer::Observer;
use protocol::{Chunk, limits};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// The agent's code as one turn calls it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TurnHooks {
    spec: Arc<AgentSpec>,
    turn: Arc<TurnContext>,
    message: Arc<ChatMessage>,
    choices: Arc<Choices>,
    observer: Observer,
    /// Where the agent's code and its tools stand.
    lineage: Lineage,
}

impl TurnHooks {
    /// The tracker owns the task that tells the agent what it only looks on at.
    pub(crate) fn new(
        spec: &Arc<AgentSpec>,
        (turn, lineage): (TurnContext, Lineage),
        message: ChatMessage,
        tasks: &TaskTracker,
    ) -> (Self, LastWord) {
        let (spec, turn) = (Arc::clone(spec), Arc::new(turn));
        let (observer, last_word) =
            Observer::spawn(Arc::clone(&spec.agent), (Arc::clone(&turn), lineage.clone()), tasks);
        let (message, choices) = (Arc::new(message), Arc::default());
        (Self { spec, turn, message, choices, observer, lineage }, last_word)
    }

    pub(crate) fn choices(&self) -> &Choices {
        &self.choices
    }

    /// Nobody wants the turn's result any more.
    pub(crate) fn abort(&self) {
        self.turn.abort.abort();
    }

    /// The start of a message comes before the agent is asked anything; it does not count as shown by a step.
    pub(crate) fn chunks_shown(&self, mut chunks: Vec<Chunk>) {
        chunks.retain(|chunk| !matches!(chunk, Chunk::Start { .. }));
        self.observer.chunks(chunks);
    }

    pub(crate) fn step_finished(&self, step: StepSummary) {
        self.observer.step(step);
    }

    pub(crate) async fn assemble(&self, source: ContextSource<'_>) -> Result<ModelContext, String> {
        self.observer.caught_up().await;
        self.guarded("assemble_context", self.agent().assemble_context(source)).await?
    }

    async fn guarded<T>(&self, name: &str, hook: impl Future<Output = T> + Send) -> Result<T, String> {
        self.lineage.around(guarded(name, hook)).await
    }

    fn agent(&self) -> &dyn Agent {
        self.spec.agent.as_ref()
    }
}

/// Tells the agent of a turn that a restart has finished; nothing waits for it.
pub(crate) async fn tell_recovered(engine: Engine, spec: Arc<AgentSpec>, outcome: ChatOutcome) {
    let hook = spec.agent.on_chat_response(&engine, outcome);
    if AssertUnwindSafe(hook).catch_unwind().await.is_err() {
        tracing::error!("the agent's on_chat_response failed in a way it did not expect");
    }
}

/// What a hook gives, unless it takes too long or panics.
async fn guarded<T>(name: &str, hook: impl Future<Output = T> + Send) -> Result<T, String> {
    let limit = Duration::from_millis(limits::HOOK_TIMEOUT_MS);
    match tokio::time::timeout(limit, AssertUnwindSafe(hook).catch_unwind()).await {
        Ok(Ok(given)) => Ok(given),
        Ok(Err(_panic)) => Err(format!("the agent's {name} failed in a way it did not expect")),
        Err(_elapsed) => {
            Err(format!("the agent's {name} took longer than {} s (HOOK_TIMEOUT_MS)", limit.as_secs()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_hook_has_a_time_and_keeps_its_panics() {
        let limit = format!("{} s (HOOK_TIMEOUT_MS)", limits::HOOK_TIMEOUT_MS / 1_000);
        assert_eq!(guarded("x", async { 1 }).await, Ok(1));
        let late = guarded("before_turn", std::future::pending::<()>()).await;
        assert_eq!(late, Err(format!("the agent's before_turn took longer than {limit}")));
        let broken = guarded("before_turn", async { Vec::from([1]).remove(7) }).await;
        assert_eq!(broken, Err("the agent's before_turn failed in a way it did not expect".to_owned()));
    }
}
