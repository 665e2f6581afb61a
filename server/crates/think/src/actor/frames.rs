//! What a socket says, sorted; and how the transcript is told.

use super::Actor;
use super::replies::AndThen;
use crate::admit::{RESERVED, is_reserved};
use crate::error::ThinkError;
use crate::reply::Reply;
use crate::stream::fanout::{Batch, ConnectionId, encode};
use crate::turn::Input;
use bytes::Bytes;
use protocol::{ClientFrame, RequestId, ServerFrame, ToolResult, TurnOutcome, WireError};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl Actor {
    pub(super) async fn on_frame(&mut self, from: ConnectionId, frame: ClientFrame) {
        match frame {
            ClientFrame::ChatRequest { id, init } => self.on_chat_request(from, id, init).await,
            ClientFrame::Cancel { id } => self.on_cancel(&id).await,
            ClientFrame::Clear {} => self.on_clear(from).await,
            ClientFrame::ResumeRequest { probe_id } => self.on_resume_request(from, probe_id.as_ref()),
            ClientFrame::ResumeAck { id, from_seq } => self.on_resume_ack(from, id, from_seq).await,
            ClientFrame::ToolResult(result) => self.on_tool_result(from, result).await,
            ClientFrame::ToolApproval(verdict) => {
                let then = if verdict.auto_continue { AndThen::Continue } else { AndThen::Wait };
                let call = verdict.tool_call_id.clone();
                self.on_reply(from, call, Reply::of_verdict(verdict), then).await;
            }
            ClientFrame::Messages { .. } => {
                tracing::warn!(session.id = %self.session.id(), "a client sent its transcript; the stored one stays");
            }
            ClientFrame::Rpc { id, method, args } => self.on_rpc(from, id, &method, args).await,
        }
    }

    pub(super) fn refuse(&self, to: ConnectionId, id: Option<RequestId>, error: WireError) {
        self.watchers.send_to(Some(to), &ServerFrame::Error { id, error });
    }

    async fn on_tool_result(&mut self, from: ConnectionId, result: ToolResult) {
        let offered = result.client_tools.clone().filter(|tools| !tools.is_empty());
        if let Some(tools) = offered
            && let Err(error) = self.capture_tools(&tools).await
        {
            self.refuse(from, None, WireError::from(&error));
        }
        let call = result.tool_call_id.clone();
        let then = if result.auto_continue { AndThen::Continue } else { AndThen::Wait };
        self.on_reply(from, call, Reply::of_result(result), then).await;
    }

    /// Cancel at any moment: running, waiting, or (silently) over.
    pub(super) async fn on_cancel(&mut self, id: &RequestId) {
        if self.running.as_ref().is_some_and(|running| running.turn.request_id == *id) {
            self.drive(vec![Input::Cancel]).await;
        } else if let Some(turn) = self.queue.remove(|turn| turn.request_id == *id) {
            self.withdraw(&turn).await;
            self.watchers.send_to(turn.requester, &turn.end(TurnOutcome::Aborted));
            if turn.kind.is_continuation() {
                self.pass_by_unless_last(&turn.message_id).await;
            }
            self.tell_transcript(None).await;
            self.release_where_nothing_comes();
        } else if let Some(wanted) = self.continuation.withdraw(id) {
            self.void_promise(&wanted.request_id).await;
            self.pass_by_unless_last(&wanted.message_id).await;
            self.release_where_nothing_comes();
        }
    }

    /// Sends the transcript to everybody but one. A store that cannot be read now is told to those who wait for it.
    pub(super) async fn tell_transcript(&self, except: Option<ConnectionId>) {
        let mut frames: HashMap<Option<usize>, Batch> = HashMap::new();
        for watcher in self.watchers.all().filter(|watcher| Some(watcher.id) != except) {
            let batch = match frames.entry(watcher.window) {
                Entry::Occupied(read) => read.into_mut(),
                Entry::Vacant(unread) => unread.insert(Arc::from([self.transcript(watcher.window).await])),
            };
            watcher.sink.send(Arc::clone(batch));
        }
    }

    /// The transcript changed for other reasons than a turn. While one runs, a tab that asked for no window would drop
    /// the answer in motion; it hears the transcript at the end.
    pub(super) async fn tell_changed(&self) {
        if self.running.is_none() {
            return self.tell_transcript(None).await;
        }
        for watcher in self.watchers.all().filter(|watcher| watcher.window.is_some()) {
            watcher.sink.send_text(self.transcript(watcher.window).await);
        }
    }

    /// The frame that tells the active path, without rows that are only reserved, or says why it cannot be read.
    pub(super) async fn transcript(&self, window: Option<usize>) -> Bytes {
        self.transcript_of(window, Place::Later).await
    }

    /// The same for a socket that has just opened.
    pub(super) async fn first_transcript(&self, window: Option<usize>) -> Bytes {
        self.transcript_of(window, Place::First).await
    }

    async fn transcript_of(&self, window: Option<usize>, place: Place) -> Bytes {
        let read = match window {
            Some(limit) => self.windowed(limit, place).await,
            None => self.whole(place).await,
        };
        read.unwrap_or_else(|error| encode(&ServerFrame::Error { id: None, error: WireError::from(&error) }))
    }

    async fn windowed(&self, limit: usize, place: Place) -> Result<Bytes, ThinkError> {
        let mut transcript = self.session.window(None, limit).await?;
        transcript.connect = place == Place::First;
        transcript.messages.retain(|message| !is_reserved(message));
        Ok(encode(&ServerFrame::Messages(transcript)))
    }

    /// A path of any length goes out as it is stored.
    async fn whole(&self, place: Place) -> Result<Bytes, ThinkError> {
        let path = self.session.history_text(Some(RESERVED)).await?;
        Ok([TRANSCRIPT_OF.as_bytes(), &path.json, place.end().as_bytes()].concat().into())
    }
}

/// What comes before the messages in a frame that holds nothing else.
const TRANSCRIPT_OF: &str = "{\"type\":\"cf_agent_chat_messages\",\"messages\":";

/// Which of a socket's transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    Later,
}

impl Place {
    /// What comes after the messages.
    fn end(self) -> &'static str {
        match self {
            Self::First => ",\"connect\":true}",
            Self::Later => "}",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Transcript;

    #[test]
    fn a_frame_made_of_stored_text_is_that_of_its_messages() {
        for (place, connect) in [(Place::First, true), (Place::Later, false)] {
            let empty = encode(&ServerFrame::Messages(Transcript { connect, ..Transcript::default() }));
            assert_eq!(String::from_utf8_lossy(&empty), format!("{TRANSCRIPT_OF}[]{}", place.end()));
        }
    }
}
