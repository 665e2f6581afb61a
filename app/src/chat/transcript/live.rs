//! The answer in motion: numbered chunks go through the one fold of the product, each exactly once.

use super::{Activity, Delivery, Ending, News, Row, RowKey, TranscriptState};
use protocol::{
    Accumulator, Applied, ChatResponse, Chunk, CrossMessage, Message, MessageId, Part, RequestId, Role,
    ToolMove, Trigger, TurnStatus,
};

/// The state of the answer in motion.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "three independent facts about one stream")]
pub(super) struct Live {
    /// The request it answers; unknown while only the server's first page told of it.
    pub(super) request: Option<RequestId>,
    /// Its row.
    pub(super) row: RowKey,
    /// The message so far.
    pub(super) fold: Accumulator,
    /// The message it answers, where this tab asked.
    pub(super) question: Option<MessageId>,
    /// It is another version: older answers to the same message are off the screen.
    pub(super) is_another_version: bool,
    pub(super) is_stopping: bool,
    /// Chunks before this number are in the fold.
    pub(super) next_seq: u64,
    /// A replay from the beginning runs while more is on the screen already: it is shown when it has caught up.
    catching_up: bool,
    /// What the stream said about its end.
    outcome: Option<Ending>,
}

/// What an answer in motion is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing has arrived.
    Waiting,
    /// It grows.
    Writing,
    /// A person asked to stop it.
    Stopping,
}

impl Live {
    fn new(request: Option<RequestId>, row: RowKey, fold: Accumulator) -> Self {
        Self {
            request,
            row,
            fold,
            question: None,
            is_another_version: false,
            is_stopping: false,
            next_seq: 0,
            catching_up: false,
            outcome: None,
        }
    }

    /// Whether the fold is behind what the row shows.
    pub(super) fn is_held(&self) -> bool {
        self.catching_up
    }

    pub(super) fn progress(&self) -> Progress {
        if self.is_stopping {
            return Progress::Stopping;
        }
        if self.fold.has_content() || self.catching_up { Progress::Writing } else { Progress::Waiting }
    }

    fn end(&mut self, status: TurnStatus, error: Option<String>) {
        self.outcome = Some(Ending { status, error });
    }
}

impl TranscriptState {
    /// The server's first page holds an answer in motion: it is shown until its stream is known.
    pub(super) fn paint_live(&mut self, message: Message) {
        let at = self.place_of(&message.id, self.unanswered());
        let fold = Accumulator::continuing(&message);
        let row = Row::stored(message);
        self.live = Some(Live::new(None, row.key.clone(), fold));
        self.put(row, at);
    }

    /// Makes sure that the stream of `request`, of which `first` is a frame, is the live one.
    fn begin(&mut self, request: &RequestId, first: &ChatResponse) {
        if self.live.as_ref().is_some_and(|live| live.request.as_ref() == Some(request)) {
            return;
        }
        let pending = self.begin_pending(request);
        self.keep_begun(request);
        self.elsewhere = None;
        if let Some(live) = self.live.as_mut().filter(|live| live.request.is_none()) {
            live.request = Some(request.clone());
            live.catching_up = live.fold.has_content();
            live.fold = Accumulator::default();
            return;
        }
        if self.live.is_some() {
            self.finish(None);
        }
        let question = pending.as_ref().map(|pending| pending.message.id.clone());
        let mut live = match first.continuation.then(|| self.last_answer()).flatten() {
            Some(row) => {
                Live::new(Some(request.clone()), row.key.clone(), Accumulator::continuing(&row.message))
            }
            None => {
                let row = Row::answer(request);
                let live = Live::new(Some(request.clone()), row.key.clone(), Accumulator::default());
                let at = self.place_of(&row.message.id, question.clone().or_else(|| self.unanswered()));
                self.put(row, at);
                live
            }
        };
        live.question = question;
        if let Some(pending) = pending {
            live.is_stopping = pending.is_stopping;
            live.is_another_version = pending.trigger == Trigger::RegenerateMessage;
        }
        self.live = Some(live);
        self.changes.news = Some(News::Began);
    }

    /// One frame of a turn's stream.
    pub(super) fn stream(&mut self, frame: &ChatResponse) {
        let request = RequestId::from(frame.id.as_str());
        let is_known = self.live.as_ref().is_some_and(|live| live.request.as_ref() == Some(&request));
        if frame.done && !is_known && (frame.body.is_empty() || frame.replay) {
            self.end_unseen(&request);
            return;
        }
        if self.rows.iter().any(|row| row.request.as_ref() == Some(&request) && row.outcome.is_some()) {
            return; // a replay of what was seen to its end
        }
        let chunk = Chunk::from_body(&frame.body);
        if !is_known && self.is_told(&request, (frame, chunk.as_ref())) {
            return;
        }
        self.begin(&request, frame);
        let Some(live) = &mut self.live else { return };
        if let Some(seq) = frame.seq {
            if seq < live.next_seq {
                return;
            }
            live.next_seq = seq + 1;
        }
        if frame.error {
            live.end(TurnStatus::Failed, Some(frame.body.clone()));
        } else if let Some(chunk) = chunk {
            self.fold(&chunk);
        }
        self.advance(frame);
    }

    /// Whether a replay begins whose answer stands here already with its end: the turn ended between the offer of
    /// the replay and its acknowledgement, and the server's list came first.
    fn is_told(&mut self, request: &RequestId, (frame, chunk): (&ChatResponse, Option<&Chunk>)) -> bool {
        let Some(Chunk::Start { message_id: Some(id), .. }) = chunk else { return false };
        if !frame.replay || frame.continuation {
            return false;
        }
        let told = self.rows.iter_mut().find(|row| row.message.id == *id && row.request.is_none());
        let ended = told.and_then(|row| row.turn().map(|turn| (row, turn)));
        let is_over = |status| !matches!(status, TurnStatus::Running | TurnStatus::Interrupted);
        let Some((row, turn)) = ended.filter(|(_, turn)| is_over(turn.status)) else { return false };
        row.request = Some(request.clone());
        row.outcome = Some(Ending { status: turn.status, error: turn.error });
        true
    }

    fn fold(&mut self, chunk: &Chunk) {
        let Some(live) = &mut self.live else { return };
        match live.fold.apply(chunk) {
            Applied::Error(text) => live.end(TurnStatus::Failed, Some(text)),
            Applied::Aborted => live.end(TurnStatus::Stopped, None),
            Applied::CrossMessage(result) => self.apply_cross(&result),
            Applied::Added(_)
            | Applied::Changed(_)
            | Applied::Head
            | Applied::Nothing
            | Applied::Unhandled => {}
        }
    }

    fn advance(&mut self, frame: &ChatResponse) {
        let Some(live) = &mut self.live else { return };
        if frame.replay_complete || !frame.replay {
            live.catching_up = false;
        }
        let (row, is_held) = (live.row.clone(), live.is_held());
        if frame.done {
            self.finish(None);
        } else if !is_held {
            self.touch(&row);
        }
    }

    /// The stream is over: what arrived becomes an ordinary row.
    pub(super) fn finish(&mut self, ending: Option<Ending>) {
        let Some(mut live) = self.live.take() else { return };
        self.link.rest();
        live.fold.close_blocks();
        let stopped = live.is_stopping.then_some(Ending { status: TurnStatus::Stopped, error: None });
        let outcome = ending.or(live.outcome).or(stopped);
        let message = live.fold.message();
        let has_content = live.fold.has_content();
        let Some(row) = self.row_mut(&live.row) else { return };
        match message {
            Some(message) => row.message = message,
            None if has_content => row.message.parts = live.fold.parts,
            None => {}
        }
        row.outcome = outcome.clone();
        self.reorder();
        self.touch(&live.row);
        if let Some(ending) = outcome {
            self.changes.news = Some(News::Ended(ending.status));
        }
    }

    /// How a turn ended, told after its message was stored.
    pub(super) fn conclude(&mut self, request: &RequestId, ending: Ending) {
        if let Some(live) = self.live.as_mut().filter(|live| live.request.as_ref() == Some(request)) {
            live.outcome = Some(ending);
            return;
        }
        let status = ending.status;
        let row = self.rows.iter_mut().find(|row| row.request.as_ref() == Some(request));
        let Some(row) = row else {
            let _was_pending = self.refuse(request, &words_of(&ending));
            return;
        };
        row.outcome = Some(ending);
        let key = row.key.clone();
        self.touch(&key);
        self.reorder();
        self.changes.news = Some(News::Ended(status));
    }

    /// The server says that nothing runs.
    pub(super) fn nothing_runs(&mut self) {
        self.link.rest();
        self.elsewhere = None;
        self.forget_accepted();
        self.reorder();
        let Some(live) = &self.live else { return };
        if !live.fold.has_content() {
            let row = live.row.clone();
            self.live = None;
            self.rows.retain(|other| other.key != row);
            self.reorder();
            return;
        }
        self.finish(Some(Ending { status: TurnStatus::Interrupted, error: None }));
    }

    /// A turn ended that this tab saw nothing of.
    fn end_unseen(&mut self, request: &RequestId) {
        if let Some(live) = self.live.as_mut().filter(|live| live.request.is_none()) {
            // Its end is told by this name, and it may still be replayed under it.
            live.request = Some(request.clone());
            let key = live.row.clone();
            if let Some(row) = self.row_mut(&key) {
                row.request = Some(request.clone());
            }
            self.nothing_runs();
            return;
        }
        self.link.rest();
        self.end_taken_out(request);
        if self.elsewhere.as_ref() == Some(request) {
            self.elsewhere = None;
            self.reorder();
        }
        let Some(pending) = self.outbox.iter().find(|pending| pending.request == *request) else { return };
        if pending.is_stopping {
            let _pending = self.begin_pending(request);
            self.reorder();
        } else {
            let _was_pending = self.refuse(request, "The server did not take this message.");
        }
    }

    fn apply_cross(&mut self, result: &CrossMessage) {
        let mut touched = None;
        for row in &mut self.rows {
            let tools = row.message.parts.iter_mut().filter_map(Part::as_tool_mut);
            let Some(tool) = tools.into_iter().find(|tool| tool.call.tool_call_id == result.tool_call_id)
            else {
                continue;
            };
            let step = if result.outcome.is_ok() { ToolMove::Output } else { ToolMove::Fail };
            let Some(state) = tool.call.after(step) else { break };
            tool.call.state = state;
            tool.call.preliminary = None;
            match &result.outcome {
                Ok(output) => tool.call.output = Some(output.clone()),
                Err(error) => tool.call.error_text = Some(error.clone()),
            }
            touched = Some(row.key.clone());
        }
        if let Some(key) = touched {
            self.touch(&key);
        }
    }

    /// Where an answer goes: over its own row, after the message it answers, or at the end.
    pub(super) fn place_of(&self, id: &MessageId, anchor: Option<MessageId>) -> usize {
        let own = self.index_of(id);
        let after = anchor.and_then(|anchor| self.index_of(&anchor)).map(|index| index + 1);
        own.or(after).unwrap_or(self.rows.len())
    }

    /// Puts a row in its place, over a row of the same message if there is one.
    /// Above it makes way what came of nothing.
    pub(super) fn put(&mut self, row: Row, at: usize) {
        self.touch(&row.key);
        self.reorder();
        let above = at.checked_sub(1).filter(|above| self.rows.get(*above).is_some_and(Row::is_in_vain));
        let at = above.map_or(at, |above| {
            self.rows.remove(above);
            above
        });
        match self.rows.get_mut(at).filter(|old| old.message.id == row.message.id) {
            Some(old) => *old = row,
            None => self.rows.insert(at.min(self.rows.len()), row),
        }
    }

    fn last_answer(&self) -> Option<&Row> {
        self.rows.iter().rfind(|row| row.message.role == Role::Assistant && !row.is_in_vain())
    }

    /// The id of the message in motion, once it is known.
    pub(super) fn live_id(&self) -> Option<&MessageId> {
        self.live.as_ref().and_then(|live| live.fold.message_id.as_ref())
    }

    /// Whether something may be going on, or may have failed, that only the server can tell.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.activity() != Activity::Idle
            || !self.outbox.is_empty()
            || self.rows.last().is_some_and(|last| last.message.role == Role::User)
    }
}

impl Row {
    fn answer(request: &RequestId) -> Self {
        // Until the stream names it, the request stands for the message.
        let name = format!("turn-{request}");
        let message = Message { parts: Vec::new(), ..Message::text(name.as_str(), Role::Assistant, "") };
        let key = RowKey(name.into());
        Self { key, message, request: Some(request.clone()), delivery: Delivery::Settled, outcome: None }
    }
}

fn words_of(ending: &Ending) -> String {
    ending.error.clone().unwrap_or_else(|| "The server did not take this message.".to_owned())
}
