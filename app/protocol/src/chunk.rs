//! The grammar of an answer in motion: what the stream of one turn may say.
//!
//! | order | chunks |
//! |---|---|
//! | first | `start` |
//! | per model call | `start-step`, content, `finish-step` |
//! | content | `text-start` `text-delta`* `text-end`, the same for `reasoning`, tool chunks by call id, `file`, `source-*`, `data-*` |
//! | last | `finish`, or `abort`, or `error` |
//!
//! Blocks may interleave: a delta belongs to the start with the same `id`. A reader never fails on a chunk it does
//! not know ([`Chunk::Unknown`]).

use crate::ids::{ApprovalId, MessageId, ToolCallId};
use crate::message::Metadata;
use crate::part::DataPart;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

mod read;

/// One step of a stream; JSON text in the `body` of a response frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields are the wire's own; the table above and the variants say what they mean"
)]
pub enum Chunk {
    /// The message begins.
    Start {
        #[serde(skip_serializing_if = "Option::is_none")]
        message_id: Option<MessageId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_metadata: Option<Metadata>,
    },
    /// A model call begins.
    StartStep,
    /// A model call ended.
    FinishStep,
    /// The message is complete.
    Finish {
        #[serde(skip_serializing_if = "Option::is_none")]
        finish_reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_metadata: Option<Metadata>,
    },
    /// More metadata for the message.
    MessageMetadata { message_metadata: Metadata },
    /// The turn was stopped.
    Abort {
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The turn failed. Never stored as a part.
    Error { error_text: String },
    /// A text block begins.
    TextStart {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A text block grows.
    TextDelta {
        id: String,
        delta: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A text block is complete.
    TextEnd {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A reasoning block begins.
    ReasoningStart {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A reasoning block grows.
    ReasoningDelta {
        id: String,
        delta: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A reasoning block is complete.
    ReasoningEnd {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// The model begins to write a tool's arguments.
    ToolInputStart {
        tool_call_id: ToolCallId,
        tool_name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_executed: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        dynamic: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// The arguments' text grows.
    ToolInputDelta { tool_call_id: ToolCallId, input_text_delta: String },
    /// The arguments are complete.
    ToolInputAvailable {
        tool_call_id: ToolCallId,
        tool_name: String,
        input: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_executed: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        dynamic: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// The arguments are unusable.
    ToolInputError {
        tool_call_id: ToolCallId,
        tool_name: String,
        input: Value,
        error_text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        dynamic: Option<bool>,
    },
    /// A person must agree first.
    ToolApprovalRequest {
        tool_call_id: ToolCallId,
        approval_id: ApprovalId,
        #[serde(skip_serializing_if = "Option::is_none")]
        approval_descriptor: Option<Value>,
    },
    /// The tool answered.
    ToolOutputAvailable {
        tool_call_id: ToolCallId,
        output: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        preliminary: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_executed: Option<bool>,
    },
    /// The tool failed.
    ToolOutputError { tool_call_id: ToolCallId, error_text: String },
    /// The call was refused.
    ToolOutputDenied { tool_call_id: ToolCallId },
    /// A page the model relied on.
    SourceUrl {
        source_id: String,
        url: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A document the model relied on.
    SourceDocument {
        source_id: String,
        media_type: String,
        title: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// A file the model made.
    File {
        url: String,
        media_type: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<Value>,
    },
    /// `data-NAME`
    #[serde(untagged)]
    Data(DataChunk),
    /// Anything else; reported as unhandled.
    #[serde(untagged)]
    Unknown(Value),
}

/// A `data-NAME` chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct DataChunk {
    /// What becomes a part.
    pub part: DataPart,
    /// Shown now, never stored.
    pub is_transient: bool,
}

const TRANSIENT: &str = "transient";

impl Serialize for DataChunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = self.part.to_object();
        if self.is_transient {
            let _flag = object.insert(TRANSIENT.to_owned(), Value::Bool(true));
        }
        object.serialize(serializer)
    }
}

impl Chunk {
    /// The body of a response frame.
    pub fn to_body(&self) -> String {
        // Only maps with non-string keys can fail, and there are none.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a body; none if it is not JSON.
    pub fn from_body(body: &str) -> Option<Self> {
        let value = serde_json::from_str(body).ok()?;
        // A chunk that is none of those known is rare, and then it is read once more to be kept whole.
        read::chunk(value).or_else(|| serde_json::from_str(body).ok().map(Self::Unknown))
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(read::chunk(value.clone()).unwrap_or(Self::Unknown(value)))
    }
}
