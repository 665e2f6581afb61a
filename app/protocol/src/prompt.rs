//! What the model sees: the next request of a session, taken apart with the size of each piece.

use crate::block::{PromptSection, WaitingChange};
use crate::ids::MessageId;
use crate::message::Usage;
use crate::tool_spec::ToolSpec;
use serde::{Deserialize, Serialize};

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
}
