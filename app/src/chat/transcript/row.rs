//! One row of a transcript, and what a view may know of it.

use super::live::Progress;
use protocol::{Awaited, Message, MessageId, OverlayInfo, Part, RequestId, Role, TurnInfo, TurnStatus};
use std::sync::Arc;

/// Names a row for as long as this tab shows it. Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey(pub(super) Arc<str>);

impl std::fmt::Display for RowKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// One message in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name in this tab.
    pub key: RowKey,
    /// What it says. While it is live, the fold knows better.
    pub message: Message,
    /// The request that made it, where this tab saw it happen.
    pub request: Option<RequestId>,
    /// How far a message of this tab has come.
    pub delivery: Delivery,
    /// How its turn ended, as far as the stream said; the stored message knows better.
    pub outcome: Option<Ending>,
}

/// How far a message of a person has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Delivery {
    /// The server has it.
    #[default]
    Settled,
    /// There is no connection yet.
    Unsent,
    /// On its way, or waiting for the turn before it.
    Waiting,
    /// The server refused it, for this reason.
    Refused(String),
    /// There is no message: it stands for a turn of which nothing came.
    InVain,
}

/// How a turn ended, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Which way.
    pub status: TurnStatus,
    /// Why, where something was said about it.
    pub error: Option<String>,
}

/// Where a message stands among its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// From 1.
    pub number: usize,
    /// All of them, oldest first.
    pub ids: Arc<[MessageId]>,
}

impl Versions {
    /// The version before it.
    pub fn previous(&self) -> Option<MessageId> {
        self.number.checked_sub(2).and_then(|before| self.ids.get(before).cloned())
    }

    /// The version after it.
    pub fn next(&self) -> Option<MessageId> {
        self.ids.get(self.number).cloned()
    }
}

/// Whether a message is kept out of summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// A summary may take its place.
    Loose,
    /// It stays.
    Pinned,
}

/// Who speaks, as far as a view cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    Person,
    /// The model.
    Model,
    /// A note: instructions, or a role of another system.
    Note,
}

/// Everything about a row but its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The message's id.
    pub id: MessageId,
    /// Who speaks.
    pub speaker: Speaker,
    /// How far a message of this tab has come.
    pub delivery: Delivery,
    /// What an answer in motion is at; none when it is over.
    pub progress: Option<Progress>,
    /// How the turn ended; none while it runs and where nothing is known.
    pub ending: Option<Ending>,
    /// The turn behind an answer.
    pub turn: Option<TurnInfo>,
    /// When the answer to this message began.
    pub said_at: Option<u64>,
    /// Present only where there are other versions.
    pub versions: Option<Versions>,
    /// Present where the turn may be tried again.
    pub retry: Option<RowKey>,
    /// Whether it is kept out of summaries.
    pub pin: Pin,
    /// The messages it stands for, where it is a summary.
    pub fold: Option<OverlayInfo>,
    /// For whom it waits while no turn runs with it.
    pub waits_for: Option<Awaited>,
}

impl Row {
    pub(super) fn stored(message: Message) -> Self {
        let key = RowKey(message.id.as_str().into());
        Self { key, message, request: None, delivery: Delivery::Settled, outcome: None }
    }

    /// What stands below a question whose turn left no message.
    pub(super) fn in_vain(question: &Message) -> Option<Self> {
        let turn = question.turn().filter(|_| question.role == Role::User)?;
        let name = format!("none-{}", question.id);
        let mut message = Message { parts: Vec::new(), ..Message::text(name.as_str(), Role::Assistant, "") };
        message.set_turn(&turn);
        Some(Self { delivery: Delivery::InVain, ..Self::stored(message) })
    }

    /// Whether it is an answer of which nothing came, and therefore no message.
    pub(super) fn is_in_vain(&self) -> bool {
        let mut parts = self.message.parts.iter();
        let is_empty = self.message.role == Role::Assistant && parts.all(|part| *part == Part::StepStart);
        is_empty && self.ending().is_some_and(|ending| ending.status != TurnStatus::Complete)
    }

    /// The turn behind an answer.
    pub(super) fn turn(&self) -> Option<TurnInfo> {
        self.message.turn().filter(|_| self.message.role != Role::User)
    }

    pub(super) fn ending(&self) -> Option<Ending> {
        let turn = self.turn();
        let told = turn.map(|turn| {
            // Nobody writes it any more: a live row never asks.
            let is_left = turn.status == TurnStatus::Running;
            let status = if is_left { TurnStatus::Interrupted } else { turn.status };
            Ending { status, error: turn.error }
        });
        told.or_else(|| self.outcome.clone())
    }

    /// Whether a turn that stands last calls for another try: it ended badly, or a message has no answer at all.
    pub(super) fn wants_retry(&self) -> bool {
        match Speaker::of(&self.message.role) {
            Speaker::Person => self.delivery == Delivery::Settled,
            Speaker::Model => self.ending().is_some_and(|ending| ending.status != TurnStatus::Complete),
            Speaker::Note => false,
        }
    }
}

impl Speaker {
    /// What a reader calls them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "You",
            Self::Model => "Bough",
            Self::Note => "Note",
        }
    }

    /// Who has this role.
    pub fn of(role: &Role) -> Self {
        match role {
            Role::User => Self::Person,
            Role::Assistant => Self::Model,
            Role::System | Role::Other(_) => Self::Note,
        }
    }
}
