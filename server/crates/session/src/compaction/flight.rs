//! One compaction at a time in each session, what changed under it meanwhile, and patience after vain attempts. In
//! memory only: after a restart nothing is running.

use protocol::{MessageId, SessionId};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A vain attempt makes the next ones wait twice as often as the one before, up to two to the power of this.
const PATIENCE_MAX: u32 = 6;

/// What is known of the compactions of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<HashMap<SessionId, State>>);

/// What is known of one session.
#[derive(Debug, Default, PartialEq, Eq)]
struct State {
    running: Option<Running>,
    /// Vain attempts since the last one that helped.
    misses: u32,
    /// How often the next attempt will be put off.
    waits: u32,
    /// Tokens of a prompt beside its messages.
    overhead: u64,
    /// How often its prompt began anew: it was cleared or compacted.
    beginnings: u64,
}

/// What happened since a compaction began.
#[derive(Debug, Default, PartialEq, Eq)]
struct Running {
    is_cleared: bool,
    touched: HashSet<MessageId>,
}

impl Flights {
    /// None where one is running already.
    pub(crate) fn begin(&self, session: &SessionId) -> Option<Flight<'_>> {
        let mut states = self.states();
        let state = states.entry(session.clone()).or_default();
        if state.running.is_some() {
            return None;
        }
        state.running = Some(Running::default());
        Some(Flight { flights: self, session: session.clone() })
    }

    /// All messages of a session are about to go, or to come back: vain attempts were for others.
    pub(crate) fn clear(&self, session: &SessionId) {
        let mut states = self.states();
        let Some(state) = states.get_mut(session) else { return };
        (state.misses, state.waits) = (0, 0);
        if let Some(running) = &mut state.running {
            running.is_cleared = true;
        }
    }

    /// A session is about to go for good; another one may get its id.
    pub(crate) fn forget(&self, session: &SessionId) {
        self.clear(session);
        let mut states = self.states();
        let Some(state) = states.get_mut(session) else { return };
        (state.overhead, state.beginnings) = (0, 0);
        if *state == State::default() {
            let _gone = states.remove(session);
        }
    }

    /// Messages of a session are about to change or to go.
    pub(crate) fn touch(&self, session: &SessionId, ids: &[MessageId]) {
        if let Some(running) = self.states().get_mut(session).and_then(|state| state.running.as_mut()) {
            running.touched.extend(ids.iter().cloned());
        }
    }

    /// Whether an attempt may be made now.
    pub(crate) fn may_try(&self, session: &SessionId) -> bool {
        let mut states = self.states();
        let Some(state) = states.get_mut(session) else { return true };
        let may = state.waits == 0;
        state.waits = state.waits.saturating_sub(1);
        may
    }

    /// Notes an attempt that helped.
    pub(crate) fn hit(&self, session: &SessionId) {
        if let Some(state) = self.states().get_mut(session) {
            (state.misses, state.waits) = (0, 0);
        }
    }

    /// Notes a vain attempt; whether it is the first one.
    pub(crate) fn miss(&self, session: &SessionId) -> bool {
        let mut states = self.states();
        let state = states.entry(session.clone()).or_default();
        state.misses = state.misses.saturating_add(1);
        state.waits = (1 << state.misses.min(PATIENCE_MAX)) - 1;
        state.misses == 1
    }

    /// Tokens of a prompt beside its messages, as they were noted last.
    pub(crate) fn overhead(&self, session: &SessionId) -> u64 {
        self.states().get(session).map_or(0, |state| state.overhead)
    }

    pub(crate) fn set_overhead(&self, session: &SessionId, tokens: u64) {
        self.states().entry(session.clone()).or_default().overhead = tokens;
    }

    /// How often the prompt of a session began anew.
    pub(crate) fn beginnings(&self, session: &SessionId) -> u64 {
        self.states().get(session).map_or(0, |state| state.beginnings)
    }

    /// Notes that it did.
    pub(crate) fn begin_anew(&self, session: &SessionId) {
        let mut states = self.states();
        let state = states.entry(session.clone()).or_default();
        state.beginnings = state.beginnings.saturating_add(1);
    }

    fn states(&self) -> MutexGuard<'_, HashMap<SessionId, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running compaction; over when it is dropped.
#[derive(Debug)]
pub(crate) struct Flight<'a> {
    flights: &'a Flights,
    session: SessionId,
}

impl Flight<'_> {
    /// Whether nothing happened to these messages. Ask with the right to write: then nothing can happen until it is
    /// given back.
    pub(crate) fn is_undisturbed<'a>(&self, mut messages: impl Iterator<Item = &'a MessageId>) -> bool {
        let states = self.flights.states();
        let running = states.get(&self.session).and_then(|state| state.running.as_ref());
        running.is_some_and(|running| !running.is_cleared && !messages.any(|id| running.touched.contains(id)))
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut states = self.flights.states();
        if let Some(state) = states.get_mut(&self.session) {
            state.running = None;
            if *state == State::default() {
                let _idle = states.remove(&self.session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_only_while_undisturbed() {
        let (flights, session, other) = (Flights::default(), SessionId::from("s"), SessionId::from("o"));
        let id = MessageId::from("m");
        flights.touch(&session, std::slice::from_ref(&id));
        let flight = flights.begin(&session).unwrap();
        assert!(flights.begin(&session).is_none() && flights.begin(&other).is_some());
        assert!(flight.is_undisturbed([&id].into_iter()));
        flights.touch(&session, &["x".into()]);
        flights.clear(&other);
        assert!(flight.is_undisturbed([&id].into_iter()));
        flights.touch(&session, std::slice::from_ref(&id));
        assert!(!flight.is_undisturbed([&id].into_iter()) && flight.is_undisturbed([].into_iter()));
        flights.clear(&session);
        assert!(!flight.is_undisturbed([].into_iter()));
        drop(flight);
        assert!(flights.begin(&session).unwrap().is_undisturbed([&id].into_iter()));
        assert!(flights.states().is_empty());
    }

    #[test]
    fn patience_doubles_with_every_miss_and_ends_with_a_hit() {
        let (flights, session) = (Flights::default(), SessionId::from("s"));
        let mut attempts = Vec::new();
        for trigger in 0..200 {
            if flights.may_try(&session) {
                attempts.push(trigger);
                assert_eq!(flights.miss(&session), trigger == 0);
            }
        }
        assert_eq!(attempts, [0, 2, 6, 14, 30, 62, 126, 190]);
        flights.hit(&session);
        assert!(flights.may_try(&session) && flights.miss(&session));
        assert!(!flights.may_try(&session));
        flights.clear(&session);
        assert!(flights.may_try(&session) && flights.miss(&session), "a cleared session begins anew");
    }

    #[test]
    fn nothing_is_kept_of_a_session_that_is_gone() {
        let (flights, session) = (Flights::default(), SessionId::from("s"));
        flights.forget(&session);
        flights.set_overhead(&session, 9);
        let flight = flights.begin(&session).unwrap();
        flights.forget(&session);
        assert!(!flight.is_undisturbed([].into_iter()) && flights.overhead(&session) == 0);
        drop(flight);
        flights.set_overhead(&session, 9);
        let _is_first = flights.miss(&session);
        flights.forget(&session);
        assert!(flights.states().is_empty());
    }
}
