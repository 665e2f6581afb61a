//! The doors of a session to its trash.

use crate::error::SessionError;
use crate::history::role_of;
use crate::outline::READ_CHARS;
use crate::prune;
use crate::session::Session;
use crate::store::{counted, stored, trash};
use protocol::limits::TRASH_LIST_MAX;
use protocol::{DeletedMessage, MessageId};

impl Session {
    /// Puts messages into the trash, together, and says how many were there. Their children go to the nearest message
    /// above that stays, so nothing else is lost; where the active leaf goes, that message leads to the new one.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn delete(&self, ids: &[MessageId]) -> Result<u64, SessionError> {
        let mut tx = self.shared().db.write().await?;
        let deleted = prune::delete(&mut tx, self.id(), ids, self.shared().now()).await?;
        self.shared().flights.touch(self.id(), ids);
        tx.commit().await?;
        self.announce().await;
        self.bound_trash().await?;
        Ok(deleted)
    }

    /// Removes the oldest deletions for good where the trash is too full, some messages at a time. What a crash leaves
    /// goes with the next deletion.
    pub(crate) async fn bound_trash(&self) -> Result<(), SessionError> {
        loop {
            let mut tx = self.shared().db.write().await?;
            if !prune::bound(&mut tx, self.id()).await? {
                return Ok(());
            }
            tx.commit().await?;
        }
    }

    /// Removes messages for good that nobody has seen, such as the place of an answer that never came; how many there
    /// were.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn discard(&self, ids: &[MessageId]) -> Result<u64, SessionError> {
        let mut tx = self.shared().db.write().await?;
        let discarded = prune::discard(&mut tx, self.id(), ids, self.shared().now()).await?;
        self.shared().flights.touch(self.id(), ids);
        tx.commit().await?;
        self.announce().await;
        Ok(discarded)
    }

    /// Brings a message back from the trash, with all that was deleted together with it: each below its parent, or the
    /// nearest message above that is not in the trash, and what had hung below it there again. What was looked at
    /// before the deletion is looked at again, unless somebody looked elsewhere since. Says how many came back; none
    /// where the message does not lie in the trash.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn restore(&self, id: &MessageId) -> Result<Option<u64>, SessionError> {
        let mut tx = self.shared().db.write().await?;
        let restored = prune::restore(&mut tx, self.id(), id, self.shared().now()).await?;
        // Whatever a running summary has read, the tree is another one now.
        self.shared().flights.clear(self.id());
        tx.commit().await?;
        self.announce().await;
        Ok(restored)
    }

    /// Removes a message from the trash for good, with all that was deleted together with it; how many that were, or
    /// none where it does not lie there. A large deletion goes in several changes, so that others can write meanwhile;
    /// what is left of it where that is broken off still lies in the trash.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn purge(&self, id: &MessageId) -> Result<Option<u64>, SessionError> {
        let mut tx = self.shared().db.write().await?;
        let head = trash::head_of(&mut tx, self.id().as_str(), id.as_str()).await.map_err(|e| tx.error(e))?;
        let Some(head) = head.map(MessageId::new) else { return Ok(None) };
        let mut count = 0;
        while let Some(purged) = prune::purge(&mut tx, self.id(), &head).await? {
            tx.commit().await?;
            count += purged.count;
            if !purged.is_more {
                break;
            }
            tx = self.shared().db.write().await?;
        }
        Ok(Some(count))
    }

    /// What lies in the trash, deletion by deletion, the latest [`TRASH_LIST_MAX`] of them, the last one first.
    ///
    /// # Errors
    /// Only what the file can meet. A row that does not parse has no preview.
    pub async fn trash(&self) -> Result<Vec<DeletedMessage>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let (limit, chars) = (stored(TRASH_LIST_MAX as u64), stored(READ_CHARS as u64));
        let rows = trash::list(&mut tx, self.id().as_str(), limit, chars).await.map_err(|e| tx.error(e))?;
        let listed = rows.into_iter().map(|row| DeletedMessage {
            id: MessageId::new(row.head),
            role: role_of(row.role),
            preview: row.preview.as_deref().map(protocol::preview).unwrap_or_default(),
            deleted_at: counted(row.deleted_at),
            count: counted(row.count),
        });
        Ok(listed.collect())
    }
}
