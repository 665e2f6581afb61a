//! Overlays and pins as they are stored: made only where they are sound, kept sound when messages go.

use crate::compaction::standing::{Standing, visible_tokens};
use crate::compaction::{Compaction, estimate_summary, overlay_id, record_id};
use crate::error::SessionError;
use crate::prune;
use crate::session::Session;
use crate::store::messages::{self, Place};
use crate::store::{compactions, paths, stored, weights};
use db::{DbError, WriteTx};
use protocol::limits::MESSAGE_MAX_BYTES;
use protocol::{MessageId, SessionId};

/// Whether a message is kept out of new summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// No new summary may stand for it.
    Pinned,
    /// A summary may stand for it.
    Loose,
}

impl Session {
    /// Lets a summary stand for the messages from `from` to `to`. Where one of these is itself a message that stands
    /// for others, the first or last of those is meant.
    ///
    /// # Errors
    /// [`SessionError::UnknownMessage`], [`SessionError::NotOnePath`], [`SessionError::Pinned`],
    /// [`SessionError::TooLarge`].
    pub async fn add_compaction(
        &self,
        summary: &str,
        from: &MessageId,
        to: &MessageId,
    ) -> Result<Compaction, SessionError> {
        check_size(summary)?;
        let mut tx = self.shared().db.write().await?;
        let range = Range::between(&mut tx, self.id(), from, to).await?;
        if let Some(pinned) = range.pinned(&mut tx, self.id()).await? {
            return Err(SessionError::Pinned(pinned));
        }
        let compaction = self.insert_compaction(&mut tx, summary, &range).await?;
        tx.commit().await?;
        self.announce().await;
        Ok(compaction)
    }

    pub(crate) async fn insert_compaction(
        &self,
        tx: &mut WriteTx,
        summary: &str,
        range: &Range,
    ) -> Result<Compaction, DbError> {
        let (id, now) = (self.shared().ids.new_id(), self.shared().now());
        let row = compactions::NewRow {
            id: &id,
            seq: None,
            from: &range.from.id,
            to: &range.to.id,
            tokens: stored(estimate_summary(summary)),
            created_at: now,
            summary,
        };
        compactions::insert(tx, self.id().as_str(), &row).await.map_err(|e| tx.error(e))?;
        Ok(Compaction {
            id: overlay_id(&id),
            summary: summary.to_owned(),
            from: MessageId::new(range.from.id.as_str()),
            to: MessageId::new(range.to.id.as_str()),
            created_at: crate::store::counted(now),
        })
    }

    /// All overlays of the session, on all branches, in the order they were made; also those that stand nowhere because
    /// a later one covers them.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn compactions(&self) -> Result<Vec<Compaction>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let rows = compactions::list(&mut tx, self.id().as_str()).await.map_err(|e| tx.error(e))?;
        Ok(rows.into_iter().map(Compaction::from).collect())
    }

    /// Replaces the summary of an overlay; none where there is no such overlay.
    ///
    /// # Errors
    /// [`SessionError::TooLarge`].
    pub async fn set_summary(
        &self,
        id: &MessageId,
        summary: &str,
    ) -> Result<Option<Compaction>, SessionError> {
        check_size(summary)?;
        let Some(record) = record_id(id) else { return Ok(None) };
        let mut tx = self.shared().db.write().await?;
        let (session, tokens) = (self.id().as_str(), stored(estimate_summary(summary)));
        let set = compactions::set_summary(&mut tx, session, record, tokens, summary).await;
        if !set.map_err(|e| tx.error(e))? {
            return Ok(None);
        }
        let row = compactions::find(&mut tx, session, record).await.map_err(|e| tx.error(e))?;
        // A summary that is being written has read the old one.
        self.shared().flights.touch(self.id(), std::slice::from_ref(id));
        tx.commit().await?;
        self.announce().await;
        Ok(row.map(Compaction::from))
    }

    /// Takes an overlay away; whether it was there. What it stood for is read again as it was before, with the overlays
    /// that stood there before.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn delete_compaction(&self, id: &MessageId) -> Result<bool, SessionError> {
        let Some(record) = record_id(id) else { return Ok(false) };
        let mut tx = self.shared().db.write().await?;
        let deleted = compactions::delete(&mut tx, self.id().as_str(), record).await;
        let was_there = deleted.map_err(|e| tx.error(e))?;
        prune::forget_range(&mut tx, self.id(), record).await?;
        self.shared().flights.touch(self.id(), std::slice::from_ref(id));
        tx.commit().await?;
        self.announce().await;
        Ok(was_there)
    }

    /// Pins a message or takes the pin away; whether there is such a message.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn set_pinned(&self, id: &MessageId, pin: Pin) -> Result<bool, SessionError> {
        let at = match pin {
            Pin::Pinned => Some(self.shared().now()),
            Pin::Loose => None,
        };
        let mut tx = self.shared().db.write().await?;
        let set = weights::set_pinned(&mut tx, self.id().as_str(), id.as_str(), at).await;
        let was_there = set.map_err(|e| tx.error(e))?;
        // A summary that is being written must not come to stand for it.
        self.shared().flights.touch(self.id(), std::slice::from_ref(id));
        tx.commit().await?;
        Ok(was_there)
    }

    /// The pinned messages of all branches, in the order they were stored.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn pinned(&self) -> Result<Vec<MessageId>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let rows = weights::pinned(&mut tx, self.id().as_str()).await.map_err(|e| tx.error(e))?;
        Ok(rows.into_iter().map(|(id, _)| MessageId::new(id)).collect())
    }

    /// What a model will probably count for the path to `leaf` as it is read, or for the active one. Costs the same
    /// however long the path is.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn token_estimate(&self, leaf: Option<&MessageId>) -> Result<u64, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else { return Ok(0) };
        Ok(visible_tokens(&mut tx, self.id().as_str(), &leaf).await.map_err(|e| tx.error(e))?)
    }
}

fn check_size(summary: &str) -> Result<(), SessionError> {
    let (bytes, max) = (summary.len(), MESSAGE_MAX_BYTES);
    if bytes > max { Err(SessionError::TooLarge { bytes, max }) } else { Ok(()) }
}

/// The two ends of a range, which lie on one path in this order.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub(crate) from: Place,
    pub(crate) to: Place,
}

impl Range {
    /// Looks the ends up and checks that they lie on one path.
    pub(crate) async fn between(
        tx: &mut WriteTx,
        session: &SessionId,
        from: &MessageId,
        to: &MessageId,
    ) -> Result<Self, SessionError> {
        let first = end(tx, session, from, |row| row.from_message_id).await?;
        let last = end(tx, session, to, |row| row.to_message_id).await?;
        let range = Self { from: first, to: last };
        let id = range.from.id.clone();
        if range.holds(tx, session, &id, range.from.depth).await? {
            Ok(range)
        } else {
            Err(SessionError::NotOnePath { from: from.clone(), to: to.clone() })
        }
    }

    /// Whether a message lies in the range.
    async fn holds(
        &self,
        tx: &mut WriteTx,
        session: &SessionId,
        id: &str,
        depth: i64,
    ) -> Result<bool, DbError> {
        if depth < self.from.depth || depth > self.to.depth {
            return Ok(false);
        }
        let steps = self.to.depth.saturating_sub(depth).saturating_add(1);
        let found = paths::is_among_last(tx, session.as_str(), &self.to.id, steps, id).await;
        found.map_err(|e| tx.error(e))
    }

    /// A pinned message in the range that is not hidden already.
    pub(crate) async fn pinned(
        &self,
        tx: &mut WriteTx,
        session: &SessionId,
    ) -> Result<Option<MessageId>, DbError> {
        let pinned = weights::pinned(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
        if pinned.is_empty() {
            return Ok(None);
        }
        let standing = Standing::on(tx, session.as_str(), &self.to.id).await.map_err(|e| tx.error(e))?;
        for (id, depth) in pinned {
            if !standing.hides(depth) && self.holds(tx, session, &id, depth).await? {
                return Ok(Some(MessageId::new(id)));
            }
        }
        Ok(None)
    }
}

/// The message that an end of a range means.
async fn end(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
    of: fn(compactions::CompactionRow) -> String,
) -> Result<Place, SessionError> {
    let unknown = || SessionError::UnknownMessage { session: session.clone(), id: id.clone() };
    let meant = match record_id(id) {
        None => id.as_str().to_owned(),
        Some(record) => {
            let row = compactions::find(tx, session.as_str(), record).await.map_err(|e| tx.error(e))?;
            of(row.ok_or_else(unknown)?)
        }
    };
    let place = messages::place(tx, session.as_str(), &meant).await.map_err(|e| tx.error(e))?;
    place.ok_or_else(unknown)
}

/// The last message that a message which stands for others stands for: what answers it goes below that one.
pub(crate) async fn end_of_overlay(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
) -> Result<Option<MessageId>, DbError> {
    let Some(record) = record_id(id) else { return Ok(None) };
    let row = compactions::find(tx, session.as_str(), record).await.map_err(|e| tx.error(e))?;
    Ok(row.map(|row| MessageId::new(row.to_message_id)))
}
