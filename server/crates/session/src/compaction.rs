//! Overlays: a summary stands for a range of messages when a path is read. The messages themselves stay stored, found
//! and reachable, so that taking an overlay away gives back every byte.

use crate::tokens::estimate_message;
use fold::{Span, fold};
use protocol::{Extra, Message, MessageId, OVERLAY_ID_PREFIX, Part, Role};
use std::collections::HashMap;

pub(crate) mod flight;
mod fold;
pub(crate) mod overlays;
mod plan;
mod prompt;
mod repair;
mod run;
pub(crate) mod standing;
mod summary;
#[cfg(test)]
mod tests;

pub use overlays::Pin;
pub use plan::Protect;
pub use repair::sanitize_tool_pairs;
pub use run::{CompactionError, Declined, Outcome};
pub use summary::{Compact, CompactionInput, Draft, Start, Summarise, SummaryCompaction};

/// An overlay as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Id of the message that stands for the range; no stored message has such an id.
    pub id: MessageId,
    /// What is shown, and read by the model, instead of the range.
    pub summary: String,
    /// First message of the range.
    pub from: MessageId,
    /// Last message of the range.
    pub to: MessageId,
    /// Milliseconds since 1970.
    pub created_at: u64,
}

impl Compaction {
    /// The message that stands for the range: the summary, word for word, as the model's.
    pub fn message(&self) -> Message {
        Message {
            id: self.id.clone(),
            role: Role::Assistant,
            parts: vec![Part::text(self.summary.as_str())],
            metadata: None,
            extra: Extra::from_iter([("createdAt".to_owned(), self.created_at.into())]),
        }
    }
}

/// The id of the message that stands for the range of a record.
pub(crate) fn overlay_id(record: &str) -> MessageId {
    MessageId::new(format!("{OVERLAY_ID_PREFIX}{record}"))
}

/// The record that an overlay's id names.
pub(crate) fn record_id(id: &MessageId) -> Option<&str> {
    id.as_str().strip_prefix(OVERLAY_ID_PREFIX)
}

/// What a model counts for a summary that stands for a range.
pub(crate) fn estimate_summary(summary: &str) -> u64 {
    estimate_message(&Message::text("", Role::Assistant, summary))
}

/// A path as it is read with `compactions`, which come in the order they were made: see [`fold()`] for which of them
/// stand. Those whose ends are not both on the path, in this order, stand for nothing.
pub fn apply_overlays(path: &[Message], compactions: &[Compaction]) -> Vec<Message> {
    let mut ends: HashMap<&MessageId, Option<usize>> = HashMap::new();
    ends.extend(compactions.iter().flat_map(|compaction| [(&compaction.from, None), (&compaction.to, None)]));
    for (position, message) in path.iter().enumerate() {
        if let Some(end) = ends.get_mut(&message.id) {
            *end = Some(position);
        }
    }
    let position = |id: &MessageId| ends.get(id).copied().flatten();
    let span = |compaction: &Compaction| {
        Some(Span { from: position(&compaction.from)?, to: position(&compaction.to)? })
    };
    let spans: Vec<Option<Span<usize>>> = compactions.iter().map(span).collect();
    let mut shown = Vec::with_capacity(path.len());
    let mut next = 0;
    for standing in fold(&spans) {
        let (Some(compaction), Some(Some(span))) = (compactions.get(standing), spans.get(standing)) else {
            continue;
        };
        shown.extend(path.get(next..span.from).unwrap_or_default().iter().cloned());
        shown.push(compaction.message());
        next = span.to + 1;
    }
    shown.extend(path.get(next..).unwrap_or_default().iter().cloned());
    shown
}
