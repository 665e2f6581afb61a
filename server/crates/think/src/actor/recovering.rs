//! An answer that the end of a server interrupted is being finished: who comes meanwhile is told, and everybody when that
//! is over.

use super::{Accepted, Actor};
use protocol::{ServerFrame, limits};

impl Actor {
    /// For a tab that opens. There is no tab to tell when such a turn is taken up: nobody is let in before.
    pub(super) fn recovering(&self) -> Option<ServerFrame> {
        let now = self.shared.now();
        let is_recent = |turn: &&Accepted| {
            turn.taken_up.is_some_and(|taken_up| now.saturating_sub(taken_up.at) < limits::RECOVERING_TOLD_MS)
        };
        let turn = self.taken_up().find(is_recent)?;
        Some(ServerFrame::Recovering { recovering: true, id: Some(turn.request_id.clone()) })
    }

    /// The turns of this kind that have not ended, in the order in which they will.
    fn taken_up(&self) -> impl Iterator<Item = &Accepted> {
        let running = self.running.iter().map(|running| &running.turn);
        running.chain(self.queue.waiting()).filter(|turn| turn.taken_up.is_some())
    }

    /// The turn is over, however it ended. A client knows one answer of this kind at a time: that none is left is told
    /// with the last one.
    pub(super) fn tell_recovered(&self, turn: &Accepted) {
        if turn.taken_up.is_some() && self.taken_up().next().is_none() {
            let id = Some(turn.request_id.clone());
            self.watchers.send_all(&ServerFrame::Recovering { recovering: false, id });
        }
    }

    /// For the next start, should there be one before this turn gets any further.
    pub(super) async fn note_fruitless(&self, spent_ms: u64) {
        let Some(running) = &self.running else { return };
        let (session, request) = (self.session.id(), &running.turn.request_id);
        if let Err(error) = self.shared.store.note_fruitless(session, request, spent_ms).await {
            tracing::warn!(session.id = %session, request.id = %request, %error,
                "the time that a turn has worked to no end is not written down");
        }
    }
}
