//! The resume handshake: offer, acknowledgement, replay, and back into the live stream without a gap or a repetition.
//!
//! Everything that was ever sent is in the log, and a replay is queued with the number of the chunk it ends
//! before, ahead of everything live, so it ends exactly where the live stream goes on.

use super::{Actor, Running};
use crate::error::ThinkError;
use crate::stream::fanout::{ConnectionId, Stage, encode};
use crate::stream::log::{StoredStream, StreamStatus};
use crate::stream::replay::Replay;
use bytes::Bytes;
use protocol::{ChatResponse, NoneReason, RequestId, ServerFrame, TurnStatus, WireError};
use serde_json::Value;
use std::ops::Range;

impl Actor {
    pub(super) fn on_resume_request(&mut self, from: ConnectionId, probe_id: Option<&Value>) {
        let probe_id = probe_id.and_then(Value::as_str).map(str::to_owned);
        let running = self.running.as_ref().map(|running| running.turn.request_id.clone());
        let owner = self.continuation_owner();
        let continuation = self.pending_continuation();
        let waiting = self.queue.waiting().next_back().map(|turn| turn.request_id.clone());
        let terminal = self.terminal.as_ref().map(|record| record.request_id.clone());
        let Some(watcher) = self.watchers.get_mut(from) else { return };
        let is_others = owner.is_some_and(|owner| owner != from) && watcher.window.is_none();
        // Who waits for another's continuation hears it live.
        let may_wait =
            |owner: Option<ConnectionId>| owner.is_none_or(|owner| owner == from) || watcher.window.is_some();
        let continuation = continuation.filter(|(_, owner)| may_wait(*owner));
        let frame = if is_others {
            ServerFrame::ResumeNone { reason: Some(NoneReason::ContinuationOwned), probe_id }
        } else if let Some(id) = running {
            watcher.stage = Stage::Resuming;
            ServerFrame::Resuming { id, probe_id }
        } else if let Some((id, _)) = continuation {
            watcher.stage = Stage::Parked;
            ServerFrame::Pending { id: Some(id), probe_id }
        } else if let Some(id) = terminal {
            ServerFrame::Resuming { id, probe_id }
        } else if let Some(id) = waiting {
            watcher.stage = Stage::Parked;
            ServerFrame::Pending { id: Some(id), probe_id }
        } else {
            ServerFrame::ResumeNone { reason: Some(NoneReason::Idle), probe_id }
        };
        watcher.sink.send_frame(&frame);
    }

    /// The socket that a running continuation belongs to, while it is open. The public client lets only that one
    /// resume it; our own pages all may.
    fn continuation_owner(&self) -> Option<ConnectionId> {
        let turn =
            self.running.as_ref().map(|running| &running.turn).filter(|turn| turn.kind.is_continuation())?;
        turn.requester.filter(|owner| self.is_open(*owner))
    }

    /// The continuation that is about to begin, and the socket that it belongs to.
    fn pending_continuation(&self) -> Option<(RequestId, Option<ConnectionId>)> {
        let wanted = self.continuation.pending()?;
        Some((wanted.request_id.clone(), wanted.owner.filter(|owner| self.is_open(*owner))))
    }

    fn is_open(&self, id: ConnectionId) -> bool {
        self.watchers.all().any(|watcher| watcher.id == id && !watcher.sink.is_closed())
    }

    pub(super) fn offer_to_parked(&mut self) {
        let Some(id) = self.running.as_ref().map(|running| running.turn.request_id.clone()) else { return };
        for watcher in self.watchers.all_mut().filter(|watcher| watcher.stage == Stage::Parked) {
            watcher.stage = Stage::Resuming;
            watcher.sink.send_frame(&ServerFrame::Resuming { id: id.clone(), probe_id: None });
        }
    }

    /// Releases those who wait for a stream, if none is to be expected any more.
    pub(super) fn release_where_nothing_comes(&mut self) {
        if self.running.is_none() && self.queue.is_idle() && self.continuation.pending().is_none() {
            self.release_waiting();
        }
    }

    /// Nothing will stream: whoever was told to wait for it is told so.
    pub(super) fn release_waiting(&mut self) {
        for watcher in self.watchers.all_mut() {
            if std::mem::replace(&mut watcher.stage, Stage::Live) == Stage::Parked {
                watcher.sink.send_frame(&ServerFrame::ResumeNone { reason: None, probe_id: None });
            }
        }
    }

    pub(super) async fn on_resume_ack(&mut self, from: ConnectionId, id: RequestId, from_seq: Option<u64>) {
        let from_seq = from_seq.unwrap_or(0);
        let replay = match &self.running {
            // Another stream is active; it was or will be offered by itself.
            Some(running) if running.turn.request_id != id => return,
            Some(running) => Ok(self.replay_of_running(running, from_seq)),
            None => self.replay_of_ended(&id, from_seq).await,
        };
        let Some(watcher) = self.watchers.get_mut(from) else { return };
        // Who waits for a stream that has not begun goes on waiting for it, whatever else it reads.
        if watcher.stage == Stage::Resuming {
            watcher.stage = Stage::Live;
        }
        match replay {
            Ok((replay, end)) => {
                if let Some(replay) = replay {
                    watcher.sink.send_replay(replay);
                }
                watcher.sink.send_text(end);
            }
            Err(error) => self.refuse(from, Some(id), WireError::from(&error)),
        }
    }

    fn replay_of_running(&self, running: &Running, from_seq: u64) -> (Option<Replay>, Bytes) {
        let (id, continuation) = (&running.turn.request_id, running.turn.kind.is_continuation());
        let stream = StoredStream {
            id: running.stream_id.clone(),
            status: StreamStatus::Streaming,
            is_continuation: continuation,
        };
        let replay = self.replay_of(id, stream, from_seq..running.seq);
        let end = mark(id, |frame| {
            frame.replay_complete = true;
            frame.continuation = continuation;
        });
        (Some(replay), end)
    }

    fn replay_of(&self, id: &RequestId, stream: StoredStream, chunks: Range<u64>) -> Replay {
        let (id, continuation) = (id.to_string(), stream.is_continuation);
        let like = ChatResponse { id, continuation, replay: true, ..ChatResponse::default() };
        Replay::new(self.shared.log.clone(), stream.id, chunks, like)
    }

    async fn replay_of_ended(
        &self,
        id: &RequestId,
        from_seq: u64,
    ) -> Result<(Option<Replay>, Bytes), ThinkError> {
        let stream = self.shared.log.newest(self.session.id(), id).await?;
        let terminal = self.terminal.as_ref().filter(|record| record.request_id == *id);
        let continuation = stream.as_ref().is_some_and(|stream| stream.is_continuation);
        let is_shown = |stream: &StoredStream| stream.status != StreamStatus::Error || terminal.is_some();
        let replay = stream.filter(is_shown).map(|stream| self.replay_of(id, stream, from_seq..u64::MAX));
        let failed = terminal.filter(|record| record.status != TurnStatus::Interrupted);
        let end = match failed {
            Some(record) => mark(id, |frame| {
                frame.body = record.error.clone().unwrap_or_default();
                frame.done = true;
                frame.error = true;
                frame.replay = false;
                frame.continuation = continuation;
            }),
            None => mark(id, |frame| {
                frame.done = true;
                frame.continuation = continuation;
            }),
        };
        Ok((replay, end))
    }
}

/// A frame without a chunk, at the end of a replay.
fn mark(id: &RequestId, set: impl FnOnce(&mut ChatResponse)) -> Bytes {
    let mut frame = ChatResponse { id: id.to_string(), replay: true, ..ChatResponse::default() };
    set(&mut frame);
    encode(&ServerFrame::ChatResponse(frame))
}
