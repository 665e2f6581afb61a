//! Who hears a session: bounded queues, one per socket. A socket that cannot keep up is closed and resumes; it never
//! slows the turn or the others.

use super::replay::Replay;
use bytes::Bytes;
use protocol::{ServerFrame, limits};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Names one socket of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionId(pub(crate) u64);

/// Frames that go out together, as JSON texts; shared by all sockets they go to.
pub type Batch = Arc<[Bytes]>;

/// Why the engine closed a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The socket did not read fast enough; it may come back and resume.
    FellBehind,
    /// The server stops.
    Stopping,
    /// The session was deleted.
    SessionGone,
}

/// What waits for a socket.
#[derive(Debug)]
enum Parcel {
    Frames(Batch),
    /// What the socket reads from the log by itself.
    Replay(Box<Replay>),
}

/// The engine's end of a connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Sink {
    parcels: mpsc::Sender<Parcel>,
    shared: Arc<Closing>,
}

/// The socket's end of a connection.
#[derive(Debug)]
pub(crate) struct Source {
    parcels: mpsc::Receiver<Parcel>,
    /// What is being replayed; everything queued comes after it.
    replay: Option<Box<Replay>>,
    shared: Arc<Closing>,
}

#[derive(Debug, Default)]
struct Closing {
    closed: CancellationToken,
    reason: OnceLock<CloseReason>,
    /// Bytes in the queue.
    queued: AtomicUsize,
}

pub(crate) fn connection() -> (Sink, Source) {
    let (sender, receiver) = mpsc::channel(limits::SUBSCRIBER_QUEUE_MAX);
    let shared = Arc::new(Closing::default());
    (
        Sink { parcels: sender, shared: Arc::clone(&shared) },
        Source { parcels: receiver, replay: None, shared },
    )
}

fn size(batch: &Batch) -> usize {
    batch.iter().map(Bytes::len).sum()
}

impl Sink {
    /// Queues a batch; a full queue closes the connection.
    pub(crate) fn send(&self, batch: Batch) {
        if batch.is_empty() || self.is_closed() {
            return;
        }
        let bytes = size(&batch);
        let before = self.shared.queued.fetch_add(bytes, Ordering::Relaxed);
        // A single batch may be larger than the limit (a whole transcript): it is refused only behind others.
        let is_over = before > 0 && before.saturating_add(bytes) > limits::SUBSCRIBER_QUEUE_MAX_BYTES;
        if is_over || self.parcels.try_send(Parcel::Frames(batch)).is_err() {
            self.close(CloseReason::FellBehind);
        }
    }

    /// Queues what the socket reads from the log when it comes to it.
    pub(crate) fn send_replay(&self, replay: Replay) {
        if !self.is_closed() && self.parcels.try_send(Parcel::Replay(Box::new(replay))).is_err() {
            self.close(CloseReason::FellBehind);
        }
    }

    pub(crate) fn send_frame(&self, frame: &ServerFrame) {
        self.send_text(encode(frame));
    }

    /// Queues one frame that was made text already.
    pub(crate) fn send_text(&self, text: Bytes) {
        self.send(Arc::from([text]));
    }

    pub(crate) fn close(&self, reason: CloseReason) {
        let _first_wins = self.shared.reason.set(reason);
        self.shared.closed.cancel();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled() || self.parcels.is_closed()
    }
}

/// Tells when a connection has fallen too far behind to go on.
#[derive(Debug, Clone)]
pub struct Lag(Arc<Closing>);

impl Lag {
    /// Waits until it has; for ever if it never does. Cancel-safe.
    pub async fn too_far(&self) {
        self.0.closed.cancelled().await;
        if self.0.reason.get() != Some(&CloseReason::FellBehind) {
            std::future::pending::<()>().await;
        }
    }
}

impl Source {
    pub(crate) fn lag(&self) -> Lag {
        Lag(Arc::clone(&self.shared))
    }

    /// The next frames; none when the connection is over. What was queued before an orderly end still comes.
    /// Cancel-safe.
    pub(crate) async fn receive(&mut self) -> Option<Batch> {
        while self.reason() != Some(CloseReason::FellBehind) {
            if let Some(page) = self.next_page().await {
                return Some(page);
            }
            let parcel = tokio::select! {
                biased;
                parcel = self.parcels.recv() => parcel,
                () = self.shared.closed.cancelled() => self.parcels.try_recv().ok(),
            };
            match parcel? {
                Parcel::Frames(batch) => {
                    let _before = self.shared.queued.fetch_sub(size(&batch), Ordering::Relaxed);
                    return Some(batch);
                }
                Parcel::Replay(replay) => self.replay = Some(replay),
            }
        }
        None
    }

    /// The next page of what is being replayed. Where it cannot be read the socket shall come back and ask
    /// again.
    async fn next_page(&mut self) -> Option<Batch> {
        let page = self.replay.as_mut()?.page().await;
        match page {
            Ok(Some(page)) => return Some(page),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "a stream cannot be replayed");
                let _first_wins = self.shared.reason.set(CloseReason::FellBehind);
                self.shared.closed.cancel();
            }
        }
        self.replay = None;
        None
    }

    pub(crate) fn reason(&self) -> Option<CloseReason> {
        self.shared.reason.get().copied()
    }
}

pub(crate) fn encode(frame: &ServerFrame) -> Bytes {
    Bytes::from(frame.to_text())
}

/// One socket as its session's actor knows it.
#[derive(Debug)]
pub(crate) struct Watcher {
    pub(crate) id: ConnectionId,
    pub(crate) sink: Sink,
    /// How many messages of the transcript it wants; none means all.
    pub(crate) window: Option<usize>,
    pub(crate) stage: Stage,
}

/// What a socket may hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Everything.
    Live,
    /// Between the offer of a replay and its acknowledgement: no live chunks, so that none comes twice.
    Resuming,
    /// Asked to resume while a turn was accepted but had no stream: everything, and an offer once there is one.
    Parked,
}

/// All sockets of one session.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Vec<Watcher>);

impl Watchers {
    pub(crate) fn add(&mut self, watcher: Watcher) {
        self.forget_closed();
        if !self.0.iter().any(|known| known.id == watcher.id) {
            self.0.push(watcher);
        }
    }

    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Watcher> {
        self.0.iter_mut().find(|watcher| watcher.id == id)
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Watcher> {
        self.0.iter_mut()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Watcher> {
        self.0.iter()
    }

    /// Chunks: to everybody who is not waiting for a replay.
    pub(crate) fn send_live(&self, batch: &Batch) {
        for watcher in self.0.iter().filter(|watcher| watcher.stage != Stage::Resuming) {
            watcher.sink.send(Arc::clone(batch));
        }
    }

    /// A frame for everybody.
    pub(crate) fn send_all(&self, frame: &ServerFrame) {
        let batch: Batch = Arc::from([encode(frame)]);
        for watcher in &self.0 {
            watcher.sink.send(Arc::clone(&batch));
        }
    }

    pub(crate) fn send_to(&self, id: Option<ConnectionId>, frame: &ServerFrame) {
        for watcher in self.0.iter().filter(|watcher| Some(watcher.id) == id) {
            watcher.sink.send_frame(frame);
        }
    }

    pub(crate) fn close(&self, reason: CloseReason) {
        for watcher in &self.0 {
            watcher.sink.close(reason);
        }
    }

    /// Whether nobody listens any more.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.forget_closed();
        self.0.is_empty()
    }

    fn forget_closed(&mut self) {
        self.0.retain(|watcher| !watcher.sink.is_closed());
    }
}
