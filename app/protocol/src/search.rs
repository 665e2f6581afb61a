//! What a full-text search finds.

use crate::ids::{MessageId, SessionId};
use crate::message::Role;
use serde::{Deserialize, Serialize};

/// One message that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SearchHit {
    /// The session it stands in.
    pub session: SessionId,
    /// The name of that session; empty where it has none.
    pub session_name: String,
    /// The message.
    pub message: MessageId,
    /// Who speaks.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub role: Role,
    /// When it was stored, in milliseconds since 1970, UTC.
    pub created_at: u64,
    /// How well it fits: the smaller the better, never above 0. Only worth comparing within one search.
    pub rank: f64,
    /// Whether it stands on the branch its session is looked at; otherwise looking at it means changing the branch.
    pub is_on_active_path: bool,
    /// A piece of it that shows why it was found.
    pub snippet: Vec<SnippetPiece>,
}

/// A run of text of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SnippetPiece {
    /// Plain text, never markup.
    pub text: String,
    /// Whether this was searched for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_match: bool,
}

/// One page of what was found, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SearchPage {
    /// The messages.
    pub hits: Vec<SearchHit>,
    /// Ask with this for the hits after the last one; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Messages of an older file that are not indexed yet and could not be found.
    #[serde(default)]
    pub waiting: u64,
}
