//! Which child is shown below each message when messages go and come back. What a deletion changes is written down, so
//! that an undo shows what was shown before, unless somebody chose something else meanwhile.

use crate::store::messages::{self, Place, set_chosen_child};
use crate::store::sessions::Tip;
use db::{DbError, WriteTx};
use protocol::SessionId;
use std::collections::{BTreeSet, HashMap};

/// One choice: below which message (the session itself, where none), the child before and afterwards.
type Choice = (Option<String>, Option<String>, Option<String>);

/// What one deletion did to choices.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Choices(Vec<Choice>);

impl Choices {
    /// Chooses anew wherever one of `going`, which are gone, was chosen: the child last viewed below it, which moved up
    /// in its place; else the child stored last.
    pub(super) async fn replace(
        tx: &mut WriteTx,
        session: &SessionId,
        tip: &mut Tip,
        going: &HashMap<String, Place>,
    ) -> Result<Self, DbError> {
        let parents: BTreeSet<Option<String>> = going.values().map(|place| place.parent_id.clone()).collect();
        let mut choices = Vec::new();
        for parent in parents {
            if parent.as_ref().is_some_and(|parent| going.contains_key(parent)) {
                continue;
            }
            let before = chosen(tx, session, tip, parent.as_deref()).await?;
            if before.as_ref().is_none_or(|before| !going.contains_key(before)) {
                continue;
            }
            let mut below = before.clone();
            while let Some(place) = below.as_ref().and_then(|id| going.get(id)) {
                below.clone_from(&place.chosen_child);
            }
            let after = child_or_last(tx, session, parent.as_deref(), below).await?;
            set(tx, session, tip, (parent.as_deref(), after.as_deref())).await?;
            choices.push((parent, before, after));
        }
        Ok(Self(choices))
    }

    /// As it is stored.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_else(|_unwritable| "[]".to_owned())
    }

    /// As it was stored; nothing where that cannot be read.
    pub(super) fn read(json: &str) -> Self {
        Self(serde_json::from_str(json).unwrap_or_default())
    }

    /// Chooses again what was chosen before, wherever nobody chose anew since.
    pub(super) async fn put_back(
        &self,
        tx: &mut WriteTx,
        session: &SessionId,
        tip: &mut Tip,
    ) -> Result<(), DbError> {
        for (parent, before, after) in &self.0 {
            let Some(before) = before else { continue };
            let is_untouched = chosen(tx, session, tip, parent.as_deref()).await? == *after;
            if is_untouched && is_child(tx, session, parent.as_deref(), before).await? {
                set(tx, session, tip, (parent.as_deref(), Some(before))).await?;
            }
        }
        Ok(())
    }
}

/// Makes what is chosen below a message one of its children, where it is not: the one above what was chosen.
pub(super) async fn mend(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &mut Tip,
    parent: Option<&str>,
) -> Result<(), DbError> {
    let mut below = chosen(tx, session, tip, parent).await?;
    let before = below.clone();
    while let Some(id) = &below {
        let Some(place) = place(tx, session, id).await? else {
            below = None;
            break;
        };
        if place.parent_id.as_deref() == parent {
            break;
        }
        below = place.parent_id;
    }
    let after = child_or_last(tx, session, parent, below).await?;
    if after == before { Ok(()) } else { set(tx, session, tip, (parent, after.as_deref())).await }
}

async fn place(tx: &mut WriteTx, session: &SessionId, id: &str) -> Result<Option<Place>, DbError> {
    messages::place(tx, session.as_str(), id).await.map_err(|e| tx.error(e))
}

async fn chosen(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &Tip,
    parent: Option<&str>,
) -> Result<Option<String>, DbError> {
    let Some(parent) = parent else { return Ok(tip.chosen_root.clone()) };
    Ok(place(tx, session, parent).await?.and_then(|place| place.chosen_child))
}

async fn set(
    tx: &mut WriteTx,
    session: &SessionId,
    tip: &mut Tip,
    (parent, child): (Option<&str>, Option<&str>),
) -> Result<(), DbError> {
    match parent {
        None => {
            tip.chosen_root = child.map(str::to_owned);
            Ok(())
        }
        Some(parent) => set_chosen_child(tx, session.as_str(), parent, child).await.map_err(|e| tx.error(e)),
    }
}

async fn is_child(
    tx: &mut WriteTx,
    session: &SessionId,
    parent: Option<&str>,
    id: &str,
) -> Result<bool, DbError> {
    Ok(place(tx, session, id).await?.is_some_and(|place| place.parent_id.as_deref() == parent))
}

async fn child_or_last(
    tx: &mut WriteTx,
    session: &SessionId,
    parent: Option<&str>,
    child: Option<String>,
) -> Result<Option<String>, DbError> {
    if let Some(child) = child
        && is_child(tx, session, parent, &child).await?
    {
        return Ok(Some(child));
    }
    messages::last_child(tx, session.as_str(), parent).await.map_err(|e| tx.error(e))
}
