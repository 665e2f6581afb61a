//! What stands in a chunk of a chat completion, as loosely as providers write it.

use protocol::Usage;
use serde::Deserialize;
use serde_json::Value;

/// One chunk, or a whole completion from a server that does not stream, or an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Value>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) index: Option<i64>,
    pub(super) delta: Option<Delta>,
    /// Instead of `delta` where the whole answer comes at once.
    pub(super) message: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Option<Value>,
    pub(super) reasoning_content: Option<Value>,
    pub(super) reasoning: Option<Value>,
    pub(super) refusal: Option<String>,
    pub(super) tool_calls: Option<Vec<CallDelta>>,
    pub(super) annotations: Option<Vec<Value>>,
    pub(super) images: Option<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta {
    pub(super) index: Option<Value>,
    pub(super) id: Option<Value>,
    pub(super) function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Value>,
}

impl Delta {
    /// The reasoning, whichever of its two names it has; gateways send the same text under both.
    pub(super) fn take_reasoning(&mut self) -> Option<String> {
        self.reasoning_content.take().or(self.reasoning.take()).and_then(into_text)
    }

    pub(super) fn take_content(&mut self) -> Option<String> {
        self.content.take().and_then(into_text)
    }
}

/// Text, or the texts of a list of parts; none where nothing is said.
pub(super) fn into_text(value: Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text,
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<String>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Token counts; none where there are no numbers, since unknown is not zero.
pub(super) fn usage(value: &Value) -> Option<Usage> {
    let number = |pointers: &[&str]| pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_u64());
    let input = number(&["/prompt_tokens", "/input_tokens"]);
    let output = number(&["/completion_tokens", "/output_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input_tokens: input.unwrap_or(0),
        output_tokens: output.unwrap_or(0),
        cached_tokens: number(&["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens"]),
        reasoning_tokens: number(&["/completion_tokens_details/reasoning_tokens"]),
    })
}
