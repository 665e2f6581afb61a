//! New sessions out of old ones: a fork copies a path, a split goes on with a summary. Both check what they start from,
//! so nothing comes out of an id that does not exist.

use crate::append::{Parent, append_all};
use crate::compaction::record_id;
use crate::compaction::standing::Standing;
use crate::doctor::content::end_lost_calls;
use crate::error::{BrokenRow, SessionError};
use crate::history::{Reach, Reading};
use crate::intake::{check_session_id, entry, session_name};
use crate::manager::SessionManager;
use crate::store::sessions::{self, NewRow};
use crate::store::{compactions, messages, weights};
use db::{DbError, ReadTx, WriteTx};
use protocol::{Message, MessageId, Role, SessionId, SessionInfo};

/// First line of the message with which a split session begins.
const FROM_BEFORE: &str = "[Context from previous session]";
/// Why a session that was split has ended.
const SPLIT: &str = "compaction";
/// What a call is given that had no result when it was copied.
const NOT_HERE: &str =
    "There was no result yet when this conversation was forked. What the tool did is told there.";
/// Name of what a session without a name is split into.
const UNNAMED: &str = "Compacted";

/// A session that was copied out of another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Forked {
    /// The new session.
    pub session: SessionInfo,
    /// Each copied message: its id in the old session, and in the new one. For whoever has to carry over more than
    /// messages.
    pub ids: Vec<(MessageId, MessageId)>,
    /// Rows of the path that do not parse and were not copied.
    pub broken: Vec<BrokenRow>,
}

/// What a new session begins with.
struct Copies {
    messages: Vec<Message>,
    /// Those of them that no summary may stand for.
    pinned: Vec<MessageId>,
}

impl SessionManager {
    /// Makes a new session with copies, under new ids, of the path to `at` as it is read, and with the same model; a
    /// summary becomes a message like any other, and the path to it ends with it. What is pinned is pinned in the copy too.
    /// The old session stays as it is, and what its turn still owes a call is not run a second time here: the copy of
    /// the call has failed.
    ///
    /// # Errors
    /// [`SessionError::UnknownSession`], [`SessionError::UnknownMessage`], [`SessionError::NameTooLong`].
    pub async fn fork(&self, id: &SessionId, at: &MessageId, name: &str) -> Result<Forked, SessionError> {
        let name = session_name(name)?;
        let mut tx = self.shared().db.read().await?;
        let row = sessions::find(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        let from = row.map(SessionInfo::from).ok_or_else(|| SessionError::UnknownSession(id.clone()))?;
        let unknown = || SessionError::UnknownMessage { session: id.clone(), id: at.clone() };
        let last = last_of(&mut tx, id, at).await?.ok_or_else(unknown)?;
        let place = messages::place(&mut tx, id.as_str(), &last).await.map_err(|e| tx.error(e))?;
        let place = place.ok_or_else(unknown)?;
        let standing = Standing::on(&mut tx, id.as_str(), &place.id).await.map_err(|e| tx.error(e))?;
        let history = Reading::of(&mut tx, id, place.id, Reach::WHOLE, standing).await?.history;
        let pinned = weights::pinned(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        drop(tx);
        let (messages, ids): (Vec<_>, Vec<_>) =
            history.messages.into_iter().map(|message| self.copy(message)).unzip();
        let is_pinned = |old: &MessageId| pinned.iter().any(|(id, _)| id == old.as_str());
        let pinned = ids.iter().filter(|(old, _)| is_pinned(old)).map(|(_, new)| new.clone()).collect();
        let new = NewRow { name: &name, source: from.source.as_deref(), ..NewRow::default() };
        let session = self.make_from(&from, new, Copies { messages, pinned }, None).await?;
        Ok(Forked { session, ids, broken: history.broken })
    }

    /// Ends a session and goes on in a new one, which begins with `summary` and has the same model. The old one stays
    /// in the list and can still be written to. Without a name, or with a blank one, the new one takes that of the old one.
    ///
    /// # Errors
    /// [`SessionError::UnknownSession`], [`SessionError::NameTooLong`].
    pub async fn compact_and_split(
        &self,
        id: &SessionId,
        summary: &str,
        name: Option<&str>,
    ) -> Result<SessionInfo, SessionError> {
        let name = name.map(session_name).transpose()?;
        let from = self.get(id).await?.ok_or_else(|| SessionError::UnknownSession(id.clone()))?;
        let own = if from.name.is_empty() { UNNAMED } else { &from.name };
        let text = format!("{FROM_BEFORE}\n\n{summary}");
        let first = Message::text(self.shared().ids.new_id(), Role::Assistant, text);
        let new = NewRow {
            name: name.as_deref().filter(|name| !name.is_empty()).unwrap_or(own),
            source: from.source.as_deref(),
            ..NewRow::default()
        };
        self.make_from(&from, new, Copies { messages: vec![first], pinned: Vec::new() }, Some(SPLIT)).await
    }

    /// The message under a new id, and both ids.
    fn copy(&self, message: Message) -> (Message, (MessageId, MessageId)) {
        let id = MessageId::new(self.shared().ids.new_id());
        let mut copy = Message { id: id.clone(), ..message.clone() };
        end_lost_calls(&mut copy, NOT_HERE);
        (copy, (message.id, id))
    }

    /// Makes a session with these messages, and notes why the one it comes from has ended.
    async fn make_from(
        &self,
        from: &SessionInfo,
        new: NewRow<'_>,
        Copies { messages, pinned }: Copies,
        end_reason: Option<&str>,
    ) -> Result<SessionInfo, SessionError> {
        let id = SessionId::new(self.shared().ids.new_id());
        check_session_id(&id)?;
        let entries = messages.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let now = self.shared().now();
        let mut tx = self.shared().db.write().await?;
        if let Some(reason) = end_reason {
            let ended = sessions::set_end_reason(&mut tx, from.id.as_str(), now, reason).await;
            if ended.map_err(|e| tx.error(e))?.is_none() {
                return Err(SessionError::UnknownSession(from.id.clone()));
            }
        }
        let row = NewRow {
            id: id.as_str(),
            parent_session_id: Some(from.id.as_str()),
            model: from.model.as_deref(),
            sampling: from.sampling,
            now,
            ..new
        };
        let _empty = sessions::insert(&mut tx, &row).await.map_err(|e| tx.error(e))?;
        let _appended = append_all(&mut tx, &id, &entries, &Parent::Root, now).await?;
        for message in pinned {
            let set = weights::set_pinned(&mut tx, id.as_str(), message.as_str(), Some(now)).await;
            let _was_there = set.map_err(|e| tx.error(e))?;
        }
        finished(tx, &id).await
    }
}

/// The last message that `at` stands for, which is itself unless it is a summary.
async fn last_of(tx: &mut ReadTx, session: &SessionId, at: &MessageId) -> Result<Option<String>, DbError> {
    let Some(record) = record_id(at) else { return Ok(Some(at.as_str().to_owned())) };
    let row = compactions::find(tx, session.as_str(), record).await.map_err(|e| tx.error(e))?;
    Ok(row.map(|row| row.to_message_id))
}

async fn finished(mut tx: WriteTx, id: &SessionId) -> Result<SessionInfo, SessionError> {
    let row = sessions::find(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
    let info = row.map(SessionInfo::from).ok_or_else(|| SessionError::UnknownSession(id.clone()))?;
    tx.commit().await?;
    Ok(info)
}
