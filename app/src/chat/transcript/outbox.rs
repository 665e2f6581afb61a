//! Requests of this tab until their answer begins: what was typed is never lost, and never sent twice as two messages.
//!
//! After a reconnect the server's list decides: a message that stands in it was accepted, any other is sent again
//! under the same ids, which the server takes once.

use super::{Delivery, Row, RowKey, TranscriptState, Words};
use protocol::{ChatBody, ClientFrame, Message, MessageId, RequestId, RequestInit, Role, Trigger};
use std::collections::HashSet;

/// One request whose answer has not begun.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) request: RequestId,
    /// The user message that is sent, or whose answer is wanted anew.
    pub(super) message: Message,
    pub(super) trigger: Trigger,
    /// The model that is asked, where it is not the session's.
    pub(super) model: Option<String>,
    pub(super) stage: Stage,
    pub(super) is_stopping: bool,
    /// Rows that left the screen for another version; they come back if there will be none.
    pub(super) hidden: Vec<Row>,
    /// The row that stands for a changed message until the server's list has its new version.
    pub(super) edited: Option<RowKey>,
}

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// To be sent.
    New,
    /// Sent on the socket that is open now.
    Sent,
    /// The server has said that it has it.
    Accepted,
}

impl Pending {
    pub(super) fn is_sent(&self) -> bool {
        self.stage >= Stage::Sent
    }

    pub(super) fn is_accepted(&self) -> bool {
        self.stage == Stage::Accepted
    }

    fn new(request: RequestId, message: Message, trigger: Trigger) -> Self {
        Self {
            request,
            message,
            trigger,
            model: None,
            stage: Stage::New,
            is_stopping: false,
            hidden: Vec::new(),
            edited: None,
        }
    }

    fn frame(&self) -> ClientFrame {
        let is_again = self.trigger == Trigger::RegenerateMessage && self.edited.is_none();
        let trigger = is_again.then_some(self.trigger);
        let body = ChatBody {
            messages: vec![self.message.clone()],
            trigger,
            model: self.model.clone(),
            ..ChatBody::default()
        };
        let body = serde_json::to_string(&body).ok();
        let init = RequestInit { method: "POST".to_owned(), body };
        ClientFrame::ChatRequest { id: self.request.clone(), init }
    }
}

impl TranscriptState {
    /// A person says something. It stands in the transcript at once; the frame is to be sent now, if there is one.
    pub fn send(&mut self, words: Words, message: MessageId, request: RequestId) -> Option<ClientFrame> {
        let message = Message { parts: words.parts(), ..Message::text(message, Role::User, "") };
        let mut row = Row::stored(message.clone());
        row.delivery = Delivery::Unsent;
        self.rows.push(row);
        self.outbox.push(Pending::new(request, message, Trigger::SubmitMessage));
        self.reorder();
        self.unsent().pop()
    }

    /// Asks for another answer to the message that `key` is or answers. The rows after it leave the screen; the
    /// server keeps them as another version.
    pub fn retry(&mut self, key: &RowKey, request: RequestId) -> Option<ClientFrame> {
        self.retry_each(key, vec![(None, request)]).pop()
    }

    /// The same for several answers, each by a model of its own where one is named. They come one after another.
    pub fn retry_each(&mut self, key: &RowKey, tries: Vec<(Option<String>, RequestId)>) -> Vec<ClientFrame> {
        let index = self.rows.iter().position(|row| row.key == *key);
        let above = index.and_then(|index| self.rows.get(..=index)).unwrap_or_default();
        let question = above.iter().rposition(|row| row.message.role == Role::User);
        let Some((at, message)) = question.and_then(|at| Some((at, self.rows.get(at)?.message.clone())))
        else {
            return Vec::new();
        };
        let mut hidden = self.rows.split_off(at + 1);
        for (model, request) in tries {
            let pending = Pending::new(request, message.clone(), Trigger::RegenerateMessage);
            self.outbox.push(Pending { hidden: std::mem::take(&mut hidden), model, ..pending });
        }
        self.reorder();
        self.unsent()
    }

    /// How many other versions were asked for and are not there yet.
    pub fn versions_to_come(&self) -> usize {
        let pending =
            self.outbox.iter().filter(|pending| pending.trigger == Trigger::RegenerateMessage).count();
        pending + usize::from(self.live.as_ref().is_some_and(|live| live.is_another_version))
    }

    /// Says a message again in other words and asks for an answer to it. What came of the old words leaves the screen;
    /// the server keeps it as another version.
    pub fn revise(&mut self, key: &RowKey, text: String, request: RequestId) -> Option<ClientFrame> {
        let index = self.rows.iter().position(|row| row.key == *key)?;
        let old = self.rows.get(index)?.message.clone();
        let files = Words::of(&old).files;
        let message = Message { parts: Words { text, files }.parts(), ..old };
        let hidden = self.rows.split_off(index);
        let edited = RowKey(format!("edit-{request}").into());
        self.rows.push(Row { key: edited.clone(), ..Row::stored(message.clone()) });
        self.touch(&edited);
        let pending = Pending::new(request, message, Trigger::RegenerateMessage);
        self.outbox.push(Pending { hidden, edited: Some(edited), ..pending });
        self.reorder();
        self.unsent().pop()
    }

    /// Takes a refused message back, to be typed again. What it says.
    pub fn take_back(&mut self, key: &RowKey) -> Option<Words> {
        let index = self.rows.iter().position(|row| row.key == *key)?;
        let is_refused = matches!(self.rows.get(index)?.delivery, Delivery::Refused(_));
        let row = is_refused.then(|| self.rows.remove(index))?;
        self.reorder();
        Some(Words::of(&row.message))
    }

    /// Frames that have to be sent now, if the socket is in step.
    pub(super) fn unsent(&mut self) -> Vec<ClientFrame> {
        if !self.link.is_synced() {
            return Vec::new();
        }
        let mut frames = Vec::new();
        let mut sent = Vec::new();
        for pending in self.outbox.iter_mut().filter(|pending| !pending.is_sent()) {
            pending.stage = Stage::Sent;
            frames.push(pending.frame());
            if pending.trigger == Trigger::SubmitMessage {
                sent.push(pending.message.id.clone());
            }
        }
        for id in sent {
            self.set_delivery(&id, Delivery::Waiting);
        }
        frames
    }

    /// What was sent and not confirmed has to be sent again.
    pub(super) fn unsend(&mut self) {
        let mut lost = Vec::new();
        for pending in self.outbox.iter_mut().filter(|pending| pending.stage == Stage::Sent) {
            pending.stage = Stage::New;
            if pending.trigger == Trigger::SubmitMessage {
                lost.push(pending.message.id.clone());
            }
        }
        for id in lost {
            self.set_delivery(&id, Delivery::Unsent);
        }
    }

    /// The server refused a request, or dropped it before it began.
    pub(super) fn refuse(&mut self, request: &RequestId, reason: &str) -> bool {
        let Some(index) = self.outbox.iter().position(|pending| pending.request == *request) else {
            return false;
        };
        let pending = self.outbox.remove(index);
        match pending.trigger {
            Trigger::SubmitMessage => {
                self.set_delivery(&pending.message.id, Delivery::Refused(reason.to_owned()));
            }
            Trigger::RegenerateMessage => {
                self.rows.retain(|row| Some(&row.key) != pending.edited.as_ref());
                self.rows.extend(pending.hidden);
                self.changes.notice = Some(reason.to_owned());
            }
        }
        self.reorder();
        true
    }

    /// The server says that a turn was accepted and has not begun; this tab or another asked for it.
    pub(super) fn accept(&mut self, request: RequestId) {
        match self.outbox.iter_mut().find(|pending| pending.request == request) {
            Some(pending) => pending.stage = Stage::Accepted,
            None => self.elsewhere = Some(request),
        }
        self.reorder();
    }

    /// Compares what waits with the server's list, which has just become the rows.
    pub(super) fn settle_outbox(&mut self, listed: &HashSet<MessageId>, own: Vec<Row>) {
        for row in own.into_iter().filter(|row| !listed.contains(&row.message.id)) {
            self.rows.push(row);
        }
        let answered = self.answered(listed);
        for pending in &mut self.outbox {
            let is_listed = listed.contains(&pending.message.id);
            if is_listed && pending.trigger == Trigger::SubmitMessage {
                pending.stage = Stage::Accepted;
            }
        }
        self.outbox.retain(|pending| {
            pending.trigger == Trigger::RegenerateMessage || !answered.contains(&pending.message.id)
        });
        let waiting: Vec<(MessageId, Trigger)> =
            self.outbox.iter().map(|pending| (pending.message.id.clone(), pending.trigger)).collect();
        for (id, trigger) in waiting {
            match trigger {
                Trigger::SubmitMessage if listed.contains(&id) => self.set_delivery(&id, Delivery::Waiting),
                Trigger::SubmitMessage => {}
                Trigger::RegenerateMessage => self.hide_after(&id),
            }
        }
    }

    /// Takes the rows after a message off the screen, since another version of them is being made.
    pub(super) fn hide_after(&mut self, id: &MessageId) {
        let Some(at) = self.index_of(id) else { return };
        let mut index = 0;
        self.rows.retain(|row| {
            index += 1;
            index <= at + 1 || row.delivery != Delivery::Settled
        });
    }

    /// Takes a request out because its answer begins. Its message.
    pub(super) fn begin_pending(&mut self, request: &RequestId) -> Option<Pending> {
        let index = self.outbox.iter().position(|pending| pending.request == *request)?;
        let pending = self.outbox.remove(index);
        self.set_delivery(&pending.message.id, Delivery::Settled);
        Some(pending)
    }

    /// Nothing runs on the server: what it had accepted is over, whatever became of it.
    pub(super) fn forget_accepted(&mut self) {
        let over: Vec<MessageId> = self
            .outbox
            .iter()
            .filter(|pending| pending.is_accepted())
            .map(|it| it.message.id.clone())
            .collect();
        self.outbox.retain(|pending| !pending.is_accepted());
        for id in over {
            self.set_delivery(&id, Delivery::Settled);
            self.reorder();
        }
    }

    pub(super) fn set_delivery(&mut self, id: &MessageId, delivery: Delivery) {
        let Some(row) = self.rows.iter_mut().find(|row| row.message.id == *id) else { return };
        row.delivery = delivery;
        let key = row.key.clone();
        self.touch(&key);
    }

    /// Messages of the list that an answer follows.
    fn answered(&self, listed: &HashSet<MessageId>) -> HashSet<MessageId> {
        let pairs = self.rows.iter().zip(self.rows.iter().skip(1));
        let answered = pairs
            .filter(|(_, next)| next.message.role == Role::Assistant && listed.contains(&next.message.id));
        answered.map(|(row, _)| row.message.id.clone()).collect()
    }
}
