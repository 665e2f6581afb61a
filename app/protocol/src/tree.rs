//! The whole tree of a session as an outline: every stored message on every branch, without its content.

use crate::ids::MessageId;
use crate::limits::PREVIEW_MAX_CHARS;
use crate::message::{Role, TurnStatus};
use serde::{Deserialize, Serialize};

/// One stored message of the outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TreeNode {
    /// The message.
    pub id: MessageId,
    /// What it follows; absent for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<MessageId>,
    /// Who speaks.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub role: Role,
    /// The start of its text, on one line.
    pub preview: String,
    /// When it was stored, in milliseconds since 1970, UTC.
    pub created_at: u64,
    /// How the turn that wrote it ended; absent for messages of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TurnStatus>,
    /// Whether it is kept out of summaries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pinned: bool,
}

/// The start of a text on one line, as an outline and a trash show it.
pub fn preview(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(PREVIEW_MAX_CHARS) else { return line };
    format!("{}…", line.get(..end).unwrap_or_default().trim_end())
}

/// A session's outline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SessionTree {
    /// Every message in the order it was stored, so that a parent comes before its children.
    pub nodes: Vec<TreeNode>,
    /// The leaf of the branch that is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_leaf: Option<MessageId>,
}

/// Messages that were deleted together and lie in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedMessage {
    /// The message the deletion is named by; any of them restores or purges all of them.
    pub id: MessageId,
    /// Who speaks.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub role: Role,
    /// The start of its text, on one line.
    pub preview: String,
    /// When it was deleted, in milliseconds since 1970, UTC.
    pub deleted_at: u64,
    /// How many messages went with it, itself included.
    pub count: u64,
}

/// What lies in the trash of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessageTrash {
    /// Its deletions, the latest first.
    pub messages: Vec<DeletedMessage>,
}
