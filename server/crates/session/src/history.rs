//! Stored rows read back as messages. A row that does not parse is named beside the others and never made up.

use crate::compaction::standing::Standing;
use crate::error::BrokenRow;
use crate::store::compactions::{self, RangeRow};
use crate::store::counted;
use crate::store::paths::{self, ContentRow, SizeRow};
use db::{DbError, ReadTx};
use protocol::{Message, MessageId, OverlayInfo, Role, SessionId};
use std::ops::Deref;

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

/// The end of a path, read from the leaf up.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) history: History,
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

impl Reading {
    /// Reads the end of the path to `leaf`, on which `standing` stand.
    pub(crate) async fn of(
        tx: &mut ReadTx,
        session: &SessionId,
        leaf: String,
        reach: Reach,
        standing: Standing,
    ) -> Result<Self, DbError> {
        let depth = standing.leaf_depth.saturating_add(1);
        let mut reading = Self { above: Some(leaf), depth, ahead: standing.overlays, ..Self::default() };
        while let Some(next) = reading.above.take() {
            let is_full = match reading.ahead.pop_if(|overlay| overlay.to_message_id == next) {
                Some(overlay) => reading.read_overlay(tx, session, overlay, reach).await?,
                None => reading.read_rows(tx, session, next, reach).await?,
            };
            if is_full || reading.rows >= reach.rows {
                break;
            }
        }
        if reading.rows == 0 {
            reading.depth = 0;
        }
        reading.history.messages.reverse();
        reading.history.broken.reverse();
        reading.overlays.reverse();
        Ok(reading)
    }

    /// Reads some rows from `next` up, but none that a summary stands for; whether the rest does not fit.
    async fn read_rows(
        &mut self,
        tx: &mut ReadTx,
        session: &SessionId,
        next: String,
        reach: Reach,
    ) -> Result<bool, DbError> {
        let stop = self.ahead.last().map(|overlay| overlay.to_message_id.clone());
        let until_stop = self.ahead.last().map_or(i64::MAX, |overlay| self.depth - 1 - overlay.to_depth);
        let until_stop = usize::try_from(until_stop.max(1)).unwrap_or(usize::MAX);
        let limit = reach.rows.saturating_sub(self.rows).min(until_stop);
        let chunk = paths::contents(tx, session.as_str(), &next, limit).await.map_err(|e| tx.error(e))?;
        for row in chunk.rows() {
            let is_stop = stop.as_deref() == Some(row.id);
            if is_stop || !self.take(session, &row, reach) {
                self.above = Some(row.id.to_owned());
                return Ok(!is_stop);
            }
        }
        Ok(false)
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
        self.history.messages.push(overlay.compaction(summary).message());
        Ok(false)
    }

    /// Reads one row more; false where it does not fit.
    fn take(&mut self, session: &SessionId, row: &ContentRow<'_>, reach: Reach) -> bool {
        let bytes = self.bytes.saturating_add(row.content.len() as u64);
        if bytes > reach.bytes && self.rows >= reach.at_least {
            return false;
        }
        match read(session, row.id, row.content) {
            Ok(message) => self.history.messages.push(message),
            Err(broken) => self.history.broken.push(broken),
        }
        self.bytes = bytes;
        self.rows += 1;
        self.depth = row.depth;
        self.above = row.parent_id.map(str::to_owned);
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

/// Reads one row.
pub(crate) fn read(session: &SessionId, id: &str, content: &[u8]) -> Result<Message, BrokenRow> {
    let broken = |reason: String| BrokenRow { session: session.clone(), id: MessageId::new(id), reason };
    let message: Message = serde_json::from_slice(content).map_err(|e| broken(e.to_string()))?;
    if message.id.as_str() == id {
        Ok(message)
    } else {
        Err(broken(format!("its content is that of message {:?}", message.id.as_str())))
    }
}
