//! One conversation: every question about its tree and every change of it.

use crate::append::{Appended, Parent, append_all};
use crate::choice::{Standing, repair, set_active};
use crate::compaction::standing::Standing as Overlays;
use crate::error::SessionError;
use crate::history::{History, LeftOut, PathText, Reach, Reading, Recall, Recent, RowStat, read};
use crate::intake::{Entry, entry, session_name};
use crate::manager::Shared;
use crate::options::SessionOptions;
use crate::prune;
use crate::search::index::{self, Texts};
use crate::store::{counted, frozen, messages, paths, sessions, weights};
use crate::window::{above, around, window};
use db::{DbError, ReadTx, WriteTx};
use protocol::{Message, MessageId, SessionId, Transcript};
use std::sync::Arc;

/// A handle on one session. Cloning is cheap; all handles on a session see the same state, because all of it is in
/// the file.
///
/// A handle keeps working while its session lies in the trash, so that a turn that still runs loses nothing. Every
/// change is one transaction; dropping its future leaves the session as it was before or after that change.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
    options: Arc<SessionOptions>,
    id: SessionId,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, options: Arc<SessionOptions>, id: SessionId) -> Self {
        Self { shared, options, id }
    }

    /// The same session, set up in this way.
    #[must_use]
    pub fn with_options(self, options: SessionOptions) -> Self {
        Self { options: Arc::new(options), ..self }
    }

    pub(crate) fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Which session this is.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// What all handles of the file share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Stores a new message and makes it the active leaf. A message whose id is stored already stays as it is. Below a
    /// summary means below the last message it stands for. A new message may be the occasion for a summary (see
    /// [`SessionOptions::compact_after`]), whose failure is no failure of this.
    ///
    /// # Errors
    /// [`SessionError::UnknownParent`], [`SessionError::OwnParent`], [`SessionError::Overlay`],
    /// [`SessionError::InvalidId`], [`SessionError::TooLarge`] and its kin, [`SessionError::UnknownSession`].
    pub async fn append(&self, message: &Message, parent: Parent) -> Result<Appended, SessionError> {
        let mut appended =
            self.append_entries(self.shared.db.write(), &[entry(message)?], (&parent, None)).await?;
        appended.pop().ok_or_else(|| SessionError::UnknownSession(self.id.clone()))
    }

    /// Stores messages one below the other, all or none. Those that are stored already stay as they are, and the next
    /// one goes below them; the last new one becomes the active leaf.
    ///
    /// # Errors
    /// As [`Session::append`].
    pub async fn append_all(&self, list: &[Message], parent: Parent) -> Result<Vec<Appended>, SessionError> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let entries = list.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        self.append_entries(self.shared.db.write(), &entries, (&parent, None)).await
    }

    /// [`Session::append_all`] as the rest of a change of the same file that somebody else begins, and that
    /// is given up where the messages cannot be stored. It begins when they have been looked at. A session
    /// without a name is given
    /// `first_name` with them.
    ///
    /// # Errors
    /// As [`Session::append`], and [`SessionError::NameTooLong`].
    pub async fn append_all_in(
        &self,
        change: impl Future<Output = Result<WriteTx, DbError>>,
        list: &[Message],
        parent: Parent,
        first_name: Option<&str>,
    ) -> Result<Vec<Appended>, SessionError> {
        let entries = list.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let first_name = first_name.map(session_name).transpose()?;
        self.append_entries(change, &entries, (&parent, first_name.as_deref())).await
    }

    async fn append_entries(
        &self,
        change: impl Future<Output = Result<WriteTx, DbError>>,
        entries: &[Entry<'_>],
        (parent, first_name): (&Parent, Option<&str>),
    ) -> Result<Vec<Appended>, SessionError> {
        let mut tx = change.await?;
        let now = self.shared.now();
        let appended = append_all(&mut tx, &self.id, entries, parent, now).await?;
        if let Some(name) = first_name {
            let named = sessions::replace_name(&mut tx, self.id.as_str(), now, ("", name)).await;
            let _row = named.map_err(|e| tx.error(e))?;
        }
        tx.commit().await?;
        self.after_append(&appended).await;
        Ok(appended)
    }

    /// Replaces the content of a stored message and nothing else; false where there is none.
    ///
    /// # Errors
    /// As [`Session::append`], as far as the content goes.
    pub async fn update(&self, message: &Message) -> Result<bool, SessionError> {
        let entry = entry(message)?;
        let mut tx = self.shared.db.write().await?;
        let done = messages::set_content(&mut tx, self.id.as_str(), entry.id.as_str(), &entry.json).await;
        let is_known = done.map_err(|e| tx.error(e))?;
        if is_known {
            index::index(&mut tx, self.id.as_str(), entry.id.as_str(), &Texts::of(&entry.kept)).await?;
        }
        let weighed = weights::set(&mut tx, self.id.as_str(), entry.id.as_str(), entry.weight).await;
        weighed.map_err(|e| tx.error(e))?;
        self.shared.flights.touch(&self.id, std::slice::from_ref(&message.id));
        tx.commit().await?;
        self.announce().await;
        Ok(is_known)
    }

    /// One message, on whatever branch.
    ///
    /// # Errors
    /// [`SessionError::Broken`] where its row does not parse.
    pub async fn get(&self, id: &MessageId) -> Result<Option<Message>, SessionError> {
        let mut reader = self.shared.look().await?;
        let content = messages::content(&mut reader, self.id.as_str(), id.as_str()).await;
        let Some(content) = content.map_err(|e| self.shared.db.error(e))? else { return Ok(None) };
        read(&self.id, id.as_str(), &content).map(Some).map_err(SessionError::Broken)
    }

    /// Whether a message is stored as something that holds this text; cheaper than reading it.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn holds(&self, id: &MessageId, text: &str) -> Result<bool, SessionError> {
        let mut reader = self.shared.look().await?;
        let held = messages::holds(&mut reader, self.id.as_str(), (id.as_str(), text)).await;
        Ok(held.map_err(|e| self.shared.db.error(e))?)
    }

    /// Those of `ids` that are stored, on whatever branch; without reading any content.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn stored_among<'a>(
        &self,
        ids: impl Iterator<Item = &'a MessageId>,
    ) -> Result<Vec<MessageId>, SessionError> {
        let Some(asked) = asked(ids) else { return Ok(Vec::new()) };
        let mut reader = self.shared.look().await?;
        let places = messages::places(&mut reader, self.id.as_str(), &asked).await;
        let places = places.map_err(|e| self.shared.db.error(e))?;
        Ok(places.into_iter().map(|place| MessageId::new(place.id)).collect())
    }

    /// Those of `ids` that hold a call which waits for a person or a browser; without reading any content.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn waiting_among<'a>(
        &self,
        ids: impl Iterator<Item = &'a MessageId>,
    ) -> Result<Vec<MessageId>, SessionError> {
        let Some(asked) = asked(ids) else { return Ok(Vec::new()) };
        let mut reader = self.shared.look().await?;
        let waiting = weights::waiting(&mut reader, self.id.as_str(), &asked).await;
        Ok(message_ids(waiting.map_err(|e| self.shared.db.error(e))?))
    }

    /// The path from its root to `leaf`, which may be any message; without one, the active path. Summaries stand for
    /// the messages they cover. Empty where there is no such message.
    ///
    /// # Errors
    /// Only what the file can meet; rows that do not parse are named in the answer.
    pub async fn history(&self, leaf: Option<&MessageId>) -> Result<History, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else { return Ok(History::default()) };
        let overlays = Overlays::on(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(Reading::of(&mut tx, &self.id, leaf, Reach::WHOLE, overlays).await?.history)
    }

    /// [`Session::history`], quicker where most of it was read with the same `recall` before. The result is the same.
    ///
    /// # Errors
    /// As [`Session::history`].
    pub async fn recalled_history(
        &self,
        leaf: Option<&MessageId>,
        recall: &Recall,
    ) -> Result<History, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else {
            recall.forget();
            return Ok(History::default());
        };
        let overlays = Overlays::on(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(Reading::recalled(&mut tx, &self.id, (leaf, overlays), recall).await?)
    }

    /// [`Session::history`] with every message itself and no summaries.
    ///
    /// # Errors
    /// As [`Session::history`].
    pub async fn raw_history(&self, leaf: Option<&MessageId>) -> Result<History, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else { return Ok(History::default()) };
        Ok(Reading::of(&mut tx, &self.id, leaf, Reach::WHOLE, Overlays::nothing()).await?.history)
    }

    /// [`Session::history`] of the active path as JSON text, without the messages that `left_out` means. Several times as
    /// fast: rows are checked, and go out as they are stored.
    ///
    /// # Errors
    /// As [`Session::history`].
    pub async fn history_text(&self, left_out: Option<LeftOut>) -> Result<PathText, SessionError> {
        let (mut tx, leaf) = self.reading(None).await?;
        let Some(leaf) = leaf else { return Ok(PathText::empty()) };
        let overlays = Overlays::on(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(Reading::text_of(&mut tx, &self.id, (leaf, overlays), left_out).await?)
    }

    /// The ids of [`Session::raw_history`], broken rows included.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn history_ids(&self, leaf: Option<&MessageId>) -> Result<Vec<MessageId>, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let ids = paths::ids(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(message_ids(ids))
    }

    /// How many stored messages the path to `leaf` has, broken rows included; 0 where there is no such message.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn path_length(&self, leaf: Option<&MessageId>) -> Result<u64, SessionError> {
        let (mut tx, leaf) = self.reading(leaf).await?;
        let Some(leaf) = leaf else { return Ok(0) };
        let place = messages::place(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(place.map_or(0, |place| counted(place.depth).saturating_add(1)))
    }

    /// The longest end of the active path whose stored size is at most `max_bytes`, but never fewer than `min_recent`
    /// messages, and at least one. A summary counts as one message, with its own size.
    ///
    /// # Errors
    /// As [`Session::history`].
    pub async fn recent_history(&self, max_bytes: u64, min_recent: usize) -> Result<Recent, SessionError> {
        let (mut tx, leaf) = self.reading(None).await?;
        let Some(leaf) = leaf else { return Ok(Recent::default()) };
        let measured = paths::measure(&mut tx, self.id.as_str(), &leaf).await;
        let (_, total_bytes) = measured.map_err(|e| tx.error(e))?;
        let reach = Reach { bytes: max_bytes, at_least: min_recent.max(1), ..Reach::WHOLE };
        let overlays = Overlays::on(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        let reading = Reading::of(&mut tx, &self.id, leaf, reach, overlays).await?;
        let is_truncated = reading.above.is_some();
        let History { messages, broken } = reading.history;
        Ok(Recent { messages, broken, is_truncated, total_bytes: counted(total_bytes) })
    }

    /// Id, role and stored size of each message of the active path, without reading any content.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn row_stats(&self) -> Result<Vec<RowStat>, SessionError> {
        let (mut tx, leaf) = self.reading(None).await?;
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let sizes = paths::sizes(&mut tx, self.id.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        Ok(sizes.into_iter().map(RowStat::from).collect())
    }

    /// The last `limit` messages of the active path as it is read, or of the path to `before` without `before` itself;
    /// with the versions of those that have several, the summaries among them, which are pinned, and how many stored
    /// messages come before them. Costs the same on a long path as on a short one. `live` is not filled in: the engine
    /// knows what is being written.
    ///
    /// # Errors
    /// [`SessionError::UnknownMessage`] where there is no `before`.
    pub async fn window(&self, before: Option<&MessageId>, limit: usize) -> Result<Transcript, SessionError> {
        let (mut tx, mut leaf) = self.reading(before).await?;
        if let Some(before) = before {
            let above = above(&mut tx, &self.id, before).await?;
            leaf = above.ok_or_else(|| SessionError::UnknownMessage {
                session: self.id.clone(),
                id: before.clone(),
            })?;
        }
        window(&mut tx, &self.id, leaf, limit).await
    }

    /// About `limit` messages of the active path around one of them; none if it is on another branch. A message that a
    /// summary hides is shown itself.
    ///
    /// # Errors
    /// [`SessionError::UnknownMessage`] where no branch has such a message.
    pub async fn window_around(&self, middle: &MessageId, limit: usize) -> Result<Transcript, SessionError> {
        let (mut tx, leaf) = self.reading(None).await?;
        let found = match leaf {
            Some(leaf) => around(&mut tx, &self.id, &leaf, middle, limit).await?,
            None => None,
        };
        if found.is_none() && above(&mut tx, &self.id, middle).await?.is_none() {
            return Err(SessionError::UnknownMessage { session: self.id.clone(), id: middle.clone() });
        }
        Ok(found.unwrap_or_default())
    }

    /// The ids of the children of `id`, or of the roots, in the order they were stored.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn children(&self, id: Option<&MessageId>) -> Result<Vec<MessageId>, SessionError> {
        let mut tx = self.shared.db.read().await?;
        let ids = messages::children(&mut tx, self.id.as_str(), id.map(MessageId::as_str)).await;
        Ok(message_ids(ids.map_err(|e| tx.error(e))?))
    }

    /// The ids of all versions of a message, itself included, in the order they were stored; empty where there is no
    /// such message.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn siblings(&self, id: &MessageId) -> Result<Vec<MessageId>, SessionError> {
        let mut tx = self.shared.db.read().await?;
        let asked = serde_json::Value::from(vec![id.as_str()]).to_string();
        let rows = messages::versions(&mut tx, self.id.as_str(), &asked).await.map_err(|e| tx.error(e))?;
        Ok(rows.into_iter().map(|(_, id)| MessageId::new(id)).collect())
    }

    /// The ids of all messages without a child, in the order they were stored.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn leaves(&self) -> Result<Vec<MessageId>, SessionError> {
        let mut tx = self.shared.db.read().await?;
        let ids = messages::leaves(&mut tx, self.id.as_str()).await.map_err(|e| tx.error(e))?;
        Ok(message_ids(ids))
    }

    /// The message without a child that was stored last, whatever is being looked at.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn latest_leaf(&self) -> Result<Option<MessageId>, SessionError> {
        let mut tx = self.shared.db.read().await?;
        let id = messages::latest_leaf(&mut tx, self.id.as_str()).await.map_err(|e| tx.error(e))?;
        Ok(id.map(MessageId::new))
    }

    /// The end of the branch that is looked at. A stored leaf that is lost is replaced by the one stored last.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn active_leaf(&self) -> Result<Option<MessageId>, SessionError> {
        let mut reader = self.shared.look().await?;
        let tip = sessions::tip(&mut reader, self.id.as_str()).await.map_err(|e| self.shared.db.error(e))?;
        match tip.map_or(Standing::Empty, |tip| tip.standing()) {
            Standing::At(leaf) => Ok(Some(MessageId::new(leaf))),
            Standing::Empty => Ok(None),
            Standing::Lost => {
                drop(reader);
                self.repair().await
            }
        }
    }

    /// Looks at the branch of `id`: at the leaf below it that was viewed last, else the one stored last. Gives that
    /// leaf, or none where there is no such message. The session keeps its place in the list.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn set_active(&self, id: &MessageId) -> Result<Option<MessageId>, SessionError> {
        let mut tx = self.shared.db.write().await?;
        let leaf = set_active(&mut tx, &self.id, id).await?;
        tx.commit().await?;
        Ok(leaf)
    }

    /// Puts all messages into the trash, as one deletion, and says by which message that one is restored or purged; none
    /// where there was nothing. The session, its name, its counters and its blocks stay; the frozen prompt is made anew.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn clear(&self) -> Result<Option<MessageId>, SessionError> {
        let mut tx = self.shared.db.write().await?;
        let deletion = prune::clear(&mut tx, &self.id, self.shared.now()).await?;
        frozen::forget(&mut tx, self.id.as_str()).await.map_err(|e| tx.error(e))?;
        self.shared.flights.clear(&self.id);
        tx.commit().await?;
        self.shared.flights.begin_anew(&self.id);
        self.announce().await;
        self.bound_trash().await?;
        Ok(deletion)
    }

    /// Stored messages on all branches.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn message_count(&self) -> Result<u64, SessionError> {
        let mut tx = self.shared.db.read().await?;
        let tip = sessions::tip(&mut tx, self.id.as_str()).await.map_err(|e| tx.error(e))?;
        Ok(tip.map_or(0, |tip| counted(tip.message_count)))
    }

    /// A look at the file, and the message a path is asked for: `leaf`, or the active one.
    pub(crate) async fn reading(
        &self,
        leaf: Option<&MessageId>,
    ) -> Result<(ReadTx, Option<String>), SessionError> {
        let mut tx = self.shared.db.read().await?;
        if let Some(leaf) = leaf {
            return Ok((tx, Some(leaf.as_str().to_owned())));
        }
        let tip = sessions::tip(&mut tx, self.id.as_str()).await.map_err(|e| tx.error(e))?;
        match tip.map_or(Standing::Empty, |tip| tip.standing()) {
            Standing::At(leaf) => Ok((tx, Some(leaf))),
            Standing::Empty => Ok((tx, None)),
            Standing::Lost => {
                drop(tx);
                let leaf = self.repair().await?;
                Ok((self.shared.db.read().await?, leaf.map(|leaf| leaf.to_string())))
            }
        }
    }

    async fn repair(&self) -> Result<Option<MessageId>, SessionError> {
        tracing::warn!(session.id = %self.id, "the active leaf was lost; the latest one takes its place");
        let mut tx = self.shared.db.write().await?;
        let leaf = repair(&mut tx, &self.id).await?;
        tx.commit().await?;
        Ok(leaf)
    }
}

/// Ids as a statement takes them; none where there are none.
fn asked<'a>(ids: impl Iterator<Item = &'a MessageId>) -> Option<String> {
    let ids: Vec<&str> = ids.map(MessageId::as_str).collect();
    (!ids.is_empty()).then(|| serde_json::Value::from(ids).to_string())
}

fn message_ids(ids: Vec<String>) -> Vec<MessageId> {
    ids.into_iter().map(MessageId::new).collect()
}
