//! How a session is set up: who summarises, when, and who is told.

use crate::compaction::Compact;
use protocol::{Compacted, Message, Phase, ServerFrame, SessionId};
use std::fmt;
use std::sync::Arc;

/// Counts the tokens of a path. What is no number counts as nothing; fractions count as one.
pub(crate) type CountTokens = dyn Fn(&[Message]) -> f64 + Send + Sync;
type Observe = dyn Fn(&SessionId, SessionEvent) + Send + Sync;

/// What an observer wants to hear.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Interest {
    /// How large the prompt is after each change, which has to be looked up.
    #[default]
    EachChange,
    /// Compactions.
    Compactions,
}

/// When a prompt that has outgrown its room is compacted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trigger {
    /// By whoever stores a new message, before the call returns. Simple, but it waits for the summary.
    #[default]
    EachMessage,
    /// Only by [`crate::Session::compact_if_over`], for those who must be able to stop it.
    WhenAsked,
}

/// How sessions are set up. Cloning is cheap.
#[derive(Clone, Default)]
pub struct SessionOptions {
    compaction: Option<Arc<dyn Compact>>,
    threshold: Option<u64>,
    trigger: Trigger,
    counter: Option<Arc<CountTokens>>,
    observer: Option<Arc<Observe>>,
    interest: Interest,
}

impl SessionOptions {
    /// How summaries come to be; see [`crate::SummaryCompaction`].
    #[must_use]
    pub fn on_compaction(mut self, compaction: impl Compact + 'static) -> Self {
        self.compaction = Some(Arc::new(compaction));
        self
    }

    /// Compacts when the prompt is estimated at more than so many tokens, after each new message unless
    /// [`SessionOptions::trigger`] says otherwise.
    #[must_use]
    pub fn compact_after(mut self, tokens: u64) -> Self {
        self.threshold = Some(tokens);
        self
    }

    /// Says when to look whether that is so.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Self {
        self.trigger = trigger;
        self
    }

    /// Counts tokens in another way, which must read the whole path each time.
    #[must_use]
    pub fn count_with(mut self, counter: impl Fn(&[Message]) -> f64 + Send + Sync + 'static) -> Self {
        self.counter = Some(Arc::new(counter));
        self
    }

    /// Tells somebody what goes on. Must not block.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&SessionId, SessionEvent) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Tells somebody of compactions only, so that other changes cost nothing more. Must not block.
    #[must_use]
    pub fn observe_compactions(
        self,
        observer: impl Fn(&SessionId, SessionEvent) + Send + Sync + 'static,
    ) -> Self {
        Self { interest: Interest::Compactions, ..self.observe(observer) }
    }

    pub(crate) fn compaction(&self) -> Option<&dyn Compact> {
        self.compaction.as_deref()
    }

    pub(crate) fn threshold(&self) -> Option<u64> {
        self.threshold
    }

    /// Whether a new message is an occasion to compact.
    pub(crate) fn compacts_after_messages(&self) -> bool {
        self.trigger == Trigger::EachMessage
    }

    pub(crate) fn counter(&self) -> Option<&CountTokens> {
        self.counter.as_deref()
    }

    /// Whether somebody wants to know after each change how large the prompt is.
    pub(crate) fn is_observed(&self) -> bool {
        self.observer.is_some() && self.interest == Interest::EachChange
    }

    pub(crate) fn tell(&self, session: &SessionId, event: SessionEvent) {
        if let Some(observer) = &self.observer {
            observer(session, event);
        }
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SessionOptions");
        shown.field("threshold", &self.threshold).finish_non_exhaustive()
    }
}

/// What goes on in a session besides messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEvent {
    /// How large the prompt is, and whether a summary is being written. The last one of a compaction is always idle.
    Status(SessionStatus),
    /// A summary could not be written.
    Failed(String),
    /// No summary was written although the prompt is too large. Said once, until one helps again.
    Declined(crate::Declined),
}

/// How full the context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionStatus {
    /// Idle or compacting.
    pub phase: Phase,
    /// Estimated tokens of the next prompt.
    pub token_estimate: u64,
    /// Where compaction starts.
    pub token_threshold: Option<u64>,
    /// What a compaction has saved just now.
    pub compacted: Option<Compacted>,
}

impl From<SessionEvent> for ServerFrame {
    fn from(event: SessionEvent) -> Self {
        match event {
            SessionEvent::Status(SessionStatus { phase, token_estimate, token_threshold, compacted }) => {
                Self::SessionStatus { phase, token_estimate, token_threshold, compacted }
            }
            SessionEvent::Failed(error) => Self::SessionError { error },
            SessionEvent::Declined(declined) => Self::SessionError { error: declined.to_string() },
        }
    }
}
