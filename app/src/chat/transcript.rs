//! What a tab knows of its session, and what each frame changes in it: pure, without signals, sockets or clocks.
//!
//! Rows stand in reading order: stored messages, the answer in motion, and messages of this tab that the server has
//! not confirmed. A row keeps its key for as long as this tab shows it, whatever the server calls its message, so that
//! nothing on the screen is built twice. Streams are numbered; a chunk that was seen is never applied again.

mod beside;
mod frames;
mod in_vain;
mod live;
mod outbox;
mod past;
mod pieces;
mod queue;
mod row;
mod said;

pub use live::Progress;
pub use past::Gap;
pub use pieces::pieces;
pub use queue::{Queued, Words, files_of};
pub use row::{Delivery, Ending, Head, Pin, Row, RowKey, Speaker, Versions};

use live::Live;
use outbox::Pending;
use past::Past;
use protocol::{
    Awaited, ClientFrame, Message, MessageId, OverlayInfo, RequestId, Role, Siblings, Transcript, TurnStatus,
};
use std::collections::{HashMap, HashSet};

/// The transcript of one session as this tab knows it.
#[derive(Debug, Clone, Default)]
pub struct TranscriptState {
    /// In reading order; the live row among them.
    rows: Vec<Row>,
    /// The answer in motion.
    live: Option<Live>,
    /// Requests of this tab whose answer has not begun.
    outbox: Vec<Pending>,
    /// A turn that another tab asked for and that has not begun.
    elsewhere: Option<RequestId>,
    /// Messages of the path before the first row.
    earlier: u64,
    /// What was opened in the middle of the path.
    past: Option<Past>,
    /// Where a message has other versions.
    versions: HashMap<MessageId, Versions>,
    marks: Marks,
    link: Link,
    /// A turn that a crash interrupted is being finished.
    is_recovering: bool,
    folding: Folding,
    changes: Changes,
}

/// What stands beside the messages.
#[derive(Debug, Clone, Default)]
struct Marks {
    /// Messages that are kept out of summaries.
    pinned: HashSet<MessageId>,
    /// Messages that are summaries, and of what.
    folds: HashMap<MessageId, OverlayInfo>,
    /// Messages that were taken out of the queue, with their requests.
    taken_out: Vec<(RequestId, MessageId)>,
}

/// Whether a summary of older messages is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Folding {
    /// No.
    #[default]
    Idle,
    /// It is.
    Busy,
    /// It could not be, for this reason.
    Failed(String),
}

impl Marks {
    fn add(&mut self, pinned: Vec<MessageId>, folds: Vec<OverlayInfo>) {
        self.pinned.extend(pinned);
        self.folds.extend(folds.into_iter().map(|fold| (fold.id.clone(), fold)));
    }
}

/// What this tab's socket has said since it opened.
#[derive(Debug, Clone, Default)]
struct Link {
    step: Step,
    /// Streams that were asked for since the socket opened.
    asked: HashSet<RequestId>,
}

/// How far this tab and the server are in step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    /// Not: the server's list has not arrived since the socket opened.
    #[default]
    Apart,
    /// The list has arrived: what is missing in it was never accepted.
    Together,
    /// Besides, the server has said, or shown by an end, that nothing runs: a question without an answer will get none.
    AtRest,
}

impl Link {
    fn is_synced(&self) -> bool {
        self.step != Step::Apart
    }

    fn rest(&mut self) {
        if self.is_synced() {
            self.step = Step::AtRest;
        }
    }
}

/// What has changed since the last look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Rows came, went or moved.
    pub order: Shift,
    /// Rows whose content changed.
    pub rows: HashSet<RowKey>,
    /// Something was said that a reader who does not see the page should hear.
    pub news: Option<News>,
    /// Something went wrong that has no row to stand in.
    pub notice: Option<String>,
    /// Messages that were taken out of the queue and are to be removed now.
    pub discarded: Vec<MessageId>,
}

/// Whether and where the list of rows changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shift {
    /// The same rows in the same order.
    #[default]
    None,
    /// Rows changed somewhere.
    Rows,
    /// Earlier rows were put before the first one: what is being read moves down.
    Earlier,
}

/// One thing to say aloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// An answer began.
    Began,
    /// An answer ended so.
    Ended(TurnStatus),
}

/// What the session is busy with, as this tab sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    #[default]
    Idle,
    /// A turn runs or waits.
    Running,
    /// A person asked to stop it.
    Stopping,
}

impl TranscriptState {
    /// The state a page begins with.
    pub fn new(transcript: Transcript) -> Self {
        let mut state = Self::default();
        state.set_versions(transcript.siblings);
        state.marks.add(transcript.pinned, transcript.overlays);
        state.earlier = transcript.earlier;
        state.rows = transcript.messages.into_iter().map(Row::stored).collect();
        if let Some(message) = transcript.live {
            state.paint_live(message);
        }
        state.place_in_vain();
        state.changes = Changes::default();
        state
    }

    /// Keys of all rows, in reading order.
    pub fn order(&self) -> Vec<RowKey> {
        self.shown().map(|row| row.key.clone()).collect()
    }

    /// The rows that stand in the transcript.
    fn shown(&self) -> impl Iterator<Item = &Row> {
        let end = self.rows.iter().filter(|row| !self.is_queued(row) && !self.is_taken_out(&row.message.id));
        self.past.iter().flat_map(|past| &past.rows).chain(end)
    }

    /// The message of a row as it is to be shown.
    pub fn message(&self, key: &RowKey) -> Option<&Message> {
        self.row(key).map(|row| &row.message)
    }

    /// The parts of a row as they are to be shown.
    pub fn parts(&self, key: &RowKey) -> &[protocol::Part] {
        if let Some(live) = self.live.as_ref().filter(|live| live.row == *key && !live.is_held()) {
            return &live.fold.parts;
        }
        self.message(key).map_or(&[], |message| message.parts.as_slice())
    }

    /// Everything about a row but its parts.
    pub fn head(&self, key: &RowKey) -> Option<Head> {
        let rows = match &self.past {
            Some(past) if past.rows.iter().any(|row| row.key == *key) => &past.rows,
            Some(_) | None => &self.rows,
        };
        self.head_at(rows, rows.iter().position(|row| row.key == *key)?)
    }

    /// The same of all rows that are wanted, in reading order: costs no more than looking at each once.
    pub fn heads(&self, is_wanted: &dyn Fn(&RowKey) -> bool) -> Vec<(&RowKey, Head)> {
        let mut heads = Vec::new();
        for rows in self.past.iter().map(|past| &past.rows).chain(std::iter::once(&self.rows)) {
            let wanted = rows.iter().enumerate().filter(|(_, row)| is_wanted(&row.key));
            heads.extend(wanted.filter_map(|(at, row)| Some((&row.key, self.head_at(rows, at)?))));
        }
        heads
    }

    /// Whether no row stands in the transcript.
    pub fn is_empty(&self) -> bool {
        self.shown().next().is_none()
    }

    fn head_at(&self, rows: &[Row], index: usize) -> Option<Head> {
        let row = rows.get(index)?;
        let next_turn = rows.get(index + 1).and_then(|next| next.turn());
        let key = &row.key;
        let is_last = self.rows.last().is_some_and(|last| last.key == *key);
        let progress = self.live.as_ref().filter(|live| live.row == *key).map(Live::progress);
        let is_over = row.message.role != Role::User || self.link.step == Step::AtRest;
        let is_open = is_last && is_over || row.is_in_vain();
        let is_retryable = is_open && self.activity() == Activity::Idle && row.wants_retry();
        Some(Head {
            id: row.message.id.clone(),
            speaker: Speaker::of(&row.message.role),
            delivery: self.delivery(row),
            progress,
            ending: row.ending().filter(|_| progress.is_none()),
            turn: row.turn(),
            said_at: next_turn.map(|turn| turn.started_at),
            versions: self.versions.get(&row.message.id).cloned(),
            retry: is_retryable.then(|| key.clone()),
            pin: if self.marks.pinned.contains(&row.message.id) { Pin::Pinned } else { Pin::Loose },
            fold: self.marks.folds.get(&row.message.id).cloned(),
            waits_for: Awaited::by(&row.message).filter(|_| progress.is_none()),
        })
    }

    /// Whether a turn is on its way that has no row yet.
    pub fn is_awaited(&self) -> bool {
        self.live.is_none()
            && (self.elsewhere.is_some() || self.outbox.iter().any(|pending| pending.is_sent()))
    }

    /// Whether something was typed here of which the server has not said that it has it.
    pub fn is_unconfirmed(&self) -> bool {
        let is_refused = |row: &Row| matches!(row.delivery, Delivery::Refused(_));
        self.outbox.iter().any(|pending| !pending.is_accepted()) || self.rows.iter().any(is_refused)
    }

    /// Messages of the path before the first row.
    pub fn earlier(&self) -> u64 {
        self.past.as_ref().map_or(self.earlier, |past| past.earlier)
    }

    /// The oldest message that is here.
    pub fn first_id(&self) -> Option<MessageId> {
        self.shown().next().map(|row| row.message.id.clone())
    }

    /// Whether a summary of older messages is being written.
    pub fn folding(&self) -> &Folding {
        &self.folding
    }

    /// A summary begins, is there, or could not be written.
    pub fn set_folding(&mut self, folding: Folding) {
        self.folding = folding;
        self.reorder();
    }

    /// What the session is busy with.
    pub fn activity(&self) -> Activity {
        match &self.live {
            Some(live) if live.is_stopping => Activity::Stopping,
            Some(_) => Activity::Running,
            None if self.outbox.iter().any(|pending| pending.is_stopping) => Activity::Stopping,
            None if self.is_awaited() => Activity::Running,
            None => Activity::Idle,
        }
    }

    /// For whom the end of the path waits.
    pub fn waits_for(&self) -> Option<Awaited> {
        let end = self.rows.last().filter(|_| self.activity() == Activity::Idle);
        end.and_then(|row| Awaited::by(&row.message))
    }

    /// A message was pinned or let loose.
    pub fn pin(&mut self, key: &RowKey, pin: Pin) {
        let Some(id) = self.row(key).map(|row| row.message.id.clone()) else { return };
        let _changed = match pin {
            Pin::Pinned => self.marks.pinned.insert(id),
            Pin::Loose => self.marks.pinned.remove(&id),
        };
        self.touch(key);
    }

    /// The message after a row, or the first of those that a summary after it stands for.
    pub fn first_after(&self, key: &RowKey) -> Option<MessageId> {
        let next = self.shown().skip_while(|row| row.key != *key).nth(1)?;
        let fold = self.marks.folds.get(&next.message.id);
        Some(fold.map_or_else(|| next.message.id.clone(), |fold| fold.from.clone()))
    }

    /// The message at the end that has other versions, where those may lead further than this one.
    pub fn early_end(&self) -> Option<MessageId> {
        if self.activity() != Activity::Idle || self.gap().is_some() {
            return None;
        }
        let last = self.rows.iter().rev().take(2);
        last.map(|row| &row.message.id).rfind(|id| self.versions.contains_key(*id)).cloned()
    }

    /// A message was deleted: the server's list says so for the end of the path only.
    pub fn forget(&mut self, id: &MessageId) {
        if let Some(past) = &mut self.past {
            past.rows.retain(|row| row.message.id != *id);
        }
        self.rows.retain(|row| row.message.id != *id);
        self.place_in_vain();
        self.reorder();
    }

    /// Whether a turn that a crash interrupted is being finished.
    pub fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    /// What changed since this was last asked.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Puts earlier messages before the first row, if that still is the one they were asked for; whether it is.
    pub fn prepend(&mut self, transcript: Transcript, before: &MessageId) -> bool {
        if self.first_id().as_ref() != Some(before) {
            return false;
        }
        let known: HashSet<MessageId> = self.shown().map(|row| row.message.id.clone()).collect();
        let fresh = transcript.messages.into_iter().filter(|message| !known.contains(&message.id));
        let mut rows: Vec<Row> = fresh.map(Row::stored).collect();
        let (first, earlier) = match &mut self.past {
            Some(past) => (&mut past.rows, &mut past.earlier),
            None => (&mut self.rows, &mut self.earlier),
        };
        rows.append(first);
        *first = rows;
        *earlier = transcript.earlier;
        self.set_versions(transcript.siblings);
        self.marks.add(transcript.pinned, transcript.overlays);
        self.place_in_vain();
        if self.changes.order == Shift::None {
            self.changes.order = Shift::Earlier;
        }
        true
    }

    /// The socket opened: what was known of the old one is void.
    pub fn opened(&mut self) {
        self.link = Link::default();
    }

    /// The socket closed: until the next one is in step, nothing is sent, and what was sent may be lost.
    pub fn closed(&mut self) {
        self.link = Link::default();
        self.unsend();
        self.reorder();
    }

    /// Asks to stop what runs. The frame to send, if there is anything to stop.
    pub fn stop(&mut self) -> Option<ClientFrame> {
        if let Some(live) = &mut self.live {
            live.is_stopping = true;
            let (request, row) = (live.request.clone(), live.row.clone());
            self.touch(&row);
            return request.map(|id| ClientFrame::Cancel { id });
        }
        let Some(pending) = self.outbox.iter_mut().find(|pending| pending.is_sent()) else {
            return self.elsewhere.clone().map(|id| ClientFrame::Cancel { id });
        };
        pending.is_stopping = true;
        let request = pending.request.clone();
        self.reorder();
        Some(ClientFrame::Cancel { id: request })
    }

    /// Waiting is worth a word only while something else is in the way.
    fn delivery(&self, row: &Row) -> Delivery {
        let is_next = row.delivery == Delivery::Waiting
            && self.live.is_none()
            && self.outbox.first().is_some_and(|first| first.message.id == row.message.id);
        let is_live = self.live.as_ref().is_some_and(|live| live.row == row.key);
        match (is_next, row.is_in_vain() && !is_live) {
            (true, _) => Delivery::Settled,
            (false, true) => Delivery::InVain,
            (false, false) => row.delivery.clone(),
        }
    }

    fn row(&self, key: &RowKey) -> Option<&Row> {
        self.past.iter().flat_map(|past| &past.rows).chain(&self.rows).find(|row| row.key == *key)
    }

    fn row_mut(&mut self, key: &RowKey) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.key == *key)
    }

    fn index_of(&self, id: &MessageId) -> Option<usize> {
        self.rows.iter().position(|row| row.message.id == *id)
    }

    fn touch(&mut self, key: &RowKey) {
        let _is_new = self.changes.rows.insert(key.clone());
    }

    fn reorder(&mut self) {
        self.changes.order = Shift::Rows;
    }

    fn set_versions(&mut self, siblings: Vec<Siblings>) {
        for entry in siblings {
            let index = entry.ids.iter().position(|id| *id == entry.id);
            let versions = index.map(|index| Versions { number: index + 1, ids: entry.ids.into() });
            if let Some(versions) = versions.filter(|versions| versions.ids.len() > 1) {
                let _old = self.versions.insert(entry.id, versions);
            }
        }
    }

    /// The user message that a turn nobody here asked for answers: turns run one after another, so it is the first of
    /// the messages at the end that have no answer.
    fn unanswered(&self) -> Option<MessageId> {
        let answered = self.rows.iter().rposition(|row| row.message.role == Role::Assistant);
        let after = answered.map_or(0, |index| index + 1);
        let waiting = self.rows.get(after..).unwrap_or_default();
        let first = waiting.iter().find(|row| row.delivery == Delivery::Settled);
        first.map(|row| row.message.id.clone())
    }
}

#[cfg(test)]
mod tests;
