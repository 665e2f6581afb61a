//! Everything the server may say on the socket.

use crate::block::Author;
use crate::error::WireError;
use crate::ids::{RequestId, SessionId};
use crate::message::{Message, TurnStatus};
use crate::resume::NoneReason;
use crate::session_info::{SessionInfo, Transcript};
use crate::tool_part::present;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

mod read;

/// A frame to a client. Clients ignore types and fields they do not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ServerFrame {
    /// One chunk of a turn, or its end.
    #[serde(rename = "cf_agent_use_chat_response")]
    ChatResponse(ChatResponse),
    /// The active path: whole, or its end where the tab asked for a window.
    #[serde(rename = "cf_agent_chat_messages")]
    Messages(Transcript),
    /// A stored message changed.
    #[serde(rename = "cf_agent_message_updated")]
    MessageUpdated {
        /// As it is now.
        message: Message,
    },
    /// The conversation was forgotten.
    #[serde(rename = "cf_agent_chat_clear")]
    Clear {},
    /// A stream can be replayed.
    #[serde(rename = "cf_agent_stream_resuming")]
    Resuming {
        /// The request it answers.
        id: RequestId,
        /// The asker's own mark.
        #[serde(skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// Nothing to resume.
    #[serde(rename = "cf_agent_stream_resume_none")]
    ResumeNone {
        /// Why.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<NoneReason>,
        /// The asker's own mark.
        #[serde(skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// Keep waiting: a turn was accepted and has no stream yet.
    #[serde(rename = "cf_agent_stream_pending")]
    Pending {
        /// The request that was accepted last.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
        /// The asker's own mark.
        #[serde(skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// A turn that a crash interrupted is being finished.
    #[serde(rename = "cf_agent_chat_recovering")]
    Recovering {
        /// Running or over.
        recovering: bool,
        /// The request it answers.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
    },
    /// How full the context is.
    #[serde(rename = "cf_agent_session")]
    SessionStatus {
        /// Idle or compacting.
        phase: Phase,
        /// Estimated tokens of the next prompt.
        token_estimate: u64,
        /// Where compaction starts.
        token_threshold: Option<u64>,
        /// What the last compaction saved.
        #[serde(skip_serializing_if = "Option::is_none")]
        compacted: Option<Compacted>,
    },
    /// Compaction failed.
    #[serde(rename = "cf_agent_session_error")]
    SessionError {
        /// For people.
        error: String,
    },
    /// Who answers here.
    #[serde(rename = "cf_agent_identity")]
    Identity {
        /// The instance.
        name: String,
        /// The agent.
        agent: String,
    },
    /// The agent's public state.
    #[serde(rename = "cf_agent_state")]
    State {
        /// Anything.
        state: Value,
    },
    /// The agent's tool servers.
    #[serde(rename = "cf_agent_mcp_servers")]
    McpServers {
        /// As the agent describes them.
        mcp: Value,
    },
    /// Answer to a call.
    #[serde(rename = "rpc")]
    Rpc(RpcReply),
    /// A frame of this client was refused, or the server has something to say about it.
    #[serde(rename = "bough_error")]
    Error {
        /// The request it was about, if it named one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
        /// What is wrong.
        #[serde(flatten)]
        error: WireError,
    },
    /// How a turn ended; sent after its message was stored.
    #[serde(rename = "bough_turn")]
    Turn {
        /// The request.
        id: RequestId,
        /// How it ended.
        status: TurnStatus,
        /// Why, where there is something to say.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A session of this instance is new or changed. Sent to every socket of the instance.
    #[serde(rename = "bough_session_changed")]
    SessionChanged {
        /// As it is now.
        session: SessionInfo,
    },
    /// A context block was written. Sent to every socket of the session, and of the instance where all its sessions
    /// share the block.
    #[serde(rename = "bough_block_changed")]
    BlockChanged {
        /// The block.
        label: String,
        /// Number of the change; 0 if the block is gone.
        version: u64,
        /// Who did it.
        author: Author,
    },
    /// A writer was refused since the block has no room; only a person can make some.
    #[serde(rename = "bough_block_full")]
    BlockFull {
        /// The block.
        label: String,
        /// Why, with the numbers.
        message: String,
    },
    /// A session of this instance is gone. Sent to every socket of the instance.
    #[serde(rename = "bough_session_removed")]
    SessionRemoved {
        /// Which.
        id: SessionId,
    },
}

/// One chunk of a turn (`body` not empty), or its end (`done`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire's own flags; most are absent most of the time")]
pub struct ChatResponse {
    /// The request.
    pub id: String,
    /// JSON text of one [`crate::Chunk`], the text of an error, or empty.
    pub body: String,
    /// Nothing more will come.
    pub done: bool,
    /// `body` is the text of an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
    /// The turn goes on with the last message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continuation: bool,
    /// From the store, not live.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replay: bool,
    /// The store has been read to its end; live frames follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replay_complete: bool,
    /// Number of the chunk in its stream, from 0; a tab that has seen chunk n resumes from n + 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// How the request ended, where that is neither a plain end nor an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TurnOutcome>,
}

/// How a request ended, for clients that count their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnOutcome {
    /// Its turn was stopped.
    Aborted,
    /// It never had a turn.
    Skipped,
}

/// What the session is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing.
    Idle,
    /// Writing a summary.
    Compacting,
}

/// What a compaction saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
}

/// Answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcReply {
    /// The call.
    pub id: String,
    /// Whether it worked.
    pub success: bool,
    /// What it gave. `null` is a value; absent is none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Nothing more will come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
}

impl ServerFrame {
    /// The frame as text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a frame; none for types this version does not know.
    pub fn parse(text: &str) -> Option<Self> {
        read::frame(serde_json::from_str(text).ok()?)
    }

    /// The end of a turn, as every client understands it.
    pub fn done(id: &RequestId) -> Self {
        Self::ChatResponse(ChatResponse { id: id.to_string(), done: true, ..ChatResponse::default() })
    }
}

impl<'de> Deserialize<'de> for ServerFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let frame = read::frame(Value::deserialize(deserializer)?);
        frame.ok_or_else(|| serde::de::Error::custom("not a frame of the server"))
    }
}
