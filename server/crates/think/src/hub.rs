//! What is shared by all sessions of an instance: every open socket, and which sessions are busy.

use crate::stream::fanout::{Batch, CloseReason, ConnectionId, Sink, encode};
use protocol::{ServerFrame, SessionId};
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
}

/// An open socket and the session it looks at.
#[derive(Debug)]
struct Listener {
    session: SessionId,
    sink: Sink,
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
        let batch: Batch = Arc::from([encode(frame)]);
        let state = self.state();
        for listener in state.sockets.values().filter(|listener| listener.session == *session) {
            listener.sink.send(Arc::clone(&batch));
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
