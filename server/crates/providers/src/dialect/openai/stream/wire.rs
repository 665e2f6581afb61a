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
    pub(super) reasoning_text: Option<Value>,
    pub(super) reasoning_details: Option<Value>,
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
    /// The reasoning, whichever of its names it has, or as a part of the content; gateways send the same text
    /// under several names.
    pub(super) fn take_reasoning(&mut self) -> Option<String> {
        let named = [&mut self.reasoning_content, &mut self.reasoning, &mut self.reasoning_text];
        let named = named.map(Option::take).into_iter().flatten().find_map(into_text);
        let details = self.reasoning_details.take();
        named
            .or_else(|| details.as_ref().and_then(|list| joined(list, &["text", "summary"])))
            .or_else(|| self.content.as_ref().and_then(|list| joined(list, &["thinking"])))
    }

    pub(super) fn take_content(&mut self) -> Option<String> {
        self.content.take().and_then(into_text)
    }
}

/// What the parts of a list say under any of these names.
fn joined(list: &Value, names: &[&str]) -> Option<String> {
    let said = |part: &Value| names.iter().find_map(|name| into_text(part.get(name)?.clone()));
    let text: String = list.as_array()?.iter().filter_map(said).collect();
    (!text.is_empty()).then_some(text)
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
    let number = |pointers: &[&str]| pointers.iter().find_map(|pointer| count(value.pointer(pointer)?));
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

/// Some write whole numbers with a point.
fn count(value: &Value) -> Option<u64> {
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..1e15).contains(number);
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|number| number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // What each vendor calls it, and what it looks like beside an empty field of another name.
    #[test]
    fn reasoning_is_found_under_every_name_and_once() {
        let part = |text: &str| json!({ "type": "thinking", "thinking": text });
        let rows = [
            (json!({ "reasoning_content": "hm" }), Some("hm"), None),
            (json!({ "reasoning": "hm" }), Some("hm"), None),
            (json!({ "reasoning_text": "hm", "content": null }), Some("hm"), None),
            (json!({ "reasoning_content": "hm", "reasoning": "hm", "content": "" }), Some("hm"), None),
            (json!({ "reasoning_content": "", "reasoning": "hm" }), Some("hm"), None),
            (json!({ "reasoning_content": null, "reasoning": null, "content": "so" }), None, Some("so")),
            (json!({ "reasoning": { "effort": "low" }, "content": "so" }), None, Some("so")),
            (json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }), Some("hm"), None),
            (
                json!({ "reasoning": "hm", "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }),
                Some("hm"),
                None,
            ),
            (
                json!({ "reasoning_details": [{ "type": "reasoning.summary", "summary": "h" }, { "text": "m" }] }),
                Some("hm"),
                None,
            ),
            (json!({ "content": [part("h"), part("m")] }), Some("hm"), None),
            (
                json!({ "content": [
                    { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
                    { "type": "text", "text": "so" },
                ] }),
                Some("hm"),
                Some("so"),
            ),
            (json!({ "content": [{ "type": "text", "text": "so" }] }), None, Some("so")),
            (json!({ "reasoning_details": [], "content": [] }), None, None),
        ];
        for (wire, reasoning, content) in rows {
            let mut delta: Delta = serde_json::from_value(wire.clone()).unwrap();
            let found = (delta.take_reasoning(), delta.take_content());
            assert_eq!((found.0.as_deref(), found.1.as_deref()), (reasoning, content), "{wire}");
        }
    }

    #[test]
    fn counts_are_numbers_however_they_are_written() {
        let of = |input: Value| usage(&json!({ "prompt_tokens": input })).map(|usage| usage.input_tokens);
        let rows = [
            (json!(12), Some(12)),
            (json!(12.0), Some(12)),
            (json!(0), Some(0)),
            (json!(-3), None),
            (json!(1.5), None),
            (json!("12"), None),
            (json!(null), None),
            (json!(1e300), None),
        ];
        for (input, expected) in rows {
            assert_eq!(of(input.clone()), expected, "{input}");
        }
        let other = json!({ "input_tokens": 3, "output_tokens": 4, "prompt_cache_hit_tokens": 1 });
        let expected =
            Usage { input_tokens: 3, output_tokens: 4, cached_tokens: Some(1), reasoning_tokens: None };
        assert_eq!(usage(&other), Some(expected));
        assert_eq!(usage(&json!({ "total_tokens": 7 })), None, "unknown is not zero");
    }
}
