//! Stored rows read back as messages. A row that does not parse is named beside the others and never made up.

use crate::error::BrokenRow;
use crate::store::counted;
use crate::store::paths::{self, ContentRow, SizeRow};
use db::{DbError, ReadTx};
use protocol::{Message, MessageId, Role, SessionId};
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
        let role = match row.role.as_str() {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::Other(row.role),
        };
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

/// The end of a path, read row by row from the leaf up.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) history: History,
    pub(crate) rows: usize,
    bytes: u64,
    /// Depth of the oldest row that was read.
    pub(crate) depth: i64,
    /// The row above that one.
    pub(crate) above: Option<String>,
}

impl Reading {
    /// Reads the end of the path to `leaf`.
    pub(crate) async fn of(
        tx: &mut ReadTx,
        session: &SessionId,
        leaf: String,
        reach: Reach,
    ) -> Result<Self, DbError> {
        let mut reading = Self { above: Some(leaf), ..Self::default() };
        while let Some(next) = reading.above.take() {
            let limit = reach.rows.saturating_sub(reading.rows);
            let chunk = paths::contents(tx, session.as_str(), &next, limit).await.map_err(|e| tx.error(e))?;
            let rows = chunk.rows();
            let fitting = rows.iter().take_while(|row| reading.take(session, row, reach)).count();
            if fitting < rows.len() || reading.rows >= reach.rows {
                break;
            }
        }
        reading.history.messages.reverse();
        reading.history.broken.reverse();
        Ok(reading)
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
