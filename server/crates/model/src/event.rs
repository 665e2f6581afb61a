//! The grammar of an answer as a model gives it.

use protocol::{ToolCallId, Usage};
use serde_json::Value;

/// Why a model stopped by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// Its length limit ended it in the middle.
    Length,
    /// It wants tools to run.
    ToolCalls,
    /// The provider's filter ended it.
    ContentFilter,
    /// Something else, in the provider's word.
    Other(String),
}

impl FinishReason {
    /// The wire's word for it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool-calls",
            Self::ContentFilter => "content-filter",
            Self::Other(word) => word,
        }
    }
}

/// One event of an answer.
///
/// | rule | |
/// |---|---|
/// | blocks | `…Start` before its deltas, `…End` after them, same `id`; blocks may interleave |
/// | tools | `ToolInputStart`, then its deltas, then `ToolInputEnd`; ids are unique in one answer, made up by the adapter where the provider sends none |
/// | usage | any time, at most once per call; numbers are the whole call's |
/// | end | exactly one `Finish`, last; without it the answer was cut off |
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are named by the table and the variants")]
pub enum ModelEvent {
    /// A text block begins.
    TextStart { id: String },
    /// It grows.
    TextDelta { id: String, delta: String },
    /// It is complete.
    TextEnd { id: String },
    /// A reasoning block begins.
    ReasoningStart { id: String, provider_metadata: Option<Value> },
    /// It grows.
    ReasoningDelta { id: String, delta: String, provider_metadata: Option<Value> },
    /// It is complete.
    ReasoningEnd { id: String, provider_metadata: Option<Value> },
    /// The model begins to call a tool.
    ToolInputStart { id: ToolCallId, name: String },
    /// The arguments' text grows.
    ToolInputDelta { id: ToolCallId, delta: String },
    /// The arguments are complete: `input` is their whole text, JSON if the model kept to the rules.
    ToolInputEnd { id: ToolCallId, name: String, input: String },
    /// A page the model relied on.
    Source { id: String, url: String, title: Option<String> },
    /// A file the model made.
    File { url: String, media_type: String },
    /// What the call cost.
    Usage(Usage),
    /// The answer is complete.
    Finish { reason: FinishReason },
}
