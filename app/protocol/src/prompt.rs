//! What the model sees: the next request of a session, taken apart with the size of each piece.

use crate::block::{PromptSection, WaitingChange};
use crate::ids::MessageId;
use crate::message::Usage;
use crate::sampling::Sampling;
use crate::tool_spec::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Why a piece of the history is not exactly what is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PieceKind {
    /// It is as it is stored.
    #[default]
    Whole,
    /// A summary that stands for earlier messages.
    Overlay,
    /// Long texts or tool outputs in it were shortened.
    Truncated,
    /// It is not stored: the engine added it for the provider's sake.
    Added,
}

/// One message as it is sent to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptPiece {
    /// The stored message or overlay it comes from; absent for what was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// `user`, `assistant` or `tool`, as the provider is told.
    pub role: String,
    /// Its content as text: calls and results are shown as JSON.
    pub text: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// How it differs from what is stored.
    #[serde(default)]
    pub kind: PieceKind,
}

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptTool {
    /// Name, description, schema.
    pub spec: ToolSpec,
    /// Estimated tokens.
    pub tokens: u64,
}

/// What the agent's own code made of the last call of a session. Nobody asks it only to look, so this is of a call that
/// was made, and known as long as the session is in use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptChanges {
    /// Another model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Other instructions; empty where it took them away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// How many messages it put in the place of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<usize>,
    /// Names of the tools it added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_tools: Vec<String>,
    /// The only tools it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_tools: Option<Vec<String>>,
    /// `auto`, `none`, `required`, or the tool that must be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// Another limit of calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Other sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// The JSON schema that the answer must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Names of the headers it added. Their values may be secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// Further fields of the call, as the provider names them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

/// The next request of a session, if it were sent now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptReport {
    /// `provider/model`.
    pub model: String,
    /// The system prompt block by block; one section with an empty label where there are no blocks.
    pub system: Vec<PromptSection>,
    /// The history.
    pub history: Vec<PromptPiece>,
    /// The tools.
    pub tools: Vec<PromptTool>,
    /// Estimated tokens of all of it.
    pub total_tokens: u64,
    /// Where compaction starts, if it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact_after: Option<u64>,
    /// How much the model takes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// When the system prompt was frozen, in milliseconds since 1970, UTC; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen_at: Option<u64>,
    /// What a refresh of the system prompt would change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingChange>,
    /// What the provider reported for the last call of this branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_usage: Option<Usage>,
    /// What the agent's own code changed in the last call; absent where it changed nothing, or none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<PromptChanges>,
}
