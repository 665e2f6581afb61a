//! Taking messages out of the trash: each hangs where it was, and its children below it again.

use super::choices::{self, Choices};
use super::{count_again, ranges};
use crate::choice::choose;
use crate::error::SessionError;
use crate::history;
use crate::search::index::{self, Texts};
use crate::store::messages;
use crate::store::paths;
use crate::store::sessions::{self, Tip};
use crate::store::trash::{self, DeletionRow};
use db::{DbError, WriteTx};
use protocol::{MessageId, SessionId};
use std::collections::BTreeSet;

/// Brings back everything that was deleted together with `id`, and says how many messages that were; none where it does
/// not lie in the trash.
pub(crate) async fn restore(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
    now: i64,
) -> Result<Option<u64>, SessionError> {
    let found = trash::deletion_of(tx, session.as_str(), id.as_str()).await.map_err(|e| tx.error(e))?;
    let tip = sessions::tip(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    let (Some(deletion), Some(mut tip)) = (found, tip) else { return Ok(None) };
    let ids = bring_back(tx, session, deletion.number).await?;
    Choices::read(&deletion.choices).put_back(tx, session, &mut tip).await?;
    mend(tx, session, &mut tip, &ids).await?;
    let count = ids.len() as u64;
    tip.message_count = tip.message_count.saturating_add(i64::try_from(count).unwrap_or(i64::MAX));
    look(tx, session, &mut tip, deletion).await?;
    sessions::move_tip(tx, session.as_str(), now, &tip).await.map_err(|e| tx.error(e))?;
    Ok(Some(count))
}

/// Lets a message in the trash make room for a new one with its id.
pub(crate) async fn give_way(tx: &mut WriteTx, session: &SessionId, id: &str) -> Result<(), DbError> {
    let spare = trash::spare_id(tx, session.as_str(), id).await.map_err(|e| tx.error(e))?;
    let Some(spare) = spare else { return Ok(()) };
    trash::rename(tx, session.as_str(), id, &spare).await.map_err(|e| tx.error(e))
}

/// Moves the messages of a deletion to where they were; gives their ids.
async fn bring_back(tx: &mut WriteTx, session: &SessionId, number: i64) -> Result<Vec<String>, DbError> {
    let id = session.as_str();
    let rows: Vec<String> = trash::messages(tx, id, number).await.map_err(|e| tx.error(e))?;
    let later = trash::later(tx, id, number).await.map_err(|e| tx.error(e))?;
    trash::bring_back(tx, id, number).await.map_err(|e| tx.error(e))?;
    trash::forget(tx, id, number).await.map_err(|e| tx.error(e))?;
    let _moved = trash::settle(tx, id).await.map_err(|e| tx.error(e))?;
    count_again(tx, session).await?;
    ranges::end_before(tx, session, later, &rows).await?;
    ranges::clamp(tx, session).await?;
    for message in &rows {
        let content = messages::content(tx, id, message).await.map_err(|e| tx.error(e))?;
        // A row that does not parse has no words.
        let read = history::read(session, message, &content.unwrap_or_default());
        let texts = read.map(|message| Texts::of(&message)).unwrap_or_default();
        index::index(tx, id, message, &texts).await?;
    }
    Ok(rows)
}

/// Makes the choices of those that came back, and of the messages above them, lead to children of theirs.
async fn mend(tx: &mut WriteTx, session: &SessionId, tip: &mut Tip, ids: &[String]) -> Result<(), DbError> {
    let mut concerned: BTreeSet<Option<String>> = BTreeSet::new();
    for id in ids {
        let place = messages::place(tx, session.as_str(), id).await.map_err(|e| tx.error(e))?;
        concerned.extend(place.map(|place| place.parent_id));
        let _new = concerned.insert(Some(id.clone()));
    }
    for parent in concerned {
        choices::mend(tx, session, tip, parent.as_deref()).await?;
    }
    Ok(())
}

/// Looks at the leaf that was looked at before the deletion, unless somebody looked elsewhere since.
async fn look(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &mut Tip,
    deletion: DeletionRow,
) -> Result<(), DbError> {
    let is_untouched = tip.active_leaf == deletion.leaf_after;
    let top = if is_untouched { deletion.leaf_before } else { tip.active_leaf.clone() };
    let top = top.or_else(|| tip.active_leaf.clone()).or_else(|| tip.chosen_root.clone());
    let Some(top) = top else { return Ok(()) };
    let mut leaf = paths::descend(tx, session.as_str(), &top).await.map_err(|e| tx.error(e))?;
    if leaf.is_none()
        && let Some(root) = &tip.chosen_root
    {
        leaf = paths::descend(tx, session.as_str(), root).await.map_err(|e| tx.error(e))?;
    }
    match leaf {
        Some(leaf) => choose(tx, session, tip, &leaf, None).await,
        None => Ok(()),
    }
}
