//! Storing new messages: once per id, below the right parent, with everything that moves in the same transaction.

use crate::choice::{choose, standing_leaf};
use crate::error::SessionError;
use crate::intake::Entry;
use crate::store::messages::{self, NewRow, Place};
use crate::store::sessions::{self, Tip};
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
    let mut chain = Chain::open(tx, session, entries, now).await?;
    let mut appended = Vec::with_capacity(entries.len());
    let mut above: Option<Place> = None;
    let mut last_new: Option<Place> = None;
    for entry in entries {
        if let Some(place) = chain.known.get(entry.id.as_str()) {
            appended.push(Appended::at(place));
            above = Some(place.clone());
            continue;
        }
        if above.is_none() {
            above = chain.resolve(parent, entry.id).await?;
        }
        let place = chain.insert(entry, above.as_ref()).await?;
        appended.push(Appended { inserted: true, ..Appended::at(&place) });
        last_new = Some(place.clone());
        above = Some(place);
    }
    if let Some(leaf) = last_new {
        chain.finish(&leaf.id).await?;
    }
    Ok(appended)
}

/// Messages being stored one below the other.
struct Chain<'a> {
    tx: &'a mut WriteTx,
    session: &'a SessionId,
    now: i64,
    tip: Tip,
    /// The leaf before this change.
    leaf: Option<String>,
    /// Messages of the list that are stored, those of this change included.
    known: HashMap<String, Place>,
}

impl<'a> Chain<'a> {
    async fn open(
        tx: &'a mut WriteTx,
        session: &'a SessionId,
        entries: &[Entry<'_>],
        now: i64,
    ) -> Result<Self, SessionError> {
        let tip = open_tip(tx, session, now).await?;
        let leaf = standing_leaf(tx, session, &tip).await?;
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        let ids = serde_json::Value::from(ids).to_string();
        let places = messages::places(tx, session.as_str(), &ids).await.map_err(|e| tx.error(e))?;
        let known = places.into_iter().map(|place| (place.id.clone(), place)).collect();
        Ok(Self { tx, session, now, tip, leaf, known })
    }

    /// The message that `parent` means for the new message `child`; none for a root.
    async fn resolve(&mut self, parent: &Parent, child: &MessageId) -> Result<Option<Place>, SessionError> {
        let id = match parent {
            Parent::Root => return Ok(None),
            Parent::ActiveLeaf => match &self.leaf {
                Some(leaf) => MessageId::new(leaf.as_str()),
                None => return Ok(None),
            },
            Parent::Under(id) if id.is_overlay() => return Err(SessionError::Overlay(id.clone())),
            Parent::Under(id) if id == child => return Err(SessionError::OwnParent(id.clone())),
            Parent::Under(id) => id.clone(),
        };
        let place = messages::place(self.tx, self.session.as_str(), id.as_str()).await;
        match place.map_err(|e| self.tx.error(e))? {
            Some(place) => Ok(Some(place)),
            None => Err(SessionError::UnknownParent { session: self.session.clone(), parent: id }),
        }
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
        let _new = self.known.insert(place.id.clone(), place.clone());
        Ok(place)
    }

    /// The last new message becomes the active leaf.
    async fn finish(mut self, leaf: &str) -> Result<(), DbError> {
        choose(self.tx, self.session, &mut self.tip, leaf, self.leaf.as_deref()).await?;
        let moved = sessions::move_tip(self.tx, self.session.as_str(), self.now, &self.tip).await;
        moved.map_err(|e| self.tx.error(e))
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
