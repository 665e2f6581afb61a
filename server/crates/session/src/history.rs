//! Stored rows read back as messages. A row that does not parse is named beside the others and never made up.

use crate::compaction::standing::Standing;
use crate::error::BrokenRow;
use crate::store::compactions::{self, RangeRow};
use crate::store::counted;
use crate::store::paths::{self, CHUNK_ROWS, Chunk, ContentPlace, SizeRow};
use db::{DbError, ReadTx};
use protocol::{Message, MessageId, OverlayInfo, Role, SessionId};
use std::ops::Deref;

mod quick;
mod recall;
mod text;

pub use recall::{Recall, RecallRoom};
pub use text::{LeftOut, PathText};

/// The messages of a path, oldest first. It stands for the slice of its messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// What could be read.
    pub messages: Vec<Message>,
    /// What could not: one broken row must not lock a conversation out.
    pub broken: Vec<BrokenRow>,
}

impl Deref for History {
    type Target = [Message];

    fn deref(&self) -> &[Message] {
        &self.messages
    }
}

/// The end of a path that fits a budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recent {
    /// What could be read of it, oldest first.
    pub messages: Vec<Message>,
    /// What could not.
    pub broken: Vec<BrokenRow>,
    /// Whether earlier messages were left out.
    pub is_truncated: bool,
    /// Stored bytes of the whole path.
    pub total_bytes: u64,
}

/// What is known of a stored message without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowStat {
    /// The message.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// Size of the stored JSON.
    pub bytes: u64,
}

impl From<SizeRow> for RowStat {
    fn from(row: SizeRow) -> Self {
        let role = role_of(row.role);
        Self { id: MessageId::new(row.id), role, bytes: counted(row.bytes) }
    }
}

/// How much of a path is read, from its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Most messages.
    pub(crate) rows: usize,
    /// Most stored bytes.
    pub(crate) bytes: u64,
    /// Messages that are read even where `bytes` is exceeded.
    pub(crate) at_least: usize,
}

impl Reach {
    pub(crate) const WHOLE: Self = Self { rows: usize::MAX, bytes: u64::MAX, at_least: 0 };

    pub(crate) const fn last(rows: usize) -> Self {
        Self { rows, ..Self::WHOLE }
    }
}

/// Stored bytes that are read at once, as far as the size of what comes can be known.
const CHUNK_BYTES: u64 = 1_024 * 1_024;
/// What a message is taken for before any has been read.
const ROW_GUESS_BYTES: u64 = CHUNK_BYTES / 256;

/// What the rows of a path become. They come from the leaf up.
pub(crate) trait Rows {
    /// Takes the first rows of a chunk.
    fn take(&mut self, session: &SessionId, taken: Taken);
    /// Takes a summary.
    fn take_summary(&mut self, summary: &Message);
}

impl History {
    fn add(&mut self, read: Result<Message, BrokenRow>) {
        match read {
            Ok(message) => self.messages.push(message),
            Err(broken) => self.broken.push(broken),
        }
    }

    /// What came from the leaf up begins at the root.
    fn turned(mut self) -> Self {
        self.messages.reverse();
        self.broken.reverse();
        self
    }
}

impl Rows for History {
    fn take(&mut self, session: &SessionId, taken: Taken) {
        for place in taken.places() {
            self.add(read(session, &place.id, taken.chunk.content(place)));
        }
    }

    fn take_summary(&mut self, summary: &Message) {
        self.messages.push(summary.clone());
    }
}

/// The end of a path, read from the leaf up.
#[derive(Debug, Default)]
pub(crate) struct Reading<R = History> {
    pub(crate) history: R,
    /// The summaries among the messages.
    pub(crate) overlays: Vec<OverlayInfo>,
    /// Messages, broken rows and summaries.
    rows: usize,
    bytes: u64,
    /// Depth of the oldest row that was read.
    pub(crate) depth: i64,
    /// The row above that one.
    pub(crate) above: Option<String>,
    /// What stands above it for others, and must not be read row by row; the nearest one last.
    ahead: Vec<RangeRow>,
}

/// The first rows of a chunk, which belong to what is read and are not parsed yet.
pub(crate) struct Taken {
    chunk: Chunk,
    count: usize,
}

impl Taken {
    fn places(&self) -> impl Iterator<Item = &ContentPlace> {
        self.chunk.places.iter().take(self.count)
    }
}

impl Reading {
    /// Reads the end of the path to `leaf`, on which `standing` stand, as messages.
    pub(crate) async fn of(
        tx: &mut ReadTx,
        session: &SessionId,
        leaf: String,
        reach: Reach,
        standing: Standing,
    ) -> Result<Self, DbError> {
        let mut reading = Self::up_from(leaf, standing);
        reading.read(tx, session, reach).await?;
        reading.history = std::mem::take(&mut reading.history).turned();
        Ok(reading)
    }
}

impl<R: Rows + Default> Reading<R> {
    fn up_from(leaf: String, standing: Standing) -> Self {
        let depth = standing.leaf_depth.saturating_add(1);
        Self { above: Some(leaf), depth, ahead: standing.overlays, ..Self::default() }
    }
}

impl<R: Rows> Reading<R> {
    /// Reads as far as wanted. What has been read is parsed while the file is asked for more.
    async fn read(&mut self, tx: &mut ReadTx, session: &SessionId, reach: Reach) -> Result<(), DbError> {
        let mut taken = None;
        while let Some(next) = self.above.take() {
            let is_full = match self.ahead.pop_if(|overlay| overlay.to_message_id == next) {
                Some(overlay) => {
                    self.parse(session, taken.take());
                    self.read_overlay(tx, session, overlay, reach).await?
                }
                None => self.read_rows(tx, session, (next, reach), &mut taken).await?,
            };
            if is_full || self.rows >= reach.rows {
                break;
            }
        }
        self.parse(session, taken);
        if self.rows == 0 {
            self.depth = 0;
        }
        self.overlays.reverse();
        Ok(())
    }

    /// Reads some rows from `next` up, but none that a summary stands for; whether the rest does not fit. What was taken
    /// before is parsed meanwhile.
    async fn read_rows(
        &mut self,
        tx: &mut ReadTx,
        session: &SessionId,
        (next, reach): (String, Reach),
        taken: &mut Option<Taken>,
    ) -> Result<bool, DbError> {
        let stop = self.ahead.last().map(|overlay| overlay.to_message_id.clone());
        let until_stop = self.ahead.last().map_or(i64::MAX, |overlay| self.depth - 1 - overlay.to_depth);
        let until_stop = usize::try_from(until_stop.max(1)).unwrap_or(usize::MAX);
        let limit = reach.rows.saturating_sub(self.rows).min(until_stop).min(self.rows_at_once());
        let depth = (self.rows > 0).then_some(self.depth - 1);
        let asked = paths::contents(tx, session.as_str(), (&next, depth), limit);
        let parsed = async { self.parse(session, taken.take()) };
        let (chunk, ()) = futures::join!(asked, parsed);
        let chunk = chunk.map_err(|e| tx.error(e))?;
        for (count, place) in chunk.places.iter().enumerate() {
            let is_stop = stop.as_deref() == Some(place.id.as_str());
            if is_stop || !self.take(place, reach) {
                self.above = Some(place.id.clone());
                *taken = Some(Taken { chunk, count });
                return Ok(!is_stop);
            }
        }
        let count = chunk.places.len();
        *taken = Some(Taken { chunk, count });
        Ok(false)
    }

    /// How many rows are read at once: fewer where they are large.
    fn rows_at_once(&self) -> usize {
        let mean = self.bytes.checked_div(self.rows as u64).unwrap_or(ROW_GUESS_BYTES).max(1);
        usize::try_from(CHUNK_BYTES / mean).unwrap_or(CHUNK_ROWS).clamp(1, CHUNK_ROWS)
    }

    /// Parses what was taken.
    fn parse(&mut self, session: &SessionId, taken: Option<Taken>) {
        if let Some(taken) = taken {
            self.history.take(session, taken);
        }
    }

    /// Reads a summary instead of what it stands for; whether it does not fit.
    async fn read_overlay(
        &mut self,
        tx: &mut ReadTx,
        session: &SessionId,
        overlay: RangeRow,
        reach: Reach,
    ) -> Result<bool, DbError> {
        let summary = compactions::summary(tx, session.as_str(), &overlay.id).await;
        let summary = summary.map_err(|e| tx.error(e))?.unwrap_or_default();
        let bytes = self.bytes.saturating_add(summary.len() as u64);
        if bytes > reach.bytes && self.rows >= reach.at_least {
            self.above = Some(overlay.to_message_id);
            return Ok(true);
        }
        self.bytes = bytes;
        self.rows += 1;
        self.depth = overlay.from_depth;
        self.above.clone_from(&overlay.above);
        self.overlays.push(overlay.info());
        self.history.take_summary(&overlay.compaction(summary).message());
        Ok(false)
    }

    /// Takes one row more; false where it does not fit.
    fn take(&mut self, place: &ContentPlace, reach: Reach) -> bool {
        let bytes = self.bytes.saturating_add(place.bytes.len() as u64);
        if bytes > reach.bytes && self.rows >= reach.at_least {
            return false;
        }
        self.bytes = bytes;
        self.rows += 1;
        self.depth = place.depth;
        self.above.clone_from(&place.parent_id);
        true
    }
}

/// A role as it is stored.
pub(crate) fn role_of(text: String) -> Role {
    match text.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::Other(text),
    }
}

/// Reads a message, usual ones in a quicker way than any JSON is read.
///
/// # Errors
/// It is none.
pub fn read_message(content: &[u8]) -> Result<Message, serde_json::Error> {
    match quick::message(content) {
        Some(message) => Ok(message),
        None => serde_json::from_slice(content),
    }
}

/// Reads one row.
pub(crate) fn read(session: &SessionId, id: &str, content: &[u8]) -> Result<Message, BrokenRow> {
    let broken = |reason: String| BrokenRow { session: session.clone(), id: MessageId::new(id), reason };
    let message = read_message(content).map_err(|e| broken(e.to_string()))?;
    if message.id.as_str() == id {
        Ok(message)
    } else {
        Err(broken(format!("its content is that of message {:?}", message.id.as_str())))
    }
}
