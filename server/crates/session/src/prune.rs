//! Removing messages without losing others: children move up to the parent of what is removed.

use crate::choice::choose;
use crate::compaction::overlays::clamp;
use crate::error::SessionError;
use crate::store::messages::{self, Place};
use crate::store::paths;
use crate::store::sessions::{self, Tip};
use crate::store::{compactions, weights};
use db::{DbError, WriteTx};
use protocol::{MessageId, SessionId};

/// Removes those of `ids` that exist and says how many that were.
pub(crate) async fn delete(
    tx: &mut WriteTx,
    session: &SessionId,
    ids: &[MessageId],
    now: i64,
) -> Result<u64, SessionError> {
    let Some(tip) = sessions::tip(tx, session.as_str()).await.map_err(|e| tx.error(e))? else { return Ok(0) };
    let mut pruning = Pruning { tx, session, tip, moved_children: 0, deleted: 0 };
    for id in ids {
        pruning.remove(id.as_str()).await?;
    }
    if pruning.deleted > 0 { pruning.finish(now).await.map_err(SessionError::Db) } else { Ok(0) }
}

/// Removes all messages; the session itself stays.
pub(crate) async fn clear(tx: &mut WriteTx, session: &SessionId, now: i64) -> Result<(), SessionError> {
    let id = session.as_str();
    let Some(mut tip) = sessions::tip(tx, id).await.map_err(|e| tx.error(e))? else { return Ok(()) };
    messages::delete_all(tx, id).await.map_err(|e| tx.error(e))?;
    compactions::delete_all(tx, id).await.map_err(|e| tx.error(e))?;
    tip.active_leaf = None;
    tip.chosen_root = None;
    tip.message_count = 0;
    sessions::move_tip(tx, id, now, &tip).await.map_err(|e| tx.error(e).into())
}

struct Pruning<'a> {
    tx: &'a mut WriteTx,
    session: &'a SessionId,
    tip: Tip,
    /// Messages that hang below another parent now, so that depths and paths are wrong.
    moved_children: u64,
    deleted: u64,
}

impl Pruning<'_> {
    async fn remove(&mut self, id: &str) -> Result<(), DbError> {
        let found = messages::place(self.tx, self.session.as_str(), id).await;
        let Some(place) = found.map_err(|e| self.tx.error(e))? else { return Ok(()) };
        self.forget(&place).await?;
        clamp(self.tx, self.session, &place).await?;
        let above = place.parent_id.as_deref();
        let moved = messages::move_children(self.tx, self.session.as_str(), id, above).await;
        self.moved_children = self.moved_children.saturating_add(moved.map_err(|e| self.tx.error(e))?);
        let removed = messages::delete(self.tx, self.session.as_str(), id).await;
        removed.map_err(|e| self.tx.error(e))?;
        self.deleted = self.deleted.saturating_add(1);
        self.tip.message_count = self.tip.message_count.saturating_sub(1);
        Ok(())
    }

    /// Whatever pointed at the message points past it: the parent at the child last viewed, the session at the parent.
    async fn forget(&mut self, place: &Place) -> Result<(), DbError> {
        if self.tip.active_leaf.as_ref() == Some(&place.id) {
            self.tip.active_leaf.clone_from(&place.parent_id);
        }
        if self.tip.chosen_root.as_ref() == Some(&place.id) {
            self.tip.chosen_root.clone_from(&place.chosen_child);
        }
        let Some(parent_id) = &place.parent_id else { return Ok(()) };
        let parent = messages::place(self.tx, self.session.as_str(), parent_id).await;
        let parent = parent.map_err(|e| self.tx.error(e))?;
        if parent.is_none_or(|parent| parent.chosen_child.as_ref() != Some(&place.id)) {
            return Ok(());
        }
        let child = place.chosen_child.as_deref();
        let set = messages::set_chosen_child(self.tx, self.session.as_str(), parent_id, child).await;
        set.map_err(|e| self.tx.error(e))
    }

    async fn finish(mut self, now: i64) -> Result<u64, DbError> {
        if self.moved_children > 0 {
            let renewed = paths::renew_depths(self.tx, self.session.as_str()).await;
            renewed.map_err(|e| self.tx.error(e))?;
            let renewed = weights::renew_paths(self.tx, self.session.as_str()).await;
            renewed.map_err(|e| self.tx.error(e))?;
        }
        match self.top().await? {
            None => self.tip.active_leaf = None,
            Some(top) => {
                let leaf = paths::descend(self.tx, self.session.as_str(), &top).await;
                let leaf = leaf.map_err(|e| self.tx.error(e))?.unwrap_or(top);
                choose(self.tx, self.session, &mut self.tip, &leaf, None).await?;
            }
        }
        let moved = sessions::move_tip(self.tx, self.session.as_str(), now, &self.tip).await;
        moved.map_err(|e| self.tx.error(e))?;
        Ok(self.deleted)
    }

    /// The message from which the new active leaf is looked for: the nearest one above the old leaf that is left, else
    /// the root last viewed, else the root stored last.
    async fn top(&mut self) -> Result<Option<String>, DbError> {
        if let Some(leaf) = &self.tip.active_leaf {
            return Ok(Some(leaf.clone()));
        }
        let roots = messages::children(self.tx, self.session.as_str(), None).await;
        let mut roots = roots.map_err(|e| self.tx.error(e))?;
        let chosen = self.tip.chosen_root.clone().filter(|chosen| roots.contains(chosen));
        Ok(chosen.or_else(|| roots.pop()))
    }
}
