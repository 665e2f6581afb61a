//! A stretch of the path that was opened in its middle. It stands before the end of the path, with a gap between them,
//! until the messages of the gap are here; then both are one list again.

use super::{Changes, Delivery, Row, Shift, TranscriptState};
use protocol::{MessageId, Transcript};
use std::collections::{HashMap, HashSet};

/// The stretch.
#[derive(Debug, Clone)]
pub(super) struct Past {
    pub(super) rows: Vec<Row>,
    /// Messages of the path before it.
    pub(super) earlier: u64,
}

/// Whether the server's list goes on with the path that was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// It does.
    Same,
    /// It may be another branch.
    Unclear,
}

/// Where messages are missing between rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The row that stands after the gap, counted from 0.
    pub at: usize,
    /// How many messages are missing.
    pub count: u64,
}

impl TranscriptState {
    /// Shows messages around one of them, wherever they stand on the path.
    pub fn show_around(&mut self, window: Transcript) {
        self.drop_in_vain();
        self.set_versions(window.siblings);
        self.marks.add(window.pinned, window.overlays);
        let rows: Vec<Row> = window.messages.into_iter().map(Row::stored).collect();
        let (rows, earlier) = match self.past.take() {
            None => (rows, window.earlier),
            Some(past) => match overlay(past.rows, rows) {
                Ok(rows) => (rows, past.earlier.min(window.earlier)),
                Err((_left_behind, rows)) => (rows, window.earlier),
            },
        };
        match overlay(std::mem::take(&mut self.rows), rows) {
            Ok(all) => {
                self.rows = all;
                self.earlier = self.earlier.min(earlier);
            }
            Err((end, rows)) => {
                self.rows = end;
                self.past = Some(Past { rows, earlier });
            }
        }
        self.place_in_vain();
        self.changes.show_all(self.past.iter().flat_map(|past| &past.rows).chain(&self.rows));
    }

    /// Where messages are missing between the rows.
    pub fn gap(&self) -> Option<Gap> {
        let past = self.past.as_ref()?;
        let stored = |row: &Row| self.marks.folds.get(&row.message.id).map_or(1, |fold| fold.hidden);
        let messages = past.rows.iter().filter(|row| row.delivery != Delivery::InVain);
        let here: u64 = messages.map(stored).sum();
        Some(Gap { at: past.rows.len(), count: self.earlier.saturating_sub(past.earlier + here) })
    }

    /// The message after which some are missing.
    pub fn before_gap(&self) -> Option<MessageId> {
        self.past.as_ref()?.rows.last().map(|row| row.message.id.clone())
    }

    /// Whether a message is here.
    pub fn has(&self, id: &MessageId) -> bool {
        self.shown().any(|row| row.message.id == *id)
    }

    /// After the server's list: the stretch stays where the list is of the same path or overlaps it.
    pub(super) fn keep_past(&mut self, path: Path) {
        let Some(Past { rows, earlier }) = self.past.take() else { return };
        match overlay(std::mem::take(&mut self.rows), rows) {
            Ok(all) => {
                self.rows = all;
                self.earlier = self.earlier.min(earlier);
            }
            Err((end, rows)) => {
                self.rows = end;
                self.past = (path == Path::Same).then_some(Past { rows, earlier });
            }
        }
    }
}

impl Changes {
    fn show_all<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) {
        self.order = Shift::Rows;
        self.rows.extend(rows.map(|row| row.key.clone()));
    }
}

/// Lays a stretch over another one of the same path. Where both have messages, `new` says which there are; a row that
/// is on the screen already stays itself. Both come back where they do not meet.
fn overlay(old: Vec<Row>, new: Vec<Row>) -> Result<Vec<Row>, (Vec<Row>, Vec<Row>)> {
    let ids: HashSet<&MessageId> = new.iter().map(|row| &row.message.id).collect();
    let is_common = |row: &Row| ids.contains(&row.message.id);
    let (first, last) = (old.iter().position(is_common), old.iter().rposition(is_common));
    let (Some(first), Some(last)) = (first, last) else { return Err((old, new)) };
    let mut all = old;
    let mut middle = all.split_off(first);
    let after = middle.split_off(last + 1 - first);
    let mut known: HashMap<MessageId, Row> =
        middle.into_iter().map(|row| (row.message.id.clone(), row)).collect();
    all.extend(new.into_iter().map(|row| known.remove(&row.message.id).unwrap_or(row)));
    all.extend(after);
    Ok(all)
}
