//! Removing messages without losing others: children move up to the nearest message above that stays, and what is
//! removed lies in the trash until it is restored or purged.

mod choices;
mod listing;
mod purge;
mod ranges;
mod restore;

pub(crate) use purge::{discard, purge};
pub(crate) use ranges::forget as forget_range;
pub(crate) use restore::{give_way, restore};

use crate::choice::choose;
use crate::error::SessionError;
use crate::store::messages::{self, Place};
use crate::store::sessions::{self, Tip};
use crate::store::trash::{self, DeletionRow};
use crate::store::{compactions, counted, paths, weights};
use choices::Choices;
use db::{DbError, WriteTx};
use protocol::limits::{TRASH_DELETIONS_MAX, TRASH_MAX_BYTES};
use protocol::{MessageId, SessionId};
use serde_json::Value;
use std::collections::HashMap;

/// Puts those of `ids` that exist into the trash, together, and says how many that were. The trash may hold too much then:
/// see [`bound`].
pub(crate) async fn delete(
    tx: &mut WriteTx,
    session: &SessionId,
    ids: &[MessageId],
    now: i64,
) -> Result<u64, SessionError> {
    let id = session.as_str();
    let Some(tip) = sessions::tip(tx, id).await.map_err(|e| tx.error(e))? else { return Ok(0) };
    let asked = Value::from_iter(ids.iter().map(MessageId::as_str)).to_string();
    let places = messages::places(tx, id, &asked).await.map_err(|e| tx.error(e))?;
    let Some(head) = places.first().map(|place| place.id.clone()) else { return Ok(0) };
    let number = trash::open(tx, id, &head, now).await.map_err(|e| tx.error(e))?;
    let going = places.into_iter().map(|place| (place.id.clone(), place)).collect();
    let deletion = Deletion { session, number, going };
    deletion.take_away(tx).await?;
    deletion.move_tip(tx, tip, now).await?;
    Ok(deletion.going.len() as u64)
}

/// Puts messages into the trash as a deletion that is noted already; choices and the active leaf are not looked after.
pub(crate) async fn throw_away(
    tx: &mut WriteTx,
    session: &SessionId,
    number: i64,
    ids: &[String],
) -> Result<(), DbError> {
    let asked = Value::from_iter(ids.iter().cloned()).to_string();
    let places = messages::places(tx, session.as_str(), &asked).await.map_err(|e| tx.error(e))?;
    let going = places.into_iter().map(|place| (place.id.clone(), place)).collect();
    Deletion { session, number, going }.take_away(tx).await
}

/// Puts all messages into the trash, as one deletion, and gives the message it is named by; none where there are none.
/// The session itself stays.
pub(crate) async fn clear(
    tx: &mut WriteTx,
    session: &SessionId,
    now: i64,
) -> Result<Option<MessageId>, SessionError> {
    let ids = messages::ids(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    let ids: Vec<MessageId> = ids.into_iter().map(MessageId::new).collect();
    let _count = delete(tx, session, &ids, now).await?;
    // What is left of summaries stands for nothing.
    compactions::delete_all(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    Ok(ids.into_iter().next())
}

/// Removes some of the oldest deletion for good where the trash holds more of them, or more bytes, than it may; whether
/// there may be more to remove. The newest one stays in any case.
pub(crate) async fn bound(tx: &mut WriteTx, session: &SessionId) -> Result<bool, SessionError> {
    let (mut place, mut total) = (0_usize, 0_u64);
    let sizes = trash::sizes(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    let surplus = sizes.into_iter().filter(|(_, bytes)| {
        place += 1;
        total = total.saturating_add(counted(*bytes));
        place > 1 && (place > TRASH_DELETIONS_MAX || total > TRASH_MAX_BYTES)
    });
    let Some((head, _)) = surplus.last() else { return Ok(false) };
    Ok(purge(tx, session, &MessageId::new(head)).await?.is_some())
}

/// Counts depths, weights of paths and ends of ranges again, after messages moved.
async fn count_again(tx: &mut WriteTx, session: &SessionId) -> Result<(), DbError> {
    let id = session.as_str();
    paths::renew_depths(tx, id).await.map_err(|e| tx.error(e))?;
    weights::renew_paths(tx, id).await.map_err(|e| tx.error(e))
}

/// Messages that go together.
struct Deletion<'a> {
    session: &'a SessionId,
    number: i64,
    /// They, as they stood.
    going: HashMap<String, Place>,
}

impl Deletion<'_> {
    async fn take_away(&self, tx: &mut WriteTx) -> Result<(), DbError> {
        let (id, ids) = (self.session.as_str(), Value::from_iter(self.going.keys().cloned()).to_string());
        trash::put(tx, id, self.number, &ids).await.map_err(|e| tx.error(e))?;
        trash::displace_children(tx, id, &ids).await.map_err(|e| tx.error(e))?;
        ranges::keep(tx, self.session, &ids).await?;
        trash::take_away(tx, id, &ids).await.map_err(|e| tx.error(e))?;
        if trash::settle(tx, id).await.map_err(|e| tx.error(e))? > 0 {
            count_again(tx, self.session).await?;
        }
        ranges::clamp(tx, self.session).await
    }

    /// Whatever pointed at what went points past it.
    async fn move_tip(&self, tx: &mut WriteTx, mut tip: Tip, now: i64) -> Result<(), DbError> {
        let leaf_before = tip.active_leaf.clone();
        let choices = Choices::replace(tx, self.session, &mut tip, &self.going).await?;
        let above = tip.active_leaf.clone().and_then(|leaf| self.above(leaf));
        let top = match above {
            Some(top) => Some(top),
            None => tip.chosen_root.clone(),
        };
        match top {
            None => tip.active_leaf = None,
            Some(top) => {
                let leaf = paths::descend(tx, self.session.as_str(), &top).await;
                let leaf = leaf.map_err(|e| tx.error(e))?.unwrap_or(top);
                choose(tx, self.session, &mut tip, &leaf, None).await?;
            }
        }
        let gone = i64::try_from(self.going.len()).unwrap_or(i64::MAX);
        tip.message_count = tip.message_count.saturating_sub(gone);
        let moved = sessions::move_tip(tx, self.session.as_str(), now, &tip).await;
        moved.map_err(|e| tx.error(e))?;
        let row = DeletionRow {
            number: self.number,
            choices: choices.written(),
            leaf_before,
            leaf_after: tip.active_leaf,
        };
        trash::note(tx, self.session.as_str(), &row).await.map_err(|e| tx.error(e))
    }

    /// The message itself where it stays, else the nearest one above it that does.
    fn above(&self, id: String) -> Option<String> {
        let mut at = Some(id);
        while let Some(place) = at.as_ref().and_then(|id| self.going.get(id)) {
            at.clone_from(&place.parent_id);
        }
        at
    }
}
