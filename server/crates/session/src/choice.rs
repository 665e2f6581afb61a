//! Which branch is looked at: the active leaf, and the child last viewed below each message.
//!
//! Invariant: the active leaf has no child, and every message of its path is the one its parent remembers.

use crate::error::SessionError;
use crate::store::messages::{latest_leaf, set_chosen_child};
use crate::store::paths::{descend, forgotten};
use crate::store::sessions::{self, Tip};
use db::{DbError, WriteTx};
use protocol::{MessageId, SessionId};

/// What a session's stored tip is worth.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// On this leaf.
    At(String),
    /// There are no messages.
    Empty,
    /// There are messages, but the stored leaf is none of them.
    Lost,
}

impl Tip {
    /// Where the session stands.
    pub(crate) fn standing(&self) -> Standing {
        match &self.active_leaf {
            Some(leaf) if self.is_present => Standing::At(leaf.clone()),
            None if self.message_count == 0 => Standing::Empty,
            Some(_) | None => Standing::Lost,
        }
    }
}

/// The leaf the next message goes below, also where the stored one is lost.
pub(crate) async fn standing_leaf(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &Tip,
) -> Result<Option<String>, DbError> {
    match tip.standing() {
        Standing::At(leaf) => Ok(Some(leaf)),
        Standing::Empty => Ok(None),
        Standing::Lost => latest_leaf(tx, session.as_str()).await.map_err(|e| tx.error(e)),
    }
}

/// Makes `leaf` the active one in `tip` and remembers its whole path. `known` is a message whose path is remembered
/// already, so that the walk may end there.
pub(crate) async fn choose(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &mut Tip,
    leaf: &str,
    known: Option<&str>,
) -> Result<(), DbError> {
    let session = session.as_str();
    for step in forgotten(tx, session, leaf, known).await.map_err(|e| tx.error(e))? {
        match step.parent_id {
            None => tip.chosen_root = Some(step.id),
            Some(parent) => {
                set_chosen_child(tx, session, &parent, Some(&step.id)).await.map_err(|e| tx.error(e))?;
            }
        }
    }
    tip.active_leaf = Some(leaf.to_owned());
    tip.is_present = true;
    Ok(())
}

/// Looks at the branch of `id`: at the leaf below it that was viewed last, or was stored last. None where there is no
/// such message.
pub(crate) async fn set_active(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
) -> Result<Option<MessageId>, SessionError> {
    let Some(mut tip) = sessions::tip(tx, session.as_str()).await.map_err(|e| tx.error(e))? else {
        return Ok(None);
    };
    let below = descend(tx, session.as_str(), id.as_str()).await.map_err(|e| tx.error(e))?;
    let Some(leaf) = below else { return Ok(None) };
    choose(tx, session, &mut tip, &leaf, None).await?;
    sessions::look_at(tx, session.as_str(), &tip).await.map_err(|e| tx.error(e))?;
    Ok(Some(MessageId::new(leaf)))
}

/// Puts a session whose stored leaf is lost back on the leaf that was stored last.
pub(crate) async fn repair(tx: &mut WriteTx, session: &SessionId) -> Result<Option<MessageId>, SessionError> {
    let Some(mut tip) = sessions::tip(tx, session.as_str()).await.map_err(|e| tx.error(e))? else {
        return Ok(None);
    };
    let leaf = standing_leaf(tx, session, &tip).await?;
    match &leaf {
        Some(leaf) => choose(tx, session, &mut tip, leaf, None).await?,
        None => tip.active_leaf = None,
    }
    sessions::look_at(tx, session.as_str(), &tip).await.map_err(|e| tx.error(e))?;
    Ok(leaf.map(MessageId::new))
}
