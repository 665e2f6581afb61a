//! The door to single messages and to the tree they form. Open tabs hear the transcript as it is afterwards.

use super::Engine;
use crate::actor::Command;
use crate::admit::is_reserved;
use crate::error::ThinkError;
use protocol::{Message, MessageId, Part, SessionId, SessionInfo, SessionTree, TreeNode};
use session::{Forked, NewSession, Pin, Session};
use std::collections::HashSet;

/// How far a deletion reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The message alone: what answered it then answers the message before it.
    Message,
    /// The message and everything below it.
    Subtree,
}

impl Engine {
    /// Every message on every branch at a glance; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn tree(&self, id: &SessionId) -> Result<Option<SessionTree>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(Some(session.tree().await?))
    }

    /// Keeps a message out of summaries, or no longer; false if there is no such session or message.
    ///
    /// # Errors
    /// The store.
    pub async fn pin_message(
        &self,
        id: &SessionId,
        message: &MessageId,
        pin: Pin,
    ) -> Result<bool, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(false) };
        let was_there = session.set_pinned(message, pin).await?;
        if was_there {
            self.shared.tell_transcript(id);
        }
        Ok(was_there)
    }

    /// Puts a message into the trash and says how many went; none if there is no such session or message.
    ///
    /// # Errors
    /// The message is being written, or the store.
    pub async fn delete_message(
        &self,
        id: &SessionId,
        message: &MessageId,
        reach: Reach,
    ) -> Result<Option<u64>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let ids = match reach {
            Reach::Message => vec![message.clone()],
            Reach::Subtree => subtree(&session.tree().await?.nodes, message),
        };
        for doomed in &ids {
            if session.get(doomed).await?.as_ref().is_some_and(is_reserved) {
                return Err(ThinkError::BeingWritten);
            }
        }
        let deleted = session.delete(&ids).await?;
        if deleted == 0 {
            return Ok(None);
        }
        self.shared.tell_transcript(id);
        self.shared.announce_session(id).await;
        Ok(Some(deleted))
    }

    /// Puts away what a message waits for: questions to a person count as refused, calls of a browser's tools as failed,
    /// and no turn goes on because of it. The message as it is then; none if there is no such session or message.
    ///
    /// # Errors
    /// The message is being written, or the store.
    pub async fn dismiss(&self, id: &SessionId, message: &MessageId) -> Result<Option<Message>, ThinkError> {
        if self.shared.session(id).await?.is_none() {
            return Ok(None);
        }
        self.order(id, |reply| Command::Dismiss { message: message.clone(), reply }).await
    }

    /// Makes a session with copies of the path to `at`, or of the active path, with its blocks and pins; none if there
    /// is no such session. Summaries are carried as the messages that stand for what they cover.
    ///
    /// # Errors
    /// An unknown message, a name that is too long, or the store.
    pub async fn fork(
        &self,
        id: &SessionId,
        at: Option<&MessageId>,
        name: Option<&str>,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let own = self.shared.sessions.get(id).await?.map(|info| info.name).unwrap_or_default();
        let name = name.unwrap_or(&own);
        let leaf = match at {
            Some(at) => Some(at.clone()),
            None => session.active_leaf().await?,
        };
        let forked = match leaf {
            Some(leaf) => self.fork_at(&session, &leaf, name).await?,
            None => {
                let (name, parent_session_id) = (name.to_owned(), Some(id.clone()));
                let new = NewSession { name, parent_session_id, ..NewSession::default() };
                self.shared.sessions.create(new).await?
            }
        };
        self.shared.sessions.copy_context(id, &forked.id).await?;
        let forked = self.shared.sessions.get(&forked.id).await?.unwrap_or(forked);
        self.announce(forked.clone());
        Ok(Some(forked))
    }

    async fn fork_at(&self, from: &Session, leaf: &MessageId, name: &str) -> Result<SessionInfo, ThinkError> {
        let Forked { session: info, ids, .. } = self.shared.sessions.fork(from.id(), leaf, name).await?;
        let Some(copy) = self.shared.session(&info.id).await? else { return Ok(info) };
        // The copy of a row that waits for its answer would wait for ever.
        let history = copy.history(None).await?.messages;
        let reserved: Vec<MessageId> =
            history.into_iter().filter(is_reserved).map(|message| message.id).collect();
        if !reserved.is_empty() {
            let _gone = copy.discard(&reserved).await?;
        }
        let pinned: HashSet<MessageId> = from.pinned().await?.into_iter().collect();
        for (_, new) in ids.iter().filter(|(old, _)| pinned.contains(old)) {
            let _was_there = copy.set_pinned(new, Pin::Pinned).await?;
        }
        Ok(info)
    }

    /// Looks at the branch of a message in every open tab, at the leaf that was last viewed below it; gives that leaf.
    /// The next question goes there.
    ///
    /// # Errors
    /// No such session or message, a turn that is on its way ([`ThinkError::Busy`]), or the store.
    pub async fn set_active(&self, id: &SessionId, message: &MessageId) -> Result<MessageId, ThinkError> {
        self.order(id, |reply| Command::SetActive { message: message.clone(), reply }).await
    }

    /// Stores a new version of a question or an answer beside the old one and looks at it; no model is asked. The old
    /// version keeps everything below it.
    ///
    /// # Errors
    /// No such session or message, a turn that is on its way ([`ThinkError::Busy`]), no parts or calls that were never
    /// made, a message that is too large, or the store.
    pub async fn edit_message(
        &self,
        id: &SessionId,
        message: &MessageId,
        parts: Vec<Part>,
    ) -> Result<Message, ThinkError> {
        self.order(id, |reply| Command::Edit { message: message.clone(), parts, reply }).await
    }

    /// Puts the conversation of a session into its trash, whatever is going on in it; false if there is no such session.
    /// Its name, its counters and its blocks stay.
    ///
    /// # Errors
    /// The store.
    pub async fn clear_session(&self, id: &SessionId) -> Result<bool, ThinkError> {
        match self.order(id, Command::Clear).await {
            Ok(()) => self.shared.context_changed(),
            Err(ThinkError::UnknownSession(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

/// A message and all below it; parents come before their children.
fn subtree(nodes: &[TreeNode], top: &MessageId) -> Vec<MessageId> {
    let mut found: HashSet<&MessageId> = HashSet::from([top]);
    let mut ids = vec![top.clone()];
    for node in nodes {
        let is_below = node.parent_id.as_ref().is_some_and(|parent| found.contains(parent));
        if is_below && found.insert(&node.id) {
            ids.push(node.id.clone());
        }
    }
    ids
}
