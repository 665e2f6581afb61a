//! Rows of the session list, and where a message has other versions.

use crate::ids::{MessageId, SessionId};
use crate::message::{Message, Role};
use crate::part::Part;
use crate::sampling::Sampling;
use serde::{Deserialize, Serialize};

/// Whom a message waits for. Where it waits for both it is a person, who must be told and therefore stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Awaited {
    /// A person, who says whether a tool may run.
    Approval,
    /// A program outside of the server, which runs a tool.
    Tool,
}

impl Awaited {
    /// Whom a message waits for; none where it goes on by itself. Only a model's calls wait.
    pub fn by(message: &Message) -> Option<Self> {
        let tools = message.parts.iter().filter_map(Part::as_tool);
        let awaited = tools.filter_map(|tool| tool.call.state.awaits()).min();
        awaited.filter(|_| message.role == Role::Assistant)
    }
}

/// One session as the list shows it. Times are milliseconds since 1970, UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[expect(clippy::struct_excessive_bools, reason = "the wire's own flags; never both")]
pub struct SessionInfo {
    /// Its id.
    pub id: SessionId,
    /// Its name; empty until it has one.
    pub name: String,
    /// The session it was forked or spawned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// `provider/model`, where one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The numbers that shape its answers, where some were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Who made it: `page`, `api`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Tokens read by models so far.
    pub input_tokens: u64,
    /// Tokens written by models so far.
    pub output_tokens: u64,
    /// Cost so far.
    pub estimated_cost: f64,
    /// Why it was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_reason: Option<String>,
    /// When it was made.
    pub created_at: u64,
    /// When something last happened in it.
    pub updated_at: u64,
    /// Stored messages, on all branches.
    pub message_count: u64,
    /// Since when it is kept at the top of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<u64>,
    /// Since when it is put aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<u64>,
    /// Since when it lies in the trash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<u64>,
    /// Whether a turn is running or waiting.
    #[serde(default)]
    pub is_running: bool,
    /// Whether the last message of its active path waits for a person or a browser: a tool asks for approval, or is one
    /// that a browser runs. Never while a turn runs.
    #[serde(default)]
    pub is_waiting: bool,
    /// Whom it waits for; absent where it waits for nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Awaited>,
}

/// One page of the session list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SessionPage {
    /// The rows.
    pub sessions: Vec<SessionInfo>,
    /// Ask with this for the rows after the last one; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The other versions of a message: all children of its parent, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Siblings {
    /// The message on the active path.
    pub id: MessageId,
    /// All versions, itself included.
    pub ids: Vec<MessageId>,
}

/// A summary that stands for a range of messages, beside the message that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OverlayInfo {
    /// The message that stands for the range; its only part is the summary.
    pub id: MessageId,
    /// First message of the range.
    pub from: MessageId,
    /// Last message of the range.
    pub to: MessageId,
    /// How many messages it hides.
    pub hidden: u64,
    /// Estimated tokens of those messages.
    pub tokens_before: u64,
    /// Estimated tokens of the summary.
    pub tokens_after: u64,
    /// When it was made, in milliseconds since 1970, UTC.
    pub created_at: u64,
}

/// What a page needs to paint a session: the end of its active path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Transcript {
    /// The last messages of the active path, oldest first.
    pub messages: Vec<Message>,
    /// Where they have other versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub siblings: Vec<Siblings>,
    /// The summaries among `messages`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<OverlayInfo>,
    /// Those of `messages` that are kept out of summaries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<MessageId>,
    /// Stored messages of the path before the first of `messages`, and before all that it stands for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier: u64,
    /// The answer that is being written right now, as far as it is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Message>,
    /// It is the first one of a socket: what the client has sent meanwhile is not in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connect: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
