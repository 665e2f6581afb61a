//! Compacting a path: ask for a summary, check that it is sound and saves something, store it, say how it went.

use crate::append::Appended;
use crate::compaction::overlays::Range;
use crate::compaction::standing::{Standing, visible_tokens};
use crate::compaction::summary::{Compact, CompactionInput, Draft, Start};
use crate::compaction::{Compaction, flight::Flight};
use crate::context::BoxError;
use crate::error::SessionError;
use crate::options::{SessionEvent, SessionStatus};
use crate::session::Session;
use crate::store::{frozen, messages};
use crate::tokens::estimate_message;
use db::WriteTx;
use protocol::limits::SUMMARIES_PER_TRIGGER_MAX;
use protocol::{Compacted, Message, MessageId, Phase};
use std::fmt;

/// Why a path could not be compacted.
#[derive(Debug, thiserror::Error)]
pub enum CompactionError {
    /// The session was not told who writes summaries.
    #[error("nobody is set up to write summaries")]
    NotSetUp,
    /// Who writes summaries failed.
    #[error("the summary could not be written")]
    Failed(#[source] BoxError),
    /// The session.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What became of a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A summary stands for some messages now.
    Stored {
        /// The overlay.
        compaction: Compaction,
        /// The size of the prompt before and after.
        tokens: Compacted,
    },
    /// Nothing changed.
    Declined(Declined),
}

/// Why nothing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declined {
    /// Another compaction of the session is running.
    Running,
    /// There is nothing, or nothing worth it, between the beginning and the end that are kept as they are.
    Nothing,
    /// The summary would not make the prompt shorter.
    NotShorter,
    /// The messages changed, or went, while the summary was being written.
    Changed,
    /// The summary was meant for messages that are not read.
    NotVisible,
    /// A pinned message is in the way.
    Pinned,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "a summary is being written already",
            Self::Nothing => "there is nothing to summarise between the first messages and the latest ones",
            Self::NotShorter => "the summary was not shorter than the messages it was made from",
            Self::Changed => "the messages changed while their summary was being written",
            Self::NotVisible => "the summary was not for messages of this conversation as it is shown",
            Self::Pinned => "pinned messages are in the way of a summary",
        })
    }
}

impl Session {
    /// Lets a summary stand for some of the path to `leaf`, or of the active one. One at a time in a session; dropping
    /// the future gives up and changes nothing.
    ///
    /// # Errors
    /// [`CompactionError::NotSetUp`], [`CompactionError::Failed`] with what the summariser said.
    pub async fn compact(&self, leaf: Option<&MessageId>) -> Result<Outcome, CompactionError> {
        let Some(compaction) = self.options().compaction() else { return Err(CompactionError::NotSetUp) };
        let Some(flight) = self.shared().flights.begin(self.id()) else {
            return Ok(Outcome::Declined(Declined::Running));
        };
        let before = self.total_tokens(leaf).await?;
        let busy = Busy::begin(self, before);
        let result = self.draft_and_store(compaction, leaf, &flight).await;
        drop(flight);
        let compaction = match result {
            Ok(Ok(compaction)) => compaction,
            Ok(Err(declined)) => return Ok(Outcome::Declined(declined)),
            Err(error) => {
                let text = text_of(&error);
                tracing::warn!(session.id = %self.id(), error = %text, "compaction failed");
                self.options().tell(self.id(), SessionEvent::Failed(text));
                return Err(error);
            }
        };
        let after = self.total_tokens(leaf).await?;
        let tokens = Compacted { tokens_before: before, tokens_after: Some(after) };
        busy.end(after, tokens);
        Ok(Outcome::Stored { compaction, tokens })
    }

    /// Compacts the active path where the prompt has outgrown the threshold; none where it has not, or where earlier
    /// attempts were vain and it is not time for another. Called after each new message unless the options say otherwise;
    /// call it also before a turn and between the steps of a long one.
    ///
    /// # Errors
    /// As [`Session::compact`].
    pub async fn compact_if_over(&self) -> Result<Option<Outcome>, CompactionError> {
        let Some(threshold) = self.options().threshold() else { return Ok(None) };
        if self.options().compaction().is_none() || self.total_tokens(None).await? <= threshold {
            return Ok(None);
        }
        if !self.shared().flights.may_try(self.id()) {
            return Ok(None);
        }
        let result = self.compact_rounds(threshold).await;
        match &result {
            Ok((Outcome::Stored { .. }, left)) if *left <= threshold => self.shared().flights.hit(self.id()),
            Ok((Outcome::Declined(Declined::Running), _)) => {}
            Ok((outcome, _)) => self.tell_miss(outcome),
            Err(_) => drop(self.shared().flights.miss(self.id())),
        }
        result.map(|(outcome, _)| Some(outcome))
    }

    /// Compacts until the prompt fits or nothing helps. Gives the last summary, and the size in the end.
    async fn compact_rounds(&self, threshold: u64) -> Result<(Outcome, u64), CompactionError> {
        let mut done = (self.compact(None).await?, self.total_tokens(None).await?);
        for _ in 1..SUMMARIES_PER_TRIGGER_MAX {
            let (Outcome::Stored { .. }, left) = &done else { break };
            if *left <= threshold {
                break;
            }
            let Outcome::Stored { compaction, tokens } = self.compact(None).await? else { break };
            done = (Outcome::Stored { compaction, tokens }, self.total_tokens(None).await?);
        }
        Ok(done)
    }

    fn tell_miss(&self, outcome: &Outcome) {
        let is_first = self.shared().flights.miss(self.id());
        let declined = match outcome {
            Outcome::Stored { .. } => Declined::Nothing,
            Outcome::Declined(declined) => *declined,
        };
        if is_first {
            tracing::warn!(session.id = %self.id(), reason = %declined, "the prompt is too large and stays so");
            self.options().tell(self.id(), SessionEvent::Declined(declined));
        }
    }

    /// What follows a change of the messages: everybody learns how large the prompt is.
    pub(crate) async fn announce(&self) {
        if !self.options().is_observed() {
            return;
        }
        match self.total_tokens(None).await {
            Ok(tokens) => self.tell_status(Phase::Idle, tokens, None),
            Err(error) => {
                tracing::warn!(session.id = %self.id(), %error, "the size of the prompt is unknown");
            }
        }
    }

    /// What follows new messages: [`Session::announce`], and compaction where it is time. The messages are stored
    /// whatever becomes of that.
    pub(crate) async fn after_append(&self, appended: &[Appended]) {
        self.announce().await;
        let has_new = appended.iter().any(|appended| appended.inserted);
        let is_time = has_new && self.options().compacts_after_messages();
        if is_time && let Err(error) = self.compact_if_over().await {
            tracing::debug!(session.id = %self.id(), %error, "no compaction after a message");
        }
    }

    /// Notes what a prompt takes beside its messages: the system prompt, tools, and what a model's own count showed to
    /// be missing. Kept in memory, for all handles.
    pub fn set_prompt_overhead(&self, tokens: u64) {
        self.shared().flights.set_overhead(self.id(), tokens);
    }

    /// How full the context is.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn status(&self) -> Result<SessionStatus, SessionError> {
        let tokens = self.total_tokens(None).await?;
        Ok(self.status_at(Phase::Idle, tokens, None))
    }

    fn status_at(&self, phase: Phase, tokens: u64, compacted: Option<Compacted>) -> SessionStatus {
        let token_threshold = self.options().threshold();
        SessionStatus { phase, token_estimate: tokens, token_threshold, compacted }
    }

    fn tell_status(&self, phase: Phase, tokens: u64, compacted: Option<Compacted>) {
        let status = self.status_at(phase, tokens, compacted);
        self.options().tell(self.id(), SessionEvent::Status(status));
    }

    /// Tokens of the next prompt: the path as it is read, and what stands beside it.
    async fn total_tokens(&self, leaf: Option<&MessageId>) -> Result<u64, SessionError> {
        let messages = match self.options().counter() {
            None => self.token_estimate(leaf).await?,
            Some(counter) => whole(counter(&self.history(leaf).await?.messages)),
        };
        Ok(messages.saturating_add(self.shared().flights.overhead(self.id())))
    }

    async fn draft_and_store(
        &self,
        compaction: &dyn Compact,
        leaf: Option<&MessageId>,
        flight: &Flight<'_>,
    ) -> Result<Result<Compaction, Declined>, CompactionError> {
        let leaf = match leaf {
            Some(leaf) => Some(leaf.clone()),
            None => self.active_leaf().await?,
        };
        let Some(leaf) = leaf else { return Ok(Err(Declined::Nothing)) };
        let history = self.history(Some(&leaf)).await?.messages;
        let pinned = self.pinned().await?.into_iter().collect();
        let tokens: Vec<u64> = history.iter().map(|message| self.count(message)).collect();
        let overhead = self.shared().flights.overhead(self.id());
        let room = self.options().threshold().map(|threshold| threshold.saturating_sub(overhead));
        let input = CompactionInput { history: &history, tokens: &tokens, pinned: &pinned, room };
        let draft = compaction.compact(input).await.map_err(CompactionError::Failed)?;
        let Some(draft) = draft.filter(|draft| !draft.summary.trim().is_empty()) else {
            return Ok(Err(Declined::Nothing));
        };
        let Some(covered) = covered(&history, &draft) else { return Ok(Err(Declined::NotVisible)) };
        let mut tx = self.shared().db.write().await.map_err(SessionError::Db)?;
        if !flight.is_undisturbed(covered.iter().map(|message| &message.id)) {
            return Ok(Err(Declined::Changed));
        }
        let stored = self.store_draft(&mut tx, &leaf, &draft).await?;
        if stored.is_ok() {
            tx.commit().await.map_err(SessionError::Db)?;
            self.shared().flights.begin_anew(self.id());
        }
        Ok(stored)
    }

    fn count(&self, message: &Message) -> u64 {
        let counter = self.options().counter();
        counter.map_or_else(
            || estimate_message(message),
            |counter| whole(counter(std::slice::from_ref(message))),
        )
    }

    /// Stores a draft where it is sound and makes the path shorter. On a refusal the transaction is to be dropped.
    async fn store_draft(
        &self,
        tx: &mut WriteTx,
        leaf: &MessageId,
        draft: &Draft,
    ) -> Result<Result<Compaction, Declined>, SessionError> {
        let range = match Range::between(tx, self.id(), &draft.from, &draft.to).await {
            Ok(range) => range,
            Err(SessionError::UnknownMessage { .. } | SessionError::NotOnePath { .. }) => {
                return Ok(Err(Declined::Changed));
            }
            Err(error) => return Err(error),
        };
        let extended = self.extended(tx, leaf, draft.start, &range).await?;
        let is_free = extended.pinned(tx, self.id()).await?.is_none();
        if !is_free && range.pinned(tx, self.id()).await?.is_some() {
            return Ok(Err(Declined::Pinned));
        }
        let (session, range) = (self.id().as_str(), if is_free { extended } else { range });
        let before = visible_tokens(tx, session, leaf.as_str()).await.map_err(|e| tx.error(e))?;
        let compaction = self.insert_compaction(tx, &draft.summary, &range).await?;
        let after = visible_tokens(tx, session, leaf.as_str()).await.map_err(|e| tx.error(e))?;
        // The prompt begins anew, so that nothing is lost by taking in what was written to the blocks meanwhile.
        frozen::forget(tx, session).await.map_err(|e| tx.error(e))?;
        Ok(if after < before { Ok(compaction) } else { Err(Declined::NotShorter) })
    }

    /// The range, beginning where the first overlay on the path begins if that is earlier.
    async fn extended(
        &self,
        tx: &mut WriteTx,
        leaf: &MessageId,
        start: Start,
        range: &Range,
    ) -> Result<Range, SessionError> {
        let session = self.id().as_str();
        if start == Start::Here {
            return Ok(range.clone());
        }
        let standing = Standing::on(tx, session, leaf.as_str()).await.map_err(|e| tx.error(e))?;
        let first = standing.overlays.first().filter(|first| first.from_depth < range.from.depth);
        let Some(first) = first else { return Ok(range.clone()) };
        let from = messages::place(tx, session, &first.from_message_id).await.map_err(|e| tx.error(e))?;
        Ok(from.map_or_else(|| range.clone(), |from| Range { from, ..range.clone() }))
    }
}

/// The messages a draft is meant for; none where its ends are not both there in this order.
fn covered<'a>(history: &'a [Message], draft: &Draft) -> Option<&'a [Message]> {
    let position = |id: &MessageId| history.iter().position(|message| message.id == *id);
    history.get(position(&draft.from)?..=position(&draft.to)?)
}

/// A count as a whole number of tokens.
fn whole(count: f64) -> u64 {
    if count.is_finite() { count.ceil().max(0.0) as u64 } else { 0 }
}

/// An error with everything behind it.
fn text_of(error: &CompactionError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

/// Says that a summary is being written, and in any case that it is over.
struct Busy<'a> {
    session: &'a Session,
    /// What to say in the end.
    tokens: u64,
    compacted: Option<Compacted>,
}

impl<'a> Busy<'a> {
    fn begin(session: &'a Session, tokens: u64) -> Self {
        session.tell_status(Phase::Compacting, tokens, None);
        Self { session, tokens, compacted: None }
    }

    fn end(mut self, tokens: u64, compacted: Compacted) {
        self.tokens = tokens;
        self.compacted = Some(compacted);
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.session.tell_status(Phase::Idle, self.tokens, self.compacted);
    }
}
