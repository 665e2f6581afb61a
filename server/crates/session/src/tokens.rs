//! How many tokens a model will probably count. An estimate without a tokenizer, so it is never shown as more; it
//! looks at characters and words, knows that some scripts cost more, and counts what is not text too.

use protocol::{FilePart, Message, Part, ToolCall, ToolSpec};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// What the frame of a message costs.
const PER_MESSAGE: u64 = 4;
/// An image, which models cut into tiles of about this much altogether.
const IMAGE: u64 = 1_000;
/// A file of which only the address is known.
const LINKED_FILE: u64 = 1_000;
/// The largest a file can count.
const FILE_MAX: u64 = 50_000;
/// Bytes of a document, sound or film that make a token.
const BYTES_PER_FILE_TOKEN: u64 = 20;

/// Tokens of a text: a quarter for each character (more in some scripts), or 1.3 for each word, whichever is more.
pub fn estimate_text(text: &str) -> u64 {
    let quarters: u64 = text.chars().map(quarters).sum();
    let words = text.split(is_blank).filter(|word| !word.is_empty()).count() as u64;
    quarters.div_ceil(4).max(words.saturating_mul(13).div_ceil(10))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Quarters of a token that a character costs: one for each UTF-16 unit of Latin text, signs and pictures; two in the
/// alphabets that tokenizers know less well; four where a character is about a word.
fn quarters(c: char) -> u64 {
    match u32::from(c) {
        0..=0x036f | 0x1e00..=0x1eff => 1,
        0x1100..=0x11ff
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0xff00..=0xffef
        | 0x20000..=0x3ffff => 4,
        0x0370..=0x1fff | 0xa4d0..=0xabff => 2,
        _ => c.len_utf16() as u64,
    }
}

/// Tokens of a message: its frame and its parts.
pub fn estimate_message(message: &Message) -> u64 {
    message.parts.iter().map(estimate_part).fold(PER_MESSAGE, u64::saturating_add)
}

/// Tokens of several messages.
pub fn estimate_messages(messages: &[Message]) -> u64 {
    messages.iter().map(estimate_message).fold(0, u64::saturating_add)
}

/// Tokens of what a model is told about its tools.
pub fn estimate_tools(tools: &[ToolSpec]) -> u64 {
    let tool = |tool: &ToolSpec| {
        let described = tool.description.as_deref().map_or(0, estimate_text);
        PER_MESSAGE + estimate_text(&tool.name) + described + estimate_value(&tool.schema())
    };
    tools.iter().map(tool).fold(0, u64::saturating_add)
}

fn estimate_part(part: &Part) -> u64 {
    match part {
        Part::Text(part) | Part::Reasoning(part) => estimate_text(&part.text),
        Part::Tool(tool) => estimate_call(&tool.call),
        Part::File(file) => estimate_file(file),
        Part::Data(data) => estimate_value(&data.data),
        Part::Unknown(value) => estimate_unknown(value),
        Part::SourceUrl(_) | Part::SourceDocument(_) | Part::StepStart => 0,
    }
}

fn estimate_call(call: &ToolCall) -> u64 {
    let input = call.input.as_ref().map_or(0, estimate_value);
    let output = call.output.as_ref().or_else(|| call.extra.get("result")).map_or(0, estimate_value);
    input + output + call.error_text.as_deref().map_or(0, estimate_text)
}

/// A part of an unknown kind, or a known one without its required fields.
fn estimate_unknown(part: &Value) -> u64 {
    let of = |name: &str| part.get(name).map(estimate_value);
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind == "dynamic-tool" || kind.starts_with("tool-") {
        let output = of("output").or_else(|| of("result"));
        return [of("input"), output, of("errorText")].into_iter().flatten().sum();
    }
    ["text", "reasoning", "result"].into_iter().find_map(of).unwrap_or(0)
}

/// A text as it is, anything else as compact JSON; `null` is nothing.
fn estimate_value(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => estimate_text(text),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            estimate_text(&value.to_string())
        }
    }
}

fn estimate_file(file: &FilePart) -> u64 {
    if file.media_type.starts_with("image/") {
        return IMAGE;
    }
    let Some((head, data)) = file.url.strip_prefix("data:").and_then(|rest| rest.split_once(',')) else {
        return LINKED_FILE;
    };
    let chars = data.len() as u64;
    let bytes = if head.ends_with(";base64") { chars.saturating_mul(3) / 4 } else { chars };
    let is_text = file.media_type.starts_with("text/") || file.media_type == "application/json";
    bytes.div_ceil(if is_text { 4 } else { BYTES_PER_FILE_TOKEN }).min(FILE_MAX)
}
