//! Messages as they were read last, with the bytes that they were read from. What is stored is compared with those bytes
//! each time, so nothing has to be told when something changes: a message is read anew exactly where its bytes differ.

use super::{History, Reach, Reading, Rows, Standing, Taken, read};
use db::{DbError, ReadTx};
use protocol::limits::RECALL_MAX_BYTES;
use protocol::{Message, MessageId, SessionId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Stored bytes that all recalls of one instance remember together. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RecallRoom(Arc<AtomicUsize>);

impl RecallRoom {
    /// Bytes that are remembered now; never more than [`RECALL_MAX_BYTES`].
    pub fn taken(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether there was room.
    fn take(&self, bytes: usize) -> bool {
        let more = |taken: usize| taken.checked_add(bytes).filter(|sum| *sum <= RECALL_MAX_BYTES);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        let _before = self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What a path was read as the last time, for [`crate::Session::recalled_history`]. Only the last reading is remembered,
/// and only as much of it as there is room.
#[derive(Debug, Default)]
pub struct Recall {
    room: RecallRoom,
    /// Never held across an await.
    rows: Mutex<HashMap<MessageId, Known>>,
}

#[derive(Debug)]
struct Known {
    content: Box<[u8]>,
    message: Message,
    /// Whether the running reading has met it.
    is_met: bool,
}

impl Recall {
    /// Remembers nothing yet.
    pub fn new(room: &RecallRoom) -> Self {
        Self { room: room.clone(), rows: Mutex::default() }
    }

    /// Remembers nothing any more.
    pub fn forget(&self) {
        let rows = std::mem::take(&mut *self.rows());
        self.room.give_back(rows.values().map(|row| row.content.len()).sum());
    }

    /// How many messages are remembered.
    pub fn count(&self) -> usize {
        self.rows().len()
    }

    /// The message of a row, if these bytes were its content before.
    fn get(&self, id: &str, content: &[u8]) -> Option<Message> {
        let mut rows = self.rows();
        let row = rows.get_mut(id).filter(|row| *row.content == *content)?;
        row.is_met = true;
        Some(row.message.clone())
    }

    /// Remembers what a row was read as.
    fn put(&self, content: &[u8], message: &Message) {
        let mut rows = self.rows();
        if let Some(old) = rows.remove(&message.id) {
            self.room.give_back(old.content.len());
        }
        if self.room.take(content.len()) {
            let row = Known { content: content.into(), message: message.clone(), is_met: true };
            let _old = rows.insert(message.id.clone(), row);
        }
    }

    /// Forgets what the reading that ends has not met.
    fn settle(&self) {
        self.rows().retain(|_, row| {
            let is_kept = std::mem::replace(&mut row.is_met, false);
            if !is_kept {
                self.room.give_back(row.content.len());
            }
            is_kept
        });
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<MessageId, Known>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Recall {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Rows that become messages, those that are remembered without being parsed.
#[derive(Debug, Default)]
pub(crate) struct Recalled<'a> {
    history: History,
    recall: Option<&'a Recall>,
}

impl<'a> Reading<Recalled<'a>> {
    /// Reads the path to `leaf`, on which `standing` stand.
    pub(crate) async fn recalled(
        tx: &mut ReadTx,
        session: &SessionId,
        (leaf, standing): (String, Standing),
        recall: &'a Recall,
    ) -> Result<History, DbError> {
        let mut reading = Self::up_from(leaf, standing);
        reading.history.recall = Some(recall);
        reading.read(tx, session, Reach::WHOLE).await?;
        recall.settle();
        Ok(reading.history.history.turned())
    }
}

impl Rows for Recalled<'_> {
    fn take(&mut self, session: &SessionId, taken: Taken) {
        let Some(recall) = self.recall else { return self.history.take(session, taken) };
        for place in taken.places() {
            let content = taken.chunk.content(place);
            let message = match recall.get(&place.id, content) {
                Some(known) => Ok(known),
                None => read(session, &place.id, content).inspect(|message| recall.put(content, message)),
            };
            self.history.add(message);
        }
    }

    fn take_summary(&mut self, summary: &Message) {
        self.history.take_summary(summary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Role;

    fn message(id: &str, text: &str) -> Message {
        Message::text(id, Role::User, text)
    }

    #[test]
    fn a_message_is_recalled_by_its_bytes_and_only_from_the_last_reading() {
        let room = RecallRoom::default();
        let recall = Recall::new(&room);
        recall.put(b"one", &message("a", "1"));
        recall.put(b"three", &message("b", "3"));
        recall.settle();
        assert_eq!((recall.count(), room.taken()), (2, 8));
        assert_eq!(recall.get("a", b"one"), Some(message("a", "1")));
        assert_eq!(recall.get("a", b"two"), None);
        assert_eq!(recall.get("c", b"one"), None);
        recall.put(b"twelve", &message("a", "12"));
        assert_eq!((recall.count(), room.taken()), (2, 11));
        recall.settle();
        assert_eq!((recall.count(), room.taken()), (1, 6), "b was not met");
        assert_eq!(recall.get("a", b"twelve"), Some(message("a", "12")));
        drop(recall);
        assert_eq!(room.taken(), 0);
    }

    #[test]
    fn all_recalls_together_keep_to_their_room() {
        let room = RecallRoom::default();
        let recalls = [Recall::new(&room), Recall::new(&room)];
        let half = vec![b'x'; RECALL_MAX_BYTES / 2];
        for recall in &recalls {
            recall.put(&half, &message("a", ""));
            recall.put(&half, &message("b", ""));
        }
        assert_eq!(recalls.each_ref().map(Recall::count), [2, 0]);
        assert_eq!(room.taken(), 2 * half.len());
        recalls[0].settle();
        recalls[0].settle();
        recalls[1].put(&half, &message("a", ""));
        assert_eq!((recalls.each_ref().map(Recall::count), room.taken()), ([0, 1], half.len()));
    }
}
