//! One call of a model, in words that no provider owns.

use protocol::{Sampling, ToolCallId, ToolSpec};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What the call is for. Calls that are no chat turn say so to the provider (`X-Bough-Purpose`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// A turn.
    #[default]
    Chat,
    /// A name for a session.
    Title,
    /// A summary for compaction.
    Summary,
}

/// Whether and which tool must be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// One call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// What it is for.
    pub purpose: Purpose,
    /// Instructions; none or not empty.
    pub system: Option<String>,
    /// The conversation, oldest first, never empty.
    pub messages: Vec<ModelMessage>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
    /// Whether it must.
    pub tool_choice: ToolChoice,
    /// How it shall answer.
    pub sampling: Sampling,
    /// The shape its answer must have.
    pub output: Option<OutputSchema>,
    /// Further headers, for models that are called over HTTP.
    pub headers: BTreeMap<String, String>,
    /// Further fields of the call, as its provider names them; they win over all others.
    pub options: Map<String, Value>,
}

/// The shape of an answer: one JSON document and nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// A short name: letters, digits, `_` and `-`.
    pub name: String,
    /// JSON schema.
    pub schema: Value,
}

/// One message as a model reads it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelMessage {
    /// From a person.
    User(Vec<UserContent>),
    /// From the model.
    Assistant(Vec<AssistantContent>),
    /// Results of the calls of the assistant message before it.
    Tool(Vec<ToolResultContent>),
}

impl ModelMessage {
    /// A person's message with one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![UserContent::Text(text.into())])
    }
}

/// A piece of what a person said.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are named by the variants")]
pub enum UserContent {
    /// Text.
    Text(String),
    /// A file: `http(s):` or `data:` address.
    File { media_type: String, url: String, filename: Option<String> },
}

/// A piece of what the model said.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are named by the variants")]
pub enum AssistantContent {
    /// Text.
    Text(String),
    /// Reasoning, with what its provider wants to see again.
    Reasoning { text: String, provider_metadata: Option<Value> },
    /// A call; `input` is an object.
    ToolCall { id: ToolCallId, name: String, input: Value },
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResultContent {
    /// The call.
    pub id: ToolCallId,
    /// The tool.
    pub name: String,
    /// How it went.
    pub output: ToolOutput,
}

/// How a call went.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutput {
    /// It gave this.
    Value(Value),
    /// It failed with this text.
    Error(String),
    /// A person refused it, perhaps with a reason.
    Denied(Option<String>),
}

impl ToolOutput {
    /// As text, for providers that take nothing else.
    pub fn to_text(&self) -> String {
        match self {
            Self::Value(Value::String(text)) => text.clone(),
            Self::Value(value) => value.to_string(),
            Self::Error(text) => format!("Error: {text}"),
            Self::Denied(None) => "The user refused this call.".to_owned(),
            Self::Denied(Some(reason)) => format!("The user refused this call: {reason}"),
        }
    }
}
