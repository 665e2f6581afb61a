//! Context blocks: the named pieces of the system prompt, as pages and the API see them.

use crate::ids::RequestId;
use serde::{Deserialize, Serialize};

/// What a block is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// One text.
    Text,
    /// Entries that are read one by one; the content is their list.
    Skills,
    /// Entries that are searched; the content says how many there are.
    Search,
}

/// Whose a block is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockScope {
    /// All sessions of the agent share it.
    Agent,
    /// Each session has its own.
    #[default]
    Session,
    /// It comes from elsewhere: a file, the configuration, an application.
    Outside,
}

/// How a block came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockOrigin {
    /// The agent's definition names it.
    Configured,
    /// It was added while the agent ran.
    Added,
}

/// A block with its content. Sizes are estimated tokens, times are milliseconds since 1970, UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ContextBlock {
    /// Names it; unique among the blocks of a session, whatever the case.
    pub label: String,
    /// What it is for, as the model reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The text, or the list of its entries.
    pub content: String,
    /// Size of `content`.
    pub tokens: u64,
    /// How large it may get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// What it is made of.
    pub kind: BlockKind,
    /// Whether anybody may write it.
    pub is_writable: bool,
    /// Whose it is.
    pub scope: BlockScope,
    /// Number of its last change; 0 before the first one. Name it when writing, and a change by somebody else
    /// meanwhile is found.
    pub version: u64,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<u64>,
    /// Who put it there.
    pub origin: BlockOrigin,
    /// Why it cannot be read just now; `content` is empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Who changed a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Author {
    /// A person.
    User,
    /// The model.
    Model {
        /// The turn it happened in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
    },
    /// The agent's definition: what the block held before its first change.
    Setup,
    /// Somebody who did not go through the agent, such as an editor of the file behind the block.
    Outside,
}

/// One version of a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BlockVersion {
    /// Its number.
    pub version: u64,
    /// Who wrote it.
    pub author: Author,
    /// When, in milliseconds since 1970, UTC.
    pub written_at: u64,
    /// The whole text; absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// An entry of a block of skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SkillInfo {
    /// The block.
    pub label: String,
    /// Names the entry in its block.
    pub key: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the model has its content before it.
    pub is_loaded: bool,
}

/// What one block puts into the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptSection {
    /// The block.
    pub label: String,
    /// Its header and content, exactly as the model reads them.
    pub text: String,
    /// Size of `text`.
    pub tokens: u64,
}

/// How a block differs from the frozen prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WaitingKind {
    /// The prompt does not have it yet.
    Added,
    /// The prompt has an older content.
    Changed,
    /// The prompt still has it.
    Removed,
}

/// A change that the model will see after a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WaitingChange {
    /// The block.
    pub label: String,
    /// What will change.
    pub kind: WaitingKind,
}

/// The system prompt as it is frozen, and what waits for the next refresh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptInfo {
    /// Block by block; the prompt is their texts with an empty line between them.
    pub sections: Vec<PromptSection>,
    /// When it was frozen, in milliseconds since 1970, UTC.
    pub frozen_at: u64,
    /// What a refresh would change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingChange>,
}
