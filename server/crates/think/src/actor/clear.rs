//! Put the whole conversation of this session into its trash, whatever is going on in it.

use super::{Accepted, Actor};
use crate::admit::is_reserved;
use crate::error::ThinkError;
use crate::stream::fanout::ConnectionId;
use crate::turn::continuation::Continuation;
use protocol::{MessageId, ServerFrame, TurnOutcome, WireError};

impl Actor {
    /// Running and waiting turns end without a trace: nothing of them is stored and no hook hears of them.
    pub(super) async fn on_clear(&mut self, from: ConnectionId) {
        if let Err(error) = self.clear().await {
            self.refuse(from, None, WireError::from(&error));
        }
    }

    pub(super) async fn clear(&mut self) -> Result<(), ThinkError> {
        let mut ended = self.queue.reset();
        let waiting = ended.len();
        if let Some(running) = self.running.take() {
            running.hooks.abort();
            ended.push(running.turn);
            self.queue.finish();
        }
        if let Some(last) = ended.iter().rfind(|turn| turn.taken_up.is_some()) {
            self.tell_recovered(last);
        }
        for (at, turn) in ended.iter().enumerate() {
            let outcome = if at < waiting { TurnOutcome::Skipped } else { TurnOutcome::Aborted };
            self.watchers.send_all(&turn.end(outcome));
        }
        self.release_waiting();
        (self.continuation, self.later.held) = (Continuation::default(), Vec::new());
        self.later.programs.clear();
        let forgotten = self.forget(&ended).await;
        if forgotten.is_ok() {
            self.watchers.send_all(&ServerFrame::Clear {});
        }
        self.quiet_if_idle().await;
        forgotten
    }

    async fn forget(&mut self, ended: &[Accepted]) -> Result<(), ThinkError> {
        self.discard_reserved(ended).await?;
        let _in_the_trash = self.session.clear().await?;
        let _some = self.shared.submissions().skip_pending(self.session.id(), self.shared.now()).await?;
        self.shared.context_changed();
        self.shared.log.clear(self.session.id()).await?;
        self.shared.store.forget_session(self.session.id()).await?;
        self.forget_captured().await?;
        self.keep_terminal(None).await;
        Ok(())
    }

    /// The places of answers that will not come must not come back from the trash with the others.
    async fn discard_reserved(&mut self, ended: &[Accepted]) -> Result<(), ThinkError> {
        let mut reserved: Vec<MessageId> = Vec::new();
        let of_turns = ended.iter().map(|turn| turn.message_id.clone());
        for id in of_turns.chain(self.session.active_leaf().await?) {
            let is_known = reserved.contains(&id);
            if !is_known && self.session.get(&id).await?.as_ref().is_some_and(is_reserved) {
                reserved.push(id);
            }
        }
        if !reserved.is_empty() {
            let _gone = self.session.discard(&reserved).await?;
        }
        Ok(())
    }
}
