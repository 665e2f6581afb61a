//! When a turn goes on by itself: after the last of its calls was answered, and not for each of them. Pure.
//!
//! One continuation is pending at a time; it waits until answers have stopped coming for a moment, until nothing
//! runs, and until no call of its message waits any more. What is asked for while it runs goes to one further slot,
//! where the latest wins.

use crate::recovery::TakenUp;
use crate::stream::fanout::ConnectionId;
use protocol::{MessageId, RequestId};
use std::time::Duration;
use tokio::time::Instant;

/// How long answers must have stopped coming.
pub(crate) const COALESCE: Duration = Duration::from_millis(50);

/// A continuation that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) request_id: RequestId,
    /// The message to go on with.
    pub(crate) message_id: MessageId,
    /// The socket that gave the last answer.
    pub(crate) owner: Option<ConnectionId>,
    /// Whether it was taken up again, since the end of a server interrupted it.
    pub(crate) taken_up: Option<TakenUp>,
}

#[derive(Debug, Default)]
pub(crate) struct Continuation {
    pending: Option<Pending>,
    is_running: bool,
    deferred: Option<Wanted>,
}

#[derive(Debug)]
struct Pending {
    wanted: Wanted,
    due: Instant,
    /// Its message still has calls that wait; only another answer or the end of a turn can change that.
    is_held: bool,
}

impl Continuation {
    /// Asks for a continuation. Gives back the one it replaces, if any: its promise is void.
    pub(crate) fn want(&mut self, wanted: Wanted, now: Instant) -> Option<Wanted> {
        if self.is_running {
            return self.deferred.replace(wanted);
        }
        match &mut self.pending {
            // The same continuation, later: the first request id stays, the newest owner wins.
            Some(pending) if pending.wanted.message_id == wanted.message_id => {
                pending.wanted.owner = wanted.owner;
                self.touch(now);
                Some(wanted)
            }
            _ => self.arm(wanted, now),
        }
    }

    fn arm(&mut self, wanted: Wanted, now: Instant) -> Option<Wanted> {
        let pending = Pending { wanted, due: now + COALESCE, is_held: false };
        self.pending.replace(pending).map(|old| old.wanted)
    }

    /// Another answer came, or a turn ended: look again, a moment from now.
    pub(crate) fn touch(&mut self, now: Instant) {
        if let Some(pending) = &mut self.pending {
            pending.due = now + COALESCE;
            pending.is_held = false;
        }
    }

    /// When to look next; never while it is held or one is running.
    pub(crate) fn due(&self) -> Option<Instant> {
        let pending = self.pending.as_ref().filter(|pending| !pending.is_held && !self.is_running);
        pending.map(|pending| pending.due)
    }

    /// What is pending, for tabs that ask.
    pub(crate) fn pending(&self) -> Option<&Wanted> {
        self.pending.as_ref().map(|pending| &pending.wanted)
    }

    /// Whether somebody asked to go on with a message, and that has not begun.
    pub(crate) fn is_wanted(&self, message: &MessageId) -> bool {
        self.pending().into_iter().chain(&self.deferred).any(|wanted| wanted.message_id == *message)
    }

    /// Calls of its message still wait.
    pub(crate) fn hold(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.is_held = true;
        }
    }

    /// Its time has come: it leaves the slot and counts as running until [`Self::ended`].
    pub(crate) fn fire(&mut self) -> Option<Wanted> {
        let fired = self.pending.take()?;
        self.is_running = true;
        Some(fired.wanted)
    }

    /// It ended, however it did; the deferred one takes the slot.
    pub(crate) fn ended(&mut self, now: Instant) {
        self.is_running = false;
        if let Some(wanted) = self.deferred.take() {
            let _none = self.arm(wanted, now);
        }
    }

    /// Takes out everything that has not begun and would go on with this message.
    pub(crate) fn forget(&mut self, message: &MessageId) -> Vec<Wanted> {
        let pending = self.pending.take_if(|pending| pending.wanted.message_id == *message);
        let deferred = self.deferred.take_if(|deferred| deferred.message_id == *message);
        pending.map(|pending| pending.wanted).into_iter().chain(deferred).collect()
    }

    /// Takes out a continuation that has not begun.
    pub(crate) fn withdraw(&mut self, id: &RequestId) -> Option<Wanted> {
        let is_pending = self.pending.as_ref().is_some_and(|pending| pending.wanted.request_id == *id);
        if is_pending {
            return self.pending.take().map(|pending| pending.wanted);
        }
        self.deferred.take_if(|deferred| deferred.request_id == *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(request: &str, message: &str) -> Wanted {
        Wanted { request_id: request.into(), message_id: message.into(), owner: None, taken_up: None }
    }

    // TK-071: every answer moves the moment on.
    #[test]
    fn answers_are_coalesced() {
        let (mut slot, start) = (Continuation::default(), Instant::now());
        assert_eq!(slot.want(wanted("c1", "m"), start), None);
        let later = start + Duration::from_millis(30);
        assert_eq!(slot.want(wanted("c2", "m"), later), Some(wanted("c2", "m")), "one turn, one request");
        assert_eq!(slot.due(), Some(later + COALESCE));
        assert_eq!(slot.fire(), Some(wanted("c1", "m")));
        assert_eq!((slot.due(), slot.fire()), (None, None), "never twice for one pending");
    }

    #[test]
    fn an_unfinished_batch_is_held_until_something_happens() {
        let (mut slot, start) = (Continuation::default(), Instant::now());
        let _none = slot.want(wanted("c1", "m"), start);
        slot.hold();
        assert_eq!(slot.due(), None);
        slot.touch(start);
        assert_eq!(slot.due(), Some(start + COALESCE));
    }

    #[test]
    fn what_is_put_away_is_not_gone_on_with() {
        let (mut slot, start) = (Continuation::default(), Instant::now());
        let _none = slot.want(wanted("c1", "m"), start);
        assert_eq!(slot.forget(&"other".into()), Vec::new());
        assert_eq!(slot.forget(&"m".into()), [wanted("c1", "m")]);
        assert_eq!((slot.due(), slot.forget(&"m".into())), (None, Vec::new()));
    }

    #[test]
    fn what_comes_while_one_runs_takes_the_one_further_slot() {
        let (mut slot, start) = (Continuation::default(), Instant::now());
        let _none = slot.want(wanted("c1", "m"), start);
        let _fired = slot.fire();
        assert_eq!(slot.want(wanted("c2", "m"), start), None);
        assert_eq!(slot.want(wanted("c3", "m"), start), Some(wanted("c2", "m")), "the latest wins");
        assert_eq!(slot.due(), None);
        slot.ended(start);
        assert_eq!(slot.fire(), Some(wanted("c3", "m")));
    }
}
