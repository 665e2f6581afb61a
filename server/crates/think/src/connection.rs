//! A socket's view of the engine: frames in, batches of frames out.

use crate::actor::Command;
use crate::engine::Engine;
use crate::stream::fanout::{Batch, CloseReason, ConnectionId, Lag, Sink, Source, Stage, Watcher};
use protocol::{ChatBody, ClientFrame, SessionId, WireError, limits};
use std::sync::{Arc, Mutex, PoisonError};

/// How a socket wants to be greeted.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectOptions {
    /// Only the last so many messages of the transcript, and the transcript even while a turn runs. Without it the
    /// whole path is sent, as the public client expects.
    pub window: Option<usize>,
}

/// An open connection. Dropping it, or its reader, ends it; the turn goes on.
#[derive(Debug)]
pub struct Connection {
    sender: ConnectionSender,
    reader: ConnectionReader,
}

/// The half that takes frames from the client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConnectionSender {
    engine: Engine,
    session: SessionId,
    id: ConnectionId,
    sink: Sink,
    window: Option<usize>,
    elsewhere: Elsewhere,
}

/// The other sessions in which this socket asked for something, the latest last.
#[derive(Debug, Clone, Default)]
struct Elsewhere(Arc<Mutex<Vec<SessionId>>>);

impl Elsewhere {
    fn note(&self, session: &SessionId) {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|known| known != session);
        sessions.push(session.clone());
        if sessions.len() > limits::SOCKET_SESSIONS_MAX {
            drop(sessions.remove(0));
        }
    }

    fn all(&self) -> Vec<SessionId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The half that gives frames for the client.
#[derive(Debug)]
pub struct ConnectionReader {
    engine: Engine,
    id: ConnectionId,
    source: Source,
}

impl Connection {
    pub(crate) fn new(engine: &Engine, session: &SessionId, options: ConnectOptions) -> (Self, Watcher) {
        let (sink, source) = crate::stream::fanout::connection();
        let id = engine.shared().hub.register(session, &sink);
        let window = options.window;
        let watcher = Watcher { id, sink: sink.clone(), window, stage: Stage::Live };
        let (session, elsewhere) = (session.clone(), Elsewhere::default());
        let sender = ConnectionSender { engine: engine.clone(), session, id, sink, window, elsewhere };
        (Self { sender, reader: ConnectionReader { engine: engine.clone(), id, source } }, watcher)
    }

    /// Two halves, for two tasks.
    pub fn split(self) -> (ConnectionSender, ConnectionReader) {
        (self.sender, self.reader)
    }

    /// See [`ConnectionSender::handle`].
    ///
    /// # Errors
    /// As there.
    pub async fn handle(&self, frame: ClientFrame) -> Result<(), WireError> {
        self.sender.handle(frame).await
    }

    /// See [`ConnectionReader::receive`].
    pub async fn receive(&mut self) -> Option<Batch> {
        self.reader.receive().await
    }
}

impl ConnectionSender {
    /// Hands a frame to the session's actor; waits while its mailbox is full. Answers, refusals included, come as
    /// frames. A chat request that names another session goes there, and this connection hears its answer too.
    ///
    /// # Errors
    /// The named session does not exist, or the engine stops: the frame was not taken.
    pub async fn handle(&self, frame: ClientFrame) -> Result<(), WireError> {
        let (from, other) = (self.id, self.other_session(&frame));
        let session = other.as_ref().unwrap_or(&self.session);
        if other.is_some() {
            let (id, sink, window) = (self.id, self.sink.clone(), self.window);
            let watcher = Watcher { id, sink, window, stage: Stage::Live };
            self.engine
                .send(session, Command::Listen(watcher))
                .await
                .map_err(|error| WireError::from(&error))?;
            self.elsewhere.note(session);
        }
        if matches!(frame, ClientFrame::Cancel { .. }) {
            self.cancel_elsewhere(&frame).await;
        }
        let command = Command::Frame { from, frame: Box::new(frame) };
        self.engine.send(session, command).await.map_err(|error| WireError::from(&error))
    }

    /// A stop names no session. Where its request is unknown it does nothing, and a session that is gone has nothing
    /// to stop.
    async fn cancel_elsewhere(&self, frame: &ClientFrame) {
        for session in self.elsewhere.all() {
            let command = Command::Frame { from: self.id, frame: Box::new(frame.clone()) };
            let _gone = self.engine.send(&session, command).await;
        }
    }

    fn other_session(&self, frame: &ClientFrame) -> Option<SessionId> {
        let ClientFrame::ChatRequest { init, .. } = frame else { return None };
        // Most bodies name none; only those that may are read twice.
        let may_name = init.body.as_ref().is_some_and(|body| body.contains("sessionId"));
        let named = may_name.then(|| ChatBody::parse(init).ok()?.session_id).flatten();
        named.filter(|named| *named != self.session)
    }
}

impl ConnectionReader {
    /// The next frames, to be written in order and flushed once; none when the connection is over
    /// ([`Self::close_reason`] says why). Cancel-safe.
    pub async fn receive(&mut self) -> Option<Batch> {
        self.source.receive().await
    }

    /// What tells that this connection has fallen too far behind, even while something is being sent.
    pub fn lag(&self) -> Lag {
        self.source.lag()
    }

    /// Why the engine ended the connection; none while it is open.
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.source.reason()
    }
}

impl Drop for ConnectionReader {
    fn drop(&mut self) {
        self.engine.shared().hub.forget(self.id);
    }
}
