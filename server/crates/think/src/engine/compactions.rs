//! The door to summaries: making, reading, rewriting and removing them. Open tabs hear the transcript as it is
//! afterwards.

use super::Engine;
use crate::aside::Summariser;
use crate::error::ThinkError;
use protocol::{MessageId, SessionId, SessionInfo};
use session::{
    Compact, Compaction, CompactionError, CompactionInput, Outcome, Protect, SummaryCompaction,
    estimate_message,
};
use std::collections::HashSet;

impl Engine {
    /// Lets a summary stand for the older part of the active path; none if there is no such session.
    ///
    /// # Errors
    /// The summary could not be written, or the store.
    pub async fn compact(&self, id: &SessionId) -> Result<Option<Outcome>, ThinkError> {
        // The summary is written by the agent that answers here, which is not the instance's own in a child session.
        let shared = self.shared.answering(id).await?;
        let Some(session) = shared.session(id).await? else { return Ok(None) };
        let session = shared.pressed(session);
        let outcome = session.compact(None).await.map_err(ThinkError::Compaction)?;
        if matches!(outcome, Outcome::Stored { .. }) {
            self.shared.context_changed();
            self.shared.tell_transcript(id);
        }
        Ok(Some(outcome))
    }

    /// All summaries of a session, on all branches; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn compactions(&self, id: &SessionId) -> Result<Option<Vec<Compaction>>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(Some(session.compactions().await?))
    }

    /// Replaces the text of a summary; none if there is no such session or summary.
    ///
    /// # Errors
    /// A text that is too large, or the store.
    pub async fn edit_compaction(
        &self,
        id: &SessionId,
        overlay: &MessageId,
        summary: &str,
    ) -> Result<Option<Compaction>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let edited = session.set_summary(overlay, summary).await?;
        if edited.is_some() {
            self.shared.tell_transcript(id);
        }
        Ok(edited)
    }

    /// Takes a summary away, so that what it stood for is read again; false if there is no such session or summary.
    ///
    /// # Errors
    /// The store.
    pub async fn delete_compaction(&self, id: &SessionId, overlay: &MessageId) -> Result<bool, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(false) };
        let was_there = session.delete_compaction(overlay).await?;
        if was_there {
            self.shared.tell_transcript(id);
        }
        Ok(was_there)
    }

    /// Goes on in a new session that begins with a summary of this one; none if there is no such session.
    ///
    /// # Errors
    /// The summary could not be written, a name that is too long, or the store.
    pub async fn compact_and_split(
        &self,
        id: &SessionId,
        name: Option<&str>,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        if self.shared.sessions.get(id).await?.is_none() {
            return Ok(None);
        }
        let summary = self.whole_summary(id).await?;
        let split = self.shared.sessions.compact_and_split(id, &summary, name).await?;
        self.shared.sessions.copy_context(id, &split.id).await?;
        self.announce(split.clone());
        self.shared.announce_session(id).await;
        Ok(Some(split))
    }

    /// A summary of all of the active path. What is too short to be summarised is told as it is.
    async fn whole_summary(&self, id: &SessionId) -> Result<String, ThinkError> {
        let history = self.messages(id).await?.unwrap_or_default();
        let tokens: Vec<u64> = history.iter().map(estimate_message).collect();
        let nothing = HashSet::new();
        let input = CompactionInput { history: &history, tokens: &tokens, pinned: &nothing, room: None };
        let shared = self.shared.answering(id).await?;
        let summariser = Summariser::new(&shared.spec, &self.shared.sessions, id);
        let protect = Protect { head: 0, tail_tokens: 0, min_tail: 0 };
        let draft = SummaryCompaction::new(summariser).protect(protect).compact(input).await;
        let draft = draft.map_err(|error| ThinkError::Compaction(CompactionError::Failed(error)))?;
        Ok(match draft {
            Some(draft) => draft.summary,
            None => history.iter().map(said).collect::<Vec<_>>().join("\n\n"),
        })
    }
}

fn said(message: &protocol::Message) -> String {
    format!("{}: {}", message.role.as_str(), message.plain_text())
}
