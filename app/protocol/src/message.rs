//! A message of a conversation, as stored, sent and shown.

use crate::fields::{Fields, Misfit};
use crate::ids::MessageId;
use crate::part::{Extra, Part};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// Any role of another system; kept, shown, and skipped when a prompt is built.
    #[serde(untagged)]
    Other(String),
}

impl Role {
    /// As it stands on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Other(text) => text,
        }
    }
}

/// Application data beside the parts.
pub type Metadata = Map<String, Value>;

/// One message. Unknown fields pass through unchanged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Message {
    /// Unique within its session.
    pub id: MessageId,
    /// Who speaks.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub role: Role,
    /// What is said, in order.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub parts: Vec<Part>,
    /// Application data; ours stands under [`TURN_KEY`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub metadata: Option<Metadata>,
    /// Unknown fields.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub extra: Extra,
}

/// Metadata key of [`TurnInfo`].
pub const TURN_KEY: &str = "bough";
/// Metadata keys that a client may not set.
pub const RESERVED_METADATA: [&str; 3] = ["channel", "turnMetadata", TURN_KEY];

impl Message {
    /// A message with one text part.
    pub fn text(id: impl Into<MessageId>, role: Role, text: impl Into<String>) -> Self {
        Self { id: id.into(), role, parts: vec![Part::text(text)], metadata: None, extra: Extra::new() }
    }

    /// All text parts, joined by newlines.
    pub fn plain_text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n")
    }

    /// How the turn that made this message went. On a message of a person: the last turn that was to answer it, where
    /// nothing came of that.
    pub fn turn(&self) -> Option<TurnInfo> {
        let info = self.metadata.as_ref()?.get(TURN_KEY)?;
        serde_json::from_value(info.clone()).ok()
    }

    /// Notes how the turn went.
    pub fn set_turn(&mut self, info: &TurnInfo) {
        let value = serde_json::to_value(info).unwrap_or(json!({}));
        let _old = self.metadata.get_or_insert_default().insert(TURN_KEY.to_owned(), value);
    }

    /// Takes away what [`Message::set_turn`] noted.
    pub fn forget_turn(&mut self) {
        let _old = self.metadata.as_mut().and_then(|metadata| metadata.remove(TURN_KEY));
        self.metadata = self.metadata.take().filter(|metadata| !metadata.is_empty());
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::of(Map::deserialize(deserializer)?);
        let read = |Misfit(name)| D::Error::custom(format!("a message without a usable `{name}`"));
        Ok(Self {
            id: fields.text("id").map_err(read)?,
            role: fields.read("role").map_err(read)?,
            parts: fields.read("parts").map_err(read)?,
            metadata: fields.maybe_read("metadata").map_err(read)?,
            extra: fields.rest(),
        })
    }
}

/// How a turn ended. Every finished assistant message says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Still being written.
    Running,
    /// The model said it was done.
    Complete,
    /// A person stopped it.
    Stopped,
    /// The answer ends in the middle: the provider closed the connection, or its length limit was reached.
    CutOff,
    /// The provider refused on grounds of content.
    Refused,
    /// Something broke; `error` says what.
    Failed,
    /// The cap on model calls ended it.
    StepLimit,
    /// The server stopped in the middle; what had arrived is kept.
    Interrupted,
}

/// Tokens of one turn, as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Part of the input that the provider had cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Part of the output that was reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Adds the tokens of another call.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_tokens = sum(self.cached_tokens, other.cached_tokens);
        self.reasoning_tokens = sum(self.reasoning_tokens, other.reasoning_tokens);
    }
}

fn sum(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or(0).saturating_add(right.unwrap_or(0))),
    }
}

/// The turn behind an assistant message. Times are milliseconds since 1970, UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnInfo {
    /// How it ended.
    pub status: TurnStatus,
    /// `provider/model`.
    pub model: String,
    /// When the turn began.
    pub started_at: u64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<u64>,
    /// Why it failed, was refused or cut off, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// As the provider reported; absent is unknown, not zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}
