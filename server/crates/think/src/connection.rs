//! A socket's view of the engine: frames in, batches of frames out.

use crate::actor::{Command, Matter};
use crate::admit::read;
use crate::engine::Engine;
use crate::stream::fanout::{Batch, CloseReason, ConnectionId, Lag, Sink, Source, Stage, Watcher};
use protocol::{ClientFrame, SessionId, WireError, limits};
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
    /// frames. A request, or an answer to a call, that names another session goes there, and this connection hears what
    /// comes of it too.
    ///
    /// # Errors
    /// The named session does not exist, or the engine stops: the frame was not taken.
    pub async fn handle(&self, frame: ClientFrame) -> Result<(), WireError> {
        let from = self.id;
        let session = match named_session(&frame) {
            Some(other) if other != self.session => {
                self.listen_to(&other).await?;
                other
            }
            Some(own) => own,
            None => self.place_of(&frame).await,
        };
        if matches!(frame, ClientFrame::Cancel { .. }) {
            self.cancel_elsewhere(&frame).await;
        }
        let command = Command::Frame { from, frame: Box::new(frame) };
        self.engine.send(&session, command).await.map_err(|error| WireError::from(&error))
    }

    async fn listen_to(&self, session: &SessionId) -> Result<(), WireError> {
        let (id, sink, window) = (self.id, self.sink.clone(), self.window);
        let watcher = Watcher { id, sink, window, stage: Stage::Live };
        let listening = self.engine.send(session, Command::Listen(watcher)).await;
        listening.map_err(|error| WireError::from(&error))?;
        self.elsewhere.note(session);
        Ok(())
    }

    /// Where a frame belongs that names no session: its own, unless only another one that it asked something in knows
    /// what the frame is about, the latest first.
    async fn place_of(&self, frame: &ClientFrame) -> SessionId {
        let elsewhere = self.elsewhere.all();
        let matter = Matter::of(frame).filter(|_| !elsewhere.is_empty());
        let Some(matter) = matter else { return self.session.clone() };
        for session in std::iter::once(&self.session).chain(elsewhere.iter().rev()) {
            if self.engine.knows(session, matter.clone()).await {
                return session.clone();
            }
        }
        self.session.clone()
    }

    /// A stop names no session. Where its request is unknown it does nothing, and a session that is gone has nothing
    /// to stop.
    async fn cancel_elsewhere(&self, frame: &ClientFrame) {
        for session in self.elsewhere.all() {
            let command = Command::Frame { from: self.id, frame: Box::new(frame.clone()) };
            let _gone = self.engine.send(&session, command).await;
        }
    }
}

fn named_session(frame: &ClientFrame) -> Option<SessionId> {
    match frame {
        ClientFrame::ChatRequest { init, .. } => {
            // Most bodies name none; only those that may are read twice.
            let may_name = init.body.as_ref().is_some_and(|body| body.contains("sessionId"));
            may_name.then(|| read(init).ok()?.session_id).flatten()
        }
        ClientFrame::ToolResult(result) => result.session_id.clone(),
        ClientFrame::ToolApproval(verdict) => verdict.session_id.clone(),
        ClientFrame::Cancel { .. }
        | ClientFrame::Clear {}
        | ClientFrame::ResumeRequest { .. }
        | ClientFrame::ResumeAck { .. }
        | ClientFrame::Messages { .. }
        | ClientFrame::Rpc { .. } => None,
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
