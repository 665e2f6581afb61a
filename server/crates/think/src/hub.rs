//! What is shared by all sessions of an instance: every open socket, and which sessions are busy.

use crate::stream::fanout::{Batch, CloseReason, ConnectionId, Sink, encode};
use protocol::{Phase, ServerFrame, SessionId};
use session::SessionEvent;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

#[derive(Debug, Default)]
pub(crate) struct Hub {
    next: AtomicU64,
    /// Never held across an await: every method is a few instructions.
    state: Mutex<State>,
    /// Told when a session becomes quiet.
    quiet: Notify,
}

#[derive(Debug, Default)]
struct State {
    sockets: HashMap<ConnectionId, Listener>,
    busy: HashSet<SessionId>,
    /// Where a summary is being written: what was said of that.
    folding: HashMap<SessionId, Batch>,
}

/// An open socket and the session it looks at.
#[derive(Debug)]
struct Listener {
    session: SessionId,
    sink: Sink,
}

impl State {
    fn send(&self, session: &SessionId, batch: &Batch) {
        for listener in self.sockets.values().filter(|listener| listener.session == *session) {
            listener.sink.send(Arc::clone(batch));
        }
    }
}

impl Hub {
    pub(crate) fn register(&self, session: &SessionId, sink: &Sink) -> ConnectionId {
        let id = ConnectionId(self.next.fetch_add(1, Ordering::Relaxed));
        let listener = Listener { session: session.clone(), sink: sink.clone() };
        let _new = self.state().sockets.insert(id, listener);
        id
    }

    /// Open sockets and busy sessions.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.sockets.len(), state.busy.len())
    }

    pub(crate) fn forget(&self, id: ConnectionId) {
        let _sink = self.state().sockets.remove(&id);
    }

    /// A frame for every socket of the instance.
    pub(crate) fn announce(&self, frame: &ServerFrame) {
        let batch: Batch = Arc::from([encode(frame)]);
        for listener in self.state().sockets.values() {
            listener.sink.send(Arc::clone(&batch));
        }
    }

    /// A frame for every socket that looks at a session.
    pub(crate) fn tell(&self, session: &SessionId, frame: &ServerFrame) {
        self.state().send(session, &Arc::from([encode(frame)]));
    }

    /// What goes on in a session besides messages, for every socket that looks at it.
    pub(crate) fn tell_event(&self, session: &SessionId, event: SessionEvent) {
        let phase = if let SessionEvent::Status(status) = &event { Some(status.phase) } else { None };
        let batch: Batch = Arc::from([encode(&ServerFrame::from(event))]);
        let mut state = self.state();
        let _known = match phase {
            Some(Phase::Compacting) => state.folding.insert(session.clone(), Arc::clone(&batch)),
            Some(Phase::Idle) => state.folding.remove(session),
            None => None,
        };
        state.send(session, &batch);
    }

    /// Tells a socket that is new here of a summary that is being written. That it is over comes like any event: both
    /// are said under one lock, so never in the wrong order.
    pub(crate) fn tell_summary(&self, session: &SessionId, sink: &Sink) {
        if let Some(batch) = self.state().folding.get(session) {
            sink.send(Arc::clone(batch));
        }
    }

    pub(crate) fn close_all(&self, reason: CloseReason) {
        for listener in self.state().sockets.values() {
            listener.sink.close(reason);
        }
    }

    pub(crate) fn set_busy(&self, session: &SessionId) {
        let _new = self.state().busy.insert(session.clone());
    }

    pub(crate) fn set_quiet(&self, session: &SessionId) {
        let _was = self.state().busy.remove(session);
        self.quiet.notify_waiters();
    }

    /// Waits until nothing runs or waits in a session. Cancel-safe.
    pub(crate) async fn quiet(&self, session: &SessionId) {
        loop {
            let quiet = self.quiet.notified();
            if !self.is_busy(session) {
                return;
            }
            quiet.await;
        }
    }

    pub(crate) fn is_busy(&self, session: &SessionId) -> bool {
        self.state().busy.contains(session)
    }

    /// A panic elsewhere cannot leave this state half changed, so poison is no reason to stop.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
