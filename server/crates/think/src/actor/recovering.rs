//! An answer that the end of a server interrupted is being finished: who comes meanwhile is told, and everybody when that
//! is over.

use super::{Accepted, Actor};
use protocol::{ServerFrame, limits};

impl Actor {
    /// For a tab that opens. There is no tab to tell when such a turn is taken up: nobody is let in before.
    pub(super) fn recovering(&self) -> Option<ServerFrame> {
        let now = self.shared.now();
        let is_recent = |turn: &&Accepted| {
            turn.taken_up_at.is_some_and(|at| now.saturating_sub(at) < limits::RECOVERING_TOLD_MS)
        };
        let running = self.running.iter().map(|running| &running.turn);
        let turn = running.chain(self.queue.waiting()).find(is_recent)?;
        Some(ServerFrame::Recovering { recovering: true, id: Some(turn.request_id.clone()) })
    }

    /// The turn is over, however it ended.
    pub(super) fn tell_recovered(&self, turn: &Accepted) {
        if turn.taken_up_at.is_some() {
            let id = Some(turn.request_id.clone());
            self.watchers.send_all(&ServerFrame::Recovering { recovering: false, id });
        }
    }
}
