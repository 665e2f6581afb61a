//! Tells the agent what it only looks on at: one task per turn, one thing after the other, never in the turn's way.

use super::guarded;
use crate::agent::{Agent, ChatOutcome, StepSummary, TurnContext};
use crate::lineage::Lineage;
use futures::FutureExt;
use protocol::{Chunk, limits};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

/// The way to the task. Cheap to clone; the task ends when nothing more can come.
#[derive(Clone)]
pub(super) struct Observer(mpsc::Sender<Event>);

/// The right to say how the turn ended; there is always room for it. Dropping it says nothing.
pub(crate) struct LastWord(Option<mpsc::OwnedPermit<Event>>);

enum Event {
    Chunks(Vec<Chunk>),
    Step(Box<StepSummary>),
    /// Everything before has been told.
    CaughtUp(oneshot::Sender<()>),
    Outcome(Box<ChatOutcome>),
}

impl Observer {
    pub(super) fn spawn(
        agent: Arc<dyn Agent>,
        (turn, lineage): (Arc<TurnContext>, Lineage),
        tasks: &TaskTracker,
    ) -> (Self, LastWord) {
        let (events, receiver) = mpsc::channel(limits::HOOK_BACKLOG_MAX);
        let _handle = tasks.spawn(observe(agent, (turn, lineage), receiver));
        let permit = events.clone().try_reserve_owned().ok();
        (Self(events), LastWord(permit))
    }

    pub(super) fn chunks(&self, chunks: Vec<Chunk>) {
        // Half of the room is kept for what is told once.
        if self.0.capacity() > limits::HOOK_BACKLOG_MAX / 2 {
            let _closed = self.0.try_send(Event::Chunks(chunks));
        }
    }

    pub(super) fn step(&self, step: StepSummary) {
        if self.0.try_send(Event::Step(Box::new(step))).is_err() {
            tracing::warn!("the agent is so far behind that it does not hear of the end of a step");
        }
    }

    /// Waits until the agent has heard everything before this.
    pub(super) async fn caught_up(&self) {
        let (reply, told) = oneshot::channel();
        if self.0.send(Event::CaughtUp(reply)).await.is_ok() {
            let _gone = told.await;
        }
    }
}

impl LastWord {
    pub(crate) fn say(self, outcome: ChatOutcome) {
        if let Some(permit) = self.0 {
            let _sender = permit.send(Event::Outcome(Box::new(outcome)));
        }
    }
}

/// Whether the agent still hears chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hearing {
    Good,
    GivenUp,
}

async fn observe(
    agent: Arc<dyn Agent>,
    (turn, lineage): (Arc<TurnContext>, Lineage),
    mut events: mpsc::Receiver<Event>,
) {
    let mut hearing = Hearing::Good;
    while let Some(event) = events.recv().await {
        match event {
            Event::Chunks(chunks) if hearing == Hearing::Good => {
                hearing = lineage.around(tell_chunks(agent.as_ref(), &turn, &chunks)).await;
            }
            Event::Chunks(_) => {}
            Event::Step(step) => {
                let hook = guarded("on_step_finish", agent.on_step_finish(&turn, &step));
                log(&turn, lineage.around(hook).await);
            }
            Event::CaughtUp(reply) => {
                let _asker_gone = reply.send(());
            }
            Event::Outcome(outcome) => return tell_outcome(agent.as_ref(), &turn, *outcome).await,
        }
    }
}

async fn tell_chunks(agent: &dyn Agent, turn: &TurnContext, chunks: &[Chunk]) -> Hearing {
    for chunk in chunks {
        let told = tokio::select! {
            told = guarded("on_chunk", agent.on_chunk(turn, chunk)) => told,
            () = turn.abort.aborted() => return Hearing::GivenUp,
        };
        if told.is_err() {
            log(turn, told);
            return Hearing::GivenUp;
        }
    }
    Hearing::Good
}

/// Takes as long as it likes: the turn is over, and nobody waits.
async fn tell_outcome(agent: &dyn Agent, turn: &TurnContext, outcome: ChatOutcome) {
    let hook = agent.on_chat_response(&turn.engine, outcome);
    if AssertUnwindSafe(hook).catch_unwind().await.is_err() {
        log(turn, Err("the agent's on_chat_response failed in a way it did not expect".to_owned()));
    }
}

fn log(turn: &TurnContext, told: Result<(), String>) {
    if let Err(text) = told {
        tracing::error!(session.id = %turn.session_id, request.id = %turn.request_id, "{text}");
    }
}
