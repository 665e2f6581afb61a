//! Stored rows read back as messages. A row that does not parse is named beside the others and never made up.

use crate::error::BrokenRow;
use crate::store::counted;
use crate::store::paths::{ContentRow, SizeRow};
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

impl History {
    /// Reads the rows of a path.
    pub(crate) fn read(session: &SessionId, rows: &[ContentRow]) -> Self {
        let mut history = Self::default();
        for row in rows {
            match read(session, &row.id, &row.content) {
                Ok(message) => history.messages.push(message),
                Err(broken) => history.broken.push(broken),
            }
        }
        history
    }
}

/// Reads one row.
pub(crate) fn read(session: &SessionId, id: &str, content: &str) -> Result<Message, BrokenRow> {
    let broken = |reason: String| BrokenRow { session: session.clone(), id: MessageId::new(id), reason };
    let message: Message = serde_json::from_str(content).map_err(|e| broken(e.to_string()))?;
    if message.id.as_str() == id {
        Ok(message)
    } else {
        Err(broken(format!("its content is that of message {:?}", message.id.as_str())))
    }
}

/// How many messages at the end of a path fit `max_bytes`; never fewer than `min_recent`, and at least one.
pub(crate) fn recent_count(rows: &[SizeRow], max_bytes: u64, min_recent: usize) -> usize {
    let mut total: u64 = 0;
    let fits = |row: &&SizeRow| {
        total = total.saturating_add(counted(row.bytes));
        total <= max_bytes
    };
    let fitting = rows.iter().rev().take_while(fits).count();
    fitting.max(min_recent.max(1)).min(rows.len())
}
