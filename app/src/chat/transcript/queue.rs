//! Messages that wait for the answer before them: they stand above the composer, not among the rows, and can be taken
//! back until their turn comes.

use super::{Delivery, Row, RowKey, TranscriptState};
use protocol::{ClientFrame, FilePart, Message, MessageId, Part, RequestId};

/// A message that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    /// Its row.
    pub key: RowKey,
    /// What it says.
    pub text: String,
    /// What comes with it.
    pub files: usize,
}

/// What is said: a text, files, or both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words {
    /// The text; may be empty where there are files.
    pub text: String,
    /// The files.
    pub files: Vec<FilePart>,
}

impl Words {
    /// A text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), files: Vec::new() }
    }

    /// What a message says.
    pub fn of(message: &Message) -> Self {
        Self { text: message.plain_text(), files: files_of(&message.parts) }
    }

    /// As the parts of a message: files first, as models like it.
    pub fn parts(self) -> Vec<Part> {
        let text = (!self.text.is_empty()).then(|| Part::text(self.text));
        self.files.into_iter().map(Part::File).chain(text).collect()
    }
}

/// The files among parts.
pub fn files_of(parts: &[Part]) -> Vec<FilePart> {
    parts.iter().filter_map(Part::as_file).cloned().collect()
}

impl TranscriptState {
    /// The messages that wait, in the order of their turns.
    pub fn queue(&self) -> Vec<Queued> {
        let queued = |row: &Row| {
            let words = Words::of(&row.message);
            Queued { key: row.key.clone(), text: words.text, files: words.files.len() }
        };
        self.rows.iter().filter(|row| self.is_queued(row)).map(queued).collect()
    }

    /// Takes a message out of the queue. Its words, and the frame to send.
    pub fn unqueue(&mut self, key: &RowKey) -> Option<(Words, ClientFrame)> {
        let row = self.row(key).filter(|row| self.is_queued(row))?;
        let (words, id) = (Words::of(&row.message), row.message.id.clone());
        let index = self.outbox.iter().position(|pending| pending.message.id == id)?;
        let request = self.outbox.remove(index).request;
        self.rows.retain(|row| row.key != *key);
        self.marks.taken_out.push((request.clone(), id));
        self.reorder();
        Some((words, ClientFrame::Cancel { id: request }))
    }

    pub(super) fn is_queued(&self, row: &Row) -> bool {
        row.delivery == Delivery::Waiting && self.delivery(row) == Delivery::Waiting
    }

    /// Whether a message was taken out of the queue: the server may still list it for a moment.
    pub(super) fn is_taken_out(&self, id: &MessageId) -> bool {
        self.marks.taken_out.iter().any(|(_, taken)| taken == id)
    }

    /// The server has ended the request of a message that was taken out: now the message can go.
    pub(super) fn end_taken_out(&mut self, request: &RequestId) {
        let ended = self.marks.taken_out.iter().find(|(taken, _)| taken == request);
        if let Some((_, id)) = ended {
            self.changes.discarded.push(id.clone());
        }
    }

    /// Its turn had begun when it was to be taken out: it stands where it was said.
    pub(super) fn keep_begun(&mut self, request: &RequestId) {
        self.marks.taken_out.retain(|(taken, _)| taken != request);
    }
}
