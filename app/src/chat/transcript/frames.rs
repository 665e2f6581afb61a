//! One frame in, changes and answers out: the routing, and the server's list becoming rows.

use super::past::Path;
use super::{Delivery, Ending, Folding, Row, Step, TranscriptState};
use protocol::{ClientFrame, Message, MessageId, Phase, RequestId, Role, ServerFrame, Transcript};
use std::collections::{HashMap, HashSet};

impl TranscriptState {
    /// Applies a frame of this session's socket. Frames to send in answer.
    pub fn apply(&mut self, frame: ServerFrame) -> Vec<ClientFrame> {
        match frame {
            ServerFrame::ChatResponse(response) => self.stream(&response),
            ServerFrame::Messages(list) => return self.synchronise(list),
            ServerFrame::MessageUpdated { message } => self.update(message),
            ServerFrame::Clear {} => self.clear(),
            ServerFrame::Resuming { id, .. } => return self.resume(id),
            ServerFrame::ResumeNone { reason: None | Some(protocol::NoneReason::Idle), .. } => {
                self.nothing_runs()
            }
            ServerFrame::ResumeNone { .. } => {}
            ServerFrame::Pending { id, .. } => {
                if let Some(id) = id {
                    self.accept(id);
                }
            }
            ServerFrame::Recovering { recovering, .. } => {
                self.is_recovering = recovering;
                self.reorder();
            }
            ServerFrame::Turn { id, status, error } => self.conclude(&id, Ending { status, error }),
            ServerFrame::Error { id, error } => {
                if !id.is_some_and(|id| self.refuse(&id, &error.message)) {
                    self.changes.notice = Some(error.message);
                }
            }
            ServerFrame::BlockFull { message, .. } => self.changes.notice = Some(message),
            ServerFrame::SessionError { error } => self.set_folding(Folding::Failed(error)),
            ServerFrame::SessionStatus { phase: Phase::Compacting, .. } => self.set_folding(Folding::Busy),
            ServerFrame::SessionStatus { phase: Phase::Idle, .. } if self.folding == Folding::Busy => {
                self.set_folding(Folding::Idle)
            }
            ServerFrame::SessionStatus { phase: Phase::Idle, .. }
            | ServerFrame::Identity { .. }
            | ServerFrame::State { .. }
            | ServerFrame::McpServers { .. }
            | ServerFrame::Rpc(_)
            | ServerFrame::SessionChanged { .. }
            | ServerFrame::BlockChanged { .. }
            | ServerFrame::SessionRemoved { .. } => {}
        }
        Vec::new()
    }

    /// The server's list: the truth about everything that is stored.
    fn synchronise(
        &mut self,
        Transcript { messages, earlier, siblings, pinned, overlays, .. }: Transcript,
    ) -> Vec<ClientFrame> {
        self.drop_in_vain();
        let was_synced = self.link.is_synced();
        let listed: HashSet<MessageId> = messages.iter().map(|message| message.id.clone()).collect();
        let old_last = self.rows.last().map(|row| row.message.id.clone());
        if self.link.step != Step::AtRest || old_last.as_ref() != messages.last().map(|message| &message.id) {
            self.link.step = Step::Together;
        }
        let old = std::mem::take(&mut self.rows);
        let first = messages.first().map(|message| &message.id);
        let is_known = old.iter().any(|row| Some(&row.message.id) == first);
        let (before, old) = split_before(old, first);
        self.earlier = earlier.saturating_sub(before.len() as u64);
        let live_row = self.live.as_ref().map(|live| live.row.clone());
        let mut live = None;
        let mut own = Vec::new();
        let mut known = HashMap::new();
        let mut trailing = None;
        let mut above = None;
        for row in old {
            let question = above.replace(row.message.id.clone());
            if Some(&row.key) == live_row.as_ref() {
                live = Some(row);
            } else if row.delivery != Delivery::Settled {
                own.push(row);
            } else if row.outcome.is_some() && !listed.contains(&row.message.id) {
                trailing = Some((row, question));
            } else {
                let _same = known.insert(row.message.id.clone(), row);
            }
        }
        self.rows = before;
        let rows = messages.into_iter().map(|message| match known.remove(&message.id) {
            Some(row) => Row { message, ..row },
            None => Row::stored(message),
        });
        self.rows.extend(rows);
        self.versions.retain(|id, _| !listed.contains(id));
        self.set_versions(siblings);
        self.marks.add(pinned, overlays);
        self.keep_past(if is_known { Path::Same } else { Path::Unclear });
        self.keep_trailing(trailing);
        self.settle_outbox(&listed, own);
        self.keep_live(live, |id| !was_synced && listed.contains(id));
        self.place_in_vain();
        self.touch_all();
        let mut replies = Vec::new();
        if !was_synced && self.is_in_doubt() {
            replies.push(ClientFrame::ResumeRequest { probe_id: None });
        }
        replies.extend(self.unsent());
        replies
    }

    /// Puts the answer in motion back among the new rows, unless it was finished while this tab could not listen.
    fn keep_live(&mut self, row: Option<Row>, was_finished: impl Fn(&MessageId) -> bool) {
        let Some(mut row) = row else { return };
        if let Some(id) = self.live_id().cloned() {
            row.message.id = id;
        }
        if was_finished(&row.message.id) {
            self.live = None;
            return;
        }
        let question = self.live.as_ref().and_then(|live| live.question.clone());
        if let Some(question) =
            question.as_ref().filter(|_| self.live.as_ref().is_some_and(|it| it.is_another_version))
        {
            self.hide_after(question);
        }
        let at = self.place_of(&row.message.id, question.or_else(|| self.unanswered()));
        self.put(row, at);
    }

    /// A turn that ended without a stored message stays below its question; where an older answer took the place
    /// back, it is told aside.
    fn keep_trailing(&mut self, turn: Option<(Row, Option<MessageId>)>) {
        let Some((row, question)) = turn else { return };
        let asked = self.rows.iter().position(|row| Some(&row.message.id) == question.as_ref());
        let place = asked.map_or(self.rows.len(), |at| at + 1);
        let is_free = self
            .rows
            .get(place)
            .or_else(|| self.rows.last())
            .is_none_or(|row| row.message.role == Role::User);
        if is_free {
            self.rows.insert(place, row);
        } else if let Some(error) = row.outcome.and_then(|ending| ending.error) {
            self.changes.notice = Some(error);
        }
    }

    fn update(&mut self, message: Message) {
        if self.live_id() == Some(&message.id) {
            return;
        }
        let Some(row) = self.rows.iter_mut().find(|row| row.message.id == message.id) else { return };
        row.message = message;
        let key = row.key.clone();
        self.touch(&key);
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.outbox.clear();
        self.versions.clear();
        self.live = None;
        self.past = None;
        self.earlier = 0;
        self.reorder();
    }

    fn resume(&mut self, id: RequestId) -> Vec<ClientFrame> {
        if !self.link.asked.insert(id.clone()) {
            return Vec::new();
        }
        let known = self.live.as_ref().filter(|live| live.request.as_ref() == Some(&id));
        let from_seq = known.map(|live| live.next_seq).filter(|seq| *seq > 0);
        // Asked for before the stream was known, or while there was no connection.
        let wants_stop = self.live.as_ref().is_some_and(|live| live.is_stopping);
        let mut replies = vec![ClientFrame::ResumeAck { id: id.clone(), from_seq }];
        if wants_stop {
            replies.push(ClientFrame::Cancel { id });
        }
        replies
    }

    fn touch_all(&mut self) {
        self.reorder();
        let keys: Vec<_> = self.rows.iter().map(|row| row.key.clone()).collect();
        self.changes.rows.extend(keys);
    }
}

/// Splits off the rows before `first`, which an earlier look at older messages brought here. A path has one beginning,
/// so whatever stands before a message stays before it.
fn split_before(mut rows: Vec<Row>, first: Option<&MessageId>) -> (Vec<Row>, Vec<Row>) {
    let at = first.and_then(|first| rows.iter().position(|row| row.message.id == *first)).unwrap_or(0);
    let rest = rows.split_off(at);
    (rows, rest)
}
