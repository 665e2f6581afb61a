//! Storing new messages: once per id, below the right parent, with everything that moves in the same transaction.

use crate::choice::{choose, standing_leaf};
use crate::compaction::overlays::end_of_overlay;
use crate::error::SessionError;
use crate::intake::Entry;
use crate::prune::give_way;
use crate::search::index::{self, Texts};
use crate::store::messages::{self, NewRow, Place};
use crate::store::paths;
use crate::store::sessions::{self, Tip};
use crate::store::weights;
use db::{DbError, WriteTx};
use protocol::{MessageId, SessionId};
use std::collections::HashMap;

/// Where a new message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    /// Below the active leaf; in an empty session it becomes the root.
    ActiveLeaf,
    /// It becomes another root: a new beginning of the same session.
    Root,
    /// Below this message, beside the children it has.
    Under(MessageId),
}

/// What became of a message that was to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The message.
    pub id: MessageId,
    /// What it stands below; none for a root.
    pub parent: Option<MessageId>,
    /// Whether it is new. A message that was there already keeps its content and its place, and nothing moved.
    pub inserted: bool,
}

impl Appended {
    fn at(place: &Place) -> Self {
        Self {
            id: MessageId::new(place.id.as_str()),
            parent: place.parent_id.as_deref().map(MessageId::new),
            inserted: false,
        }
    }
}

/// Stores `entries` one below the other, the first of them at `parent`; those that are stored already stay as they
/// are, and the next one goes below them.
pub(crate) async fn append_all(
    tx: &mut WriteTx,
    session: &SessionId,
    entries: &[Entry<'_>],
    parent: &Parent,
    now: i64,
) -> Result<Vec<Appended>, SessionError> {
    let parent = &below_stored(tx, session, parent).await?;
    let mut chain = Chain::open(tx, session, entries, parent, now).await?;
    let mut appended = Vec::with_capacity(entries.len());
    let mut above: Option<Place> = None;
    let mut new: Vec<Place> = Vec::new();
    for entry in entries {
        if let Some(place) = chain.known.get(entry.id.as_str()) {
            appended.push(Appended::at(place));
            above = Some(place.clone());
            continue;
        }
        if above.is_none() {
            above = chain.resolve(parent, entry.id)?;
        }
        let place = chain.insert(entry, above.as_ref()).await?;
        appended.push(Appended { inserted: true, ..Appended::at(&place) });
        above = Some(place.clone());
        new.push(place);
    }
    if let (Some(first), Some(last)) = (new.first(), new.last()) {
        chain.finish(first, last).await?;
    }
    Ok(appended)
}

/// Where a new message goes among stored ones: what answers a summary goes below the last message it stands for.
async fn below_stored(
    tx: &mut WriteTx,
    session: &SessionId,
    parent: &Parent,
) -> Result<Parent, SessionError> {
    match parent {
        Parent::Under(id) if id.is_overlay() => {
            let end = end_of_overlay(tx, session, id).await?;
            end.map(Parent::Under).ok_or_else(|| SessionError::Overlay(id.clone()))
        }
        Parent::ActiveLeaf | Parent::Root | Parent::Under(_) => Ok(parent.clone()),
    }
}

/// Messages being stored one below the other.
struct Chain<'a> {
    tx: &'a mut WriteTx,
    session: &'a SessionId,
    now: i64,
    tip: Tip,
    /// The leaf before this change.
    leaf: Option<String>,
    /// Stored messages this change has to do with, its own included.
    known: HashMap<String, Place>,
}

impl<'a> Chain<'a> {
    async fn open(
        tx: &'a mut WriteTx,
        session: &'a SessionId,
        entries: &[Entry<'_>],
        parent: &Parent,
        now: i64,
    ) -> Result<Self, SessionError> {
        let tip = open_tip(tx, session, now).await?;
        let leaf = standing_leaf(tx, session, &tip).await?;
        let mut ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        ids.extend(leaf.as_deref());
        if let Parent::Under(parent) = parent {
            ids.push(parent.as_str());
        }
        let ids = serde_json::Value::from(ids).to_string();
        let places = messages::places(tx, session.as_str(), &ids).await.map_err(|e| tx.error(e))?;
        let known = places.into_iter().map(|place| (place.id.clone(), place)).collect();
        Ok(Self { tx, session, now, tip, leaf, known })
    }

    /// The message that `parent` means for the new message `child`; none for a root.
    fn resolve(&self, parent: &Parent, child: &MessageId) -> Result<Option<Place>, SessionError> {
        match parent {
            Parent::Root => Ok(None),
            Parent::ActiveLeaf => Ok(self.leaf_place().cloned()),
            Parent::Under(id) if id == child => Err(SessionError::OwnParent(id.clone())),
            Parent::Under(id) => match self.known.get(id.as_str()) {
                Some(place) => Ok(Some(place.clone())),
                None => {
                    Err(SessionError::UnknownParent { session: self.session.clone(), parent: id.clone() })
                }
            },
        }
    }

    fn leaf_place(&self) -> Option<&Place> {
        self.known.get(self.leaf.as_deref()?)
    }

    async fn insert(&mut self, entry: &Entry<'_>, above: Option<&Place>) -> Result<Place, DbError> {
        self.tip.last_seq = self.tip.last_seq.saturating_add(1);
        self.tip.message_count = self.tip.message_count.saturating_add(1);
        let place = Place {
            id: entry.id.as_str().to_owned(),
            parent_id: above.map(|above| above.id.clone()),
            depth: above.map_or(0, |above| above.depth.saturating_add(1)),
            chosen_child: None,
        };
        give_way(self.tx, self.session, &place.id).await?;
        let row = NewRow {
            id: &place.id,
            parent_id: place.parent_id.as_deref(),
            seq: self.tip.last_seq,
            depth: place.depth,
            role: entry.role,
            created_at: self.now,
            content: &entry.json,
        };
        let inserted = messages::insert(self.tx, self.session.as_str(), &row).await;
        inserted.map_err(|e| self.tx.error(e))?;
        index::index(self.tx, self.session.as_str(), &place.id, &Texts::of(&entry.kept)).await?;
        let (session, above) = (self.session.as_str(), place.parent_id.as_deref());
        let weighed = weights::insert(self.tx, session, &place.id, above, entry.weight).await;
        weighed.map_err(|e| self.tx.error(e))?;
        let _new = self.known.insert(place.id.clone(), place.clone());
        Ok(place)
    }

    /// The last new message becomes the active leaf.
    async fn finish(mut self, first: &Place, last: &Place) -> Result<(), DbError> {
        let remembered = self.remembered_above(first).await?;
        choose(self.tx, self.session, &mut self.tip, &last.id, remembered.as_deref()).await?;
        let moved = sessions::move_tip(self.tx, self.session.as_str(), self.now, &self.tip).await;
        moved.map_err(|e| self.tx.error(e))
    }

    /// The parent of the first new message where it lies on the path that was active before: everything above it is
    /// remembered already. Asking that costs as many steps as the two are apart, not as many as the path has.
    async fn remembered_above(&mut self, first: &Place) -> Result<Option<String>, DbError> {
        let parent = first.parent_id.as_ref().and_then(|parent| self.known.get(parent)).cloned();
        let (Some(parent), Some(leaf)) = (parent, self.leaf_place().cloned()) else { return Ok(None) };
        let steps = leaf.depth.saturating_sub(parent.depth).saturating_add(1);
        let session = self.session.as_str();
        let is_active = leaf.id == parent.id
            || paths::is_among_last(self.tx, session, &leaf.id, steps.max(0), &parent.id)
                .await
                .map_err(|e| self.tx.error(e))?;
        Ok(is_active.then_some(parent.id))
    }
}

/// The tip of a session that is about to change. The default session comes to be with its first change.
pub(crate) async fn open_tip(tx: &mut WriteTx, session: &SessionId, now: i64) -> Result<Tip, SessionError> {
    let id = session.as_str();
    if let Some(tip) = sessions::tip(tx, id).await.map_err(|e| tx.error(e))? {
        return Ok(tip);
    }
    if *session != SessionId::default() {
        return Err(SessionError::UnknownSession(session.clone()));
    }
    let row = sessions::NewRow { now, ..sessions::NewRow::default() };
    let _row = sessions::insert(tx, &row).await.map_err(|e| tx.error(e))?;
    let tip = sessions::tip(tx, id).await.map_err(|e| tx.error(e))?;
    tip.ok_or_else(|| SessionError::UnknownSession(session.clone()))
}
