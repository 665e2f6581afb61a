//! Everything a browser may say on the socket, and the one reader for it.

use crate::error::{ErrorCode, WireError};
use crate::ids::{MessageId, RequestId, SessionId, ToolCallId};
use crate::limits;
use crate::message::Message;
use crate::tool_part::ToolState;
use crate::tool_spec::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A frame from a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ClientFrame {
    /// Ask for a turn.
    #[serde(rename = "cf_agent_use_chat_request")]
    ChatRequest {
        /// Names the request; frames of the answer carry it.
        id: RequestId,
        /// The request as an HTTP client would make it.
        init: RequestInit,
    },
    /// Stop that request.
    #[serde(rename = "cf_agent_chat_request_cancel")]
    Cancel {
        /// The request to stop.
        id: RequestId,
    },
    /// Forget the whole conversation of this session.
    #[serde(rename = "cf_agent_chat_clear")]
    Clear {},
    /// The browser ran a tool.
    #[serde(rename = "cf_agent_tool_result")]
    ToolResult(ToolResult),
    /// A person answered a question about a call.
    #[serde(rename = "cf_agent_tool_approval")]
    ToolApproval(ToolVerdict),
    /// Is there something to resume?
    #[serde(rename = "cf_agent_stream_resume_request")]
    ResumeRequest {
        /// Echoed in direct answers. Anything but text is ignored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probe_id: Option<Value>,
    },
    /// Send me the stream.
    #[serde(rename = "cf_agent_stream_resume_ack")]
    ResumeAck {
        /// The request whose stream is wanted.
        id: RequestId,
        /// Chunks before this number are known already; absent means all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_seq: Option<u64>,
    },
    /// A client's idea of the transcript; read by nobody, since the server's is the truth.
    #[serde(rename = "cf_agent_chat_messages")]
    Messages {
        /// Ignored.
        #[serde(default)]
        messages: Value,
    },
    /// Call a method.
    #[serde(rename = "rpc")]
    Rpc {
        /// Names the call.
        id: String,
        /// What to call.
        method: String,
        /// With what.
        #[serde(default)]
        args: Vec<Value>,
    },
}

/// The HTTP-shaped half of a chat request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestInit {
    /// Only `POST` asks for a turn.
    #[serde(default)]
    pub method: String,
    /// JSON text of a [`ChatBody`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What a chat request asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatBody {
    /// The client's list, whole, cut, or only the new message.
    pub messages: Vec<Message>,
    /// Why; absent means a new message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Tools the browser offers: absent keeps the stored ones, an empty list forgets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_tools: Option<Vec<ToolSpec>>,
    /// The session, where the socket's own is not meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Where the new message hangs; absent means by the list, or under the active leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<MessageId>,
    /// The model of this turn alone; absent means the session's.
    #[serde(default, rename = "boughModel", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Anything else; handed to the agent.
    #[serde(flatten)]
    pub custom: Map<String, Value>,
}

/// Why a turn is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A new message.
    SubmitMessage,
    /// Another version of an answer.
    RegenerateMessage,
}

/// The browser's result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call.
    pub tool_call_id: ToolCallId,
    /// The tool.
    #[serde(default)]
    pub tool_name: String,
    /// What it gave.
    #[serde(default)]
    pub output: Value,
    /// `output-available` (also when absent) or `output-error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ToolState>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// Whether the model shall go on by itself.
    #[serde(default)]
    pub auto_continue: bool,
    /// A new set of the browser's tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_tools: Option<Vec<ToolSpec>>,
    /// The session that the call is in; an addition of ours. Absent means the socket's own, or else one of those that it
    /// asked something in where the call waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// A person's answer to the question about a call. All but the first three fields are additions of ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire's fields")]
pub struct ToolVerdict {
    /// The call.
    pub tool_call_id: ToolCallId,
    /// Yes or no.
    pub approved: bool,
    /// Whether the model shall go on by itself.
    #[serde(default)]
    pub auto_continue: bool,
    /// What the person says about it; the model reads it where the call is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments as the person wants them; only where it is approved. They must be an object that fits the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Calls of this tool need no question in this session any more; only where it is approved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always: bool,
    /// The session that the call is in, as in a [`ToolResult`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

impl ToolVerdict {
    /// A plain yes or no, after which the model goes on by itself.
    pub fn new(tool_call_id: ToolCallId, answer: Answered) -> Self {
        let approved = answer == Answered::Yes;
        Self {
            tool_call_id,
            approved,
            auto_continue: true,
            reason: None,
            input: None,
            always: false,
            session_id: None,
        }
    }
}

/// What a person says to a question about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// It may run.
    Yes,
    /// It must not.
    No,
}

impl ClientFrame {
    /// Reads a frame.
    ///
    /// # Errors
    /// [`ErrorCode::TooLarge`], [`ErrorCode::BadFrame`] for what is not an object with a `type`,
    /// [`ErrorCode::UnknownFrame`] for types that no client may send, [`ErrorCode::BadRequest`] for wrong fields.
    /// None of them is a reason to close the socket.
    pub fn parse(text: &str) -> Result<Self, WireError> {
        if text.len() > limits::FRAME_MAX_BYTES {
            let message = format!(
                "the frame has {} bytes; the limit is {} (FRAME_MAX_BYTES)",
                text.len(),
                limits::FRAME_MAX_BYTES
            );
            return Err(WireError::new(ErrorCode::TooLarge, message));
        }
        let value: Value = serde_json::from_str(text).map_err(|error| {
            WireError::new(ErrorCode::BadFrame, format!("the frame is not JSON: {error}"))
        })?;
        let Some(kind) = value.get("type").and_then(Value::as_str).map(str::to_owned) else {
            return Err(WireError::new(ErrorCode::BadFrame, "the frame has no type"));
        };
        if !TYPES.contains(&kind.as_str()) {
            let message = format!("no client may send frames of type {kind:?}");
            return Err(WireError::new(ErrorCode::UnknownFrame, message));
        }
        serde_json::from_value(value)
            .map_err(|error| WireError::new(ErrorCode::BadRequest, format!("{kind}: {error}")))
    }

    /// The frame as text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

const TYPES: [&str; 9] = [
    "cf_agent_use_chat_request",
    "cf_agent_chat_request_cancel",
    "cf_agent_chat_clear",
    "cf_agent_tool_result",
    "cf_agent_tool_approval",
    "cf_agent_stream_resume_request",
    "cf_agent_stream_resume_ack",
    "cf_agent_chat_messages",
    "rpc",
];

impl ChatBody {
    /// Reads the body of a chat request.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] with the place that is wrong; [`ErrorCode::TooLarge`] for lists over
    /// [`limits::REQUEST_MAX_MESSAGES`] or messages over [`limits::MESSAGE_MAX_PARTS`].
    pub fn parse(init: &RequestInit) -> Result<Self, WireError> {
        let bad = |message: String| WireError::new(ErrorCode::BadRequest, message);
        if init.method != "POST" {
            return Err(bad(format!("a chat request needs method POST, not {:?}", init.method)));
        }
        let text = init.body.as_deref().ok_or_else(|| bad("a chat request needs a body".to_owned()))?;
        let body: Self = serde_json::from_str(text).map_err(|error| bad(format!("chat body: {error}")))?;
        body.check()?;
        Ok(body)
    }

    /// Whether it keeps the limits, which [`ChatBody::parse`] has seen to.
    ///
    /// # Errors
    /// As there.
    pub fn check(&self) -> Result<(), WireError> {
        let too_large = |message: String| Err(WireError::new(ErrorCode::TooLarge, message));
        if self.messages.len() > limits::REQUEST_MAX_MESSAGES {
            let (count, limit) = (self.messages.len(), limits::REQUEST_MAX_MESSAGES);
            return too_large(format!("{count} messages; the limit is {limit} (REQUEST_MAX_MESSAGES)"));
        }
        for message in &self.messages {
            let (id, parts) = (message.id.as_str(), message.parts.len());
            if parts > limits::MESSAGE_MAX_PARTS {
                let limit = limits::MESSAGE_MAX_PARTS;
                return too_large(format!(
                    "a message has {parts} parts; the limit is {limit} (MESSAGE_MAX_PARTS)"
                ));
            }
            if id.is_empty() || id.len() > limits::ID_MAX_BYTES {
                let limit = limits::ID_MAX_BYTES;
                let text = format!("a message id must have 1 to {limit} bytes (ID_MAX_BYTES)");
                return Err(WireError::new(ErrorCode::BadRequest, text));
            }
        }
        Ok(())
    }
}
