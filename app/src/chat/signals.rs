//! A session on the screen: the pure transcript, and the signals that its changes go to, once per frame of the screen.

use super::compare::Compared;
use super::transcript::{Activity, Folding, Gap, Head, News, Queued, RowKey, Shift, TranscriptState, Words};
use crate::browser;
use leptos::prelude::*;
use leptos::reactive::owner::ArcStoredValue;
use protocol::{Awaited, MessageId, Part, SessionId, Transcript};
use std::collections::{HashMap, HashSet};

/// So often at most what the server says goes to the screen: often enough to be read as it is written, and
/// seldom enough to leave a slow machine time for what a person does.
const FLUSH_EVERY_MS: u64 = 40;

/// A session on the screen. Cloning is cheap; all clones are the same session.
#[derive(Clone)]
pub struct Chat {
    session: SessionId,
    state: ArcStoredValue<TranscriptState>,
    rows: ArcStoredValue<HashMap<RowKey, RowSignals>>,
    flush: Flush,
    order: ArcRwSignal<Vec<RowKey>>,
    status: ArcRwSignal<ChatStatus>,
    news: ArcRwSignal<Option<News>>,
    notice: ArcRwSignal<Option<String>>,
    taken_back: ArcRwSignal<Option<Words>>,
    discarded: ArcRwSignal<Vec<MessageId>>,
    own_words: ArcRwSignal<u32>,
    compared: ArcRwSignal<Option<Compared>>,
}

/// When what the server said goes to the screen.
#[derive(Clone)]
struct Flush {
    is_due: ArcStoredValue<bool>,
    last_ms: ArcStoredValue<u64>,
}

/// The signals of one row.
#[derive(Clone)]
pub struct RowSignals {
    /// Everything but the parts.
    pub head: ArcRwSignal<Head>,
    /// The parts that can be seen; they only ever grow in number while an answer is in motion.
    pub parts: ArcRwSignal<Vec<PartSlot>>,
    /// The words with which its editor opened; none while it is closed.
    pub edited: ArcRwSignal<Option<String>>,
}

/// One part and its signal.
#[derive(Clone)]
pub struct PartSlot {
    /// Its name within its message: by kind and count, or by tool call.
    pub key: String,
    /// What it holds.
    pub part: ArcRwSignal<Part>,
}

/// What the session as a whole is at.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts that different corners of the page show"
)]
pub struct ChatStatus {
    /// What it is busy with.
    pub activity: Activity,
    /// A turn is on its way that has no row yet.
    pub is_awaited: bool,
    /// Something typed here is not known to have arrived.
    pub is_unconfirmed: bool,
    /// A turn that a crash interrupted is being finished.
    pub is_recovering: bool,
    /// Nothing was said yet.
    pub is_empty: bool,
    /// For whom the end waits.
    pub waits_for: Option<Awaited>,
    /// Messages before the first row.
    pub earlier: u64,
    /// Where messages are missing between the rows.
    pub gap: Option<Gap>,
    /// Whether a summary is being written.
    pub folding: Folding,
    /// The message at the end whose other versions may lead further.
    pub early_end: Option<MessageId>,
    /// What waits for the answer before it.
    pub queue: Vec<Queued>,
}

impl Chat {
    /// A session as the server's first page tells it.
    pub fn new(session: SessionId, transcript: Transcript) -> Self {
        let state = TranscriptState::new(transcript);
        let row = |(key, head): (&RowKey, Head)| (key.clone(), row_signals(head, state.parts(key)));
        let rows = state.heads(&|_| true).into_iter().map(row).collect();
        Self {
            session,
            rows: ArcStoredValue::new(rows),
            flush: Flush { is_due: ArcStoredValue::new(false), last_ms: ArcStoredValue::new(0) },
            order: ArcRwSignal::new(state.order()),
            status: ArcRwSignal::new(status(&state)),
            news: ArcRwSignal::new(None),
            notice: ArcRwSignal::new(None),
            taken_back: ArcRwSignal::new(None),
            discarded: ArcRwSignal::new(Vec::new()),
            own_words: ArcRwSignal::new(0),
            compared: ArcRwSignal::new(None),
            state: ArcStoredValue::new(state),
        }
    }

    /// Which session this is.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Keys of the rows, in reading order.
    pub fn order(&self) -> ArcRwSignal<Vec<RowKey>> {
        self.order.clone()
    }

    /// What the session as a whole is at.
    pub fn status(&self) -> ArcRwSignal<ChatStatus> {
        self.status.clone()
    }

    /// The last thing to say aloud.
    pub fn news(&self) -> ArcRwSignal<Option<News>> {
        self.news.clone()
    }

    /// The last thing that went wrong and has no row.
    pub fn notice(&self) -> ArcRwSignal<Option<String>> {
        self.notice.clone()
    }

    /// A message that a person wants to type again.
    pub fn taken_back(&self) -> ArcRwSignal<Option<Words>> {
        self.taken_back.clone()
    }

    /// Messages that were taken out of the queue and can be removed now.
    pub fn discarded(&self) -> ArcRwSignal<Vec<MessageId>> {
        self.discarded.clone()
    }

    /// Counts what was said in this tab: whoever says something wants to see it.
    pub fn own_words(&self) -> ArcRwSignal<u32> {
        self.own_words.clone()
    }

    /// The message whose versions stand side by side over the page.
    pub fn compared(&self) -> ArcRwSignal<Option<Compared>> {
        self.compared.clone()
    }

    /// The signals of a row.
    pub fn row(&self, key: &RowKey) -> Option<RowSignals> {
        self.rows.with_value(|rows| rows.get(key).cloned())
    }

    /// Changes the transcript and shows it at once: what a person did.
    pub fn act<T>(&self, change: impl FnOnce(&mut TranscriptState) -> T) -> T {
        let result = change(&mut self.state.write_value());
        self.flush();
        result
    }

    /// Changes the transcript and shows it with one of the next frames of the screen: what the server said. A tab that
    /// nobody looks at gets no frames, so there it is shown at once.
    pub fn hear<T>(&self, change: impl FnOnce(&mut TranscriptState) -> T) -> T {
        let result = change(&mut self.state.write_value());
        if browser::is_hidden() {
            self.flush();
        } else if !self.flush.is_due.get_value() {
            self.flush.is_due.set_value(true);
            self.clone().flush_soon();
        }
        result
    }

    /// Reads the transcript.
    pub fn read<T>(&self, look: impl FnOnce(&TranscriptState) -> T) -> T {
        self.state.with_value(look)
    }

    /// Brings the signals up to date with the first frame that is late enough. A clock that was set back
    /// makes none wait.
    fn flush_soon(self) {
        request_animation_frame(move || {
            let since = browser::now_ms().checked_sub(self.flush.last_ms.get_value());
            if since.is_some_and(|since| since < FLUSH_EVERY_MS) && !browser::is_hidden() {
                self.flush_soon();
            } else if self.flush.is_due.get_value() {
                self.flush.last_ms.set_value(browser::now_ms());
                self.flush();
            }
        });
    }

    /// Brings the signals up to date.
    fn flush(&self) {
        self.flush.is_due.set_value(false);
        let changes = self.state.write_value().take_changes();
        let has_new_order = changes.order != Shift::None;
        self.state.with_value(|state| {
            match changes.order {
                Shift::None => {}
                Shift::Earlier => self.refresh(state, &|key| self.row(key).is_none()),
                Shift::Rows => self.refresh(state, &|_| true),
            }
            for (key, row) in changes.rows.iter().filter_map(|key| Some((key, self.row(key)?))) {
                let head = (changes.order != Shift::Rows).then(|| state.head(key)).flatten();
                head.into_iter().for_each(|head| set_if_new(&row.head, head));
                refresh_parts(&row.parts, state.parts(key));
            }
            set_if_new(&self.status, status(state));
            if has_new_order {
                set_if_new(&self.order, state.order());
            }
        });
        if changes.news.is_some() {
            self.news.set(changes.news);
        }
        if !changes.discarded.is_empty() {
            self.discarded.set(changes.discarded);
        }
        if changes.notice.is_some() {
            self.notice.set(changes.notice);
        }
    }

    /// Neighbours look at each other (who is last, when was it said), so a new order concerns all heads; but a row does
    /// not look at the one before it, so rows that come before all others concern only themselves.
    fn refresh(&self, state: &TranscriptState, is_concerned: &dyn Fn(&RowKey) -> bool) {
        let order: HashSet<RowKey> = state.order().into_iter().collect();
        for (key, head) in state.heads(&|key| order.contains(key) && is_concerned(key)) {
            match self.row(key) {
                Some(row) => set_if_new(&row.head, head),
                None => {
                    let row = row_signals(head, state.parts(key));
                    self.rows.update_value(|rows| drop(rows.insert(key.clone(), row)));
                }
            }
        }
        self.rows.update_value(|rows| rows.retain(|key, _| order.contains(key)));
    }
}

fn row_signals(head: Head, parts: &[Part]) -> RowSignals {
    let slots = named(parts).map(|(key, part)| PartSlot { key, part: ArcRwSignal::new(part.clone()) });
    RowSignals {
        head: ArcRwSignal::new(head),
        parts: ArcRwSignal::new(slots.collect()),
        edited: ArcRwSignal::new(None),
    }
}

fn status(state: &TranscriptState) -> ChatStatus {
    ChatStatus {
        activity: state.activity(),
        is_awaited: state.is_awaited(),
        is_unconfirmed: state.is_unconfirmed(),
        is_recovering: state.is_recovering(),
        is_empty: state.is_empty(),
        waits_for: state.waits_for(),
        earlier: state.earlier(),
        gap: state.gap(),
        folding: state.folding().clone(),
        early_end: state.early_end(),
        queue: state.queue(),
    }
}

/// The parts that can be seen, each with a name that stays while others come.
fn named(parts: &[Part]) -> impl Iterator<Item = (String, &Part)> {
    let mut counts: HashMap<&'static str, usize> = HashMap::new();
    parts.iter().filter_map(move |part| {
        let kind = match part {
            Part::StepStart => return None,
            Part::Tool(tool) => return Some((format!("tool-{}", tool.call.tool_call_id), part)),
            Part::Text(_) => "text",
            Part::Reasoning(_) => "reasoning",
            Part::File(_) => "file",
            Part::SourceUrl(_) | Part::SourceDocument(_) => "source",
            Part::Data(_) | Part::Unknown(_) => "data",
        };
        let count = counts.entry(kind).or_default();
        *count += 1;
        Some((format!("{kind}-{count}"), part))
    })
}

fn refresh_parts(signal: &ArcRwSignal<Vec<PartSlot>>, parts: &[Part]) {
    let old = signal.get_untracked();
    let mut slots = Vec::with_capacity(old.len());
    for (key, part) in named(parts) {
        let known = old.iter().find(|slot| slot.key == key);
        match known {
            Some(slot) => {
                refresh_part(&slot.part, part);
                slots.push(slot.clone());
            }
            None => slots.push(PartSlot { key, part: ArcRwSignal::new(part.clone()) }),
        }
    }
    if !old.iter().map(|slot| &slot.key).eq(slots.iter().map(|slot| &slot.key)) {
        signal.set(slots);
    }
}

/// A text that goes on is only added to; anything else is replaced if it differs.
fn refresh_part(signal: &ArcRwSignal<Part>, part: &Part) {
    let more = signal.with_untracked(|old| match (old, part) {
        (Part::Text(old), Part::Text(new)) | (Part::Reasoning(old), Part::Reasoning(new))
            if old.state == new.state =>
        {
            new.text.strip_prefix(old.text.as_str()).filter(|more| !more.is_empty())
        }
        _ => None,
    });
    match more {
        Some(more) => signal.update(|old| {
            if let Part::Text(old) | Part::Reasoning(old) = old {
                old.text.push_str(more);
            }
        }),
        None if signal.with_untracked(|old| old != part) => signal.set(part.clone()),
        None => {}
    }
}

fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}
