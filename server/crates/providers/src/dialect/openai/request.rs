//! From a model request to the body of a chat completion. Pure, and stable: the same request gives the same bytes, so
//! that a provider's prompt cache keeps fitting.

mod files;

use crate::dialect::output;
use crate::dialect::quirks::{Quirk, Quirks};
use model::{AssistantContent, ModelMessage, ModelRequest, ToolChoice, ToolResultContent, UserContent};
use protocol::ToolSpec;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What goes out.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    stream: bool,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A message as it goes out. Most are one text, and long conversations are long: those are not copied.
#[derive(Serialize)]
#[serde(untagged)]
enum Said<'a> {
    Text { role: &'static str, content: &'a str },
    Whole(Value),
}

/// The body, as text.
pub(super) fn body(request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
    let (messages, rest) = (messages(request, quirks), rest(request, quirks));
    // Names and values can all be written, so there is always a text.
    serde_json::to_string(&Body { model, messages, stream: true, rest }).unwrap_or_default()
}

/// Everything but the conversation.
fn rest(request: &ModelRequest, quirks: &Quirks) -> Map<String, Value> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    if !quirks.has(Quirk::NoUsageOption) {
        put("stream_options", json!({ "include_usage": true }));
    }
    if !request.tools.is_empty() && !quirks.has(Quirk::NoTools) {
        put("tools", request.tools.iter().map(tool).collect());
        if let Some(choice) = tool_choice(&request.tool_choice) {
            put("tool_choice", choice);
        }
    }
    if let Some(shape) = output::sent(request, quirks) {
        let (name, schema) = (&shape.name, &shape.schema);
        let strict = output::is_strict(schema) && !quirks.has(Quirk::LooseSchema);
        let shape = json!({ "name": name, "schema": schema, "strict": strict });
        put("response_format", json!({ "type": "json_schema", "json_schema": shape }));
    }
    let sampling = &request.sampling;
    if let Some(temperature) = sampling.temperature.filter(|_| !quirks.has(Quirk::NoTemperature)) {
        put("temperature", json!(temperature));
    }
    if let Some(top_p) = sampling.top_p.filter(|_| !quirks.has(Quirk::NoTopP)) {
        put("top_p", json!(top_p));
    }
    if let Some(limit) = sampling.max_output_tokens.filter(|_| !quirks.has(Quirk::NoLengthLimit)) {
        let is_new = quirks.has(Quirk::CompletionTokens);
        put(if is_new { "max_completion_tokens" } else { "max_tokens" }, json!(limit));
    }
    if let Some(seed) = sampling.seed.filter(|_| !quirks.has(Quirk::NoSeed)) {
        put("seed", json!(seed));
    }
    body
}

fn messages<'a>(request: &'a ModelRequest, quirks: &Quirks) -> Vec<Said<'a>> {
    let system = output::instructions(request, output::sent(request, quirks));
    let system = system.map(|text| json!({ "role": "system", "content": text }));
    if quirks.has(Quirk::AlternatingRoles) {
        let said = request.messages.iter().flat_map(|message| whole(message, quirks));
        return alternate(system.into_iter().chain(said).collect()).into_iter().map(Said::Whole).collect();
    }
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    messages.extend(system.map(Said::Whole));
    for message in &request.messages {
        match plain(message) {
            Some(text) => messages.push(text),
            None => messages.extend(whole(message, quirks).into_iter().map(Said::Whole)),
        }
    }
    messages
}

/// A message that is one text and nothing else.
fn plain(message: &ModelMessage) -> Option<Said<'_>> {
    match message {
        ModelMessage::User(content) => match content.as_slice() {
            [UserContent::Text(content)] => Some(Said::Text { role: "user", content }),
            _ => None,
        },
        ModelMessage::Assistant(content) => match content.as_slice() {
            [AssistantContent::Text(content)] if !content.is_empty() => {
                Some(Said::Text { role: "assistant", content })
            }
            _ => None,
        },
        ModelMessage::Tool(_) => None,
    }
}

/// Any message, as one or several.
fn whole(message: &ModelMessage, quirks: &Quirks) -> Vec<Value> {
    match message {
        ModelMessage::User(content) => vec![json!({ "role": "user", "content": user_content(content) })],
        ModelMessage::Assistant(content) => assistant(content, quirks).into_iter().collect(),
        ModelMessage::Tool(results) => results.iter().map(tool_result).collect(),
    }
}

/// One text as a string, which every server reads; anything else as a list of parts.
fn user_content(content: &[UserContent]) -> Value {
    let parts: Vec<Value> = content
        .iter()
        .map(|piece| match piece {
            UserContent::Text(text) => text_part(text),
            UserContent::File { media_type, url, filename } => {
                files::part(media_type, url, filename.as_deref())
            }
        })
        .collect();
    let texts: Option<Vec<&str>> =
        parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.map_or_else(|| Value::Array(parts.clone()), |texts| json!(texts.join("\n\n")))
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// None for a message in which the dialect can say nothing, such as reasoning alone.
fn assistant(content: &[AssistantContent], quirks: &Quirks) -> Option<Value> {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for piece in content {
        match piece {
            AssistantContent::Text(piece) => append(&mut text, piece),
            AssistantContent::Reasoning { text: piece, .. } => append(&mut reasoning, piece),
            AssistantContent::ToolCall { id, name, input } => calls.push(json!({
                "id": id,
                "type": "function",
                "function": { "name": name, "arguments": input.to_string() },
            })),
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { Value::String(text) };
    let mut message = Map::new();
    let mut put = |key: &str, value: Value| drop(message.insert(key.to_owned(), value));
    put("role", json!("assistant"));
    put("content", content);
    if !calls.is_empty() {
        if quirks.has(Quirk::EchoReasoning) {
            put("reasoning_content", Value::String(reasoning));
        }
        put("tool_calls", Value::Array(calls));
    }
    Some(Value::Object(message))
}

/// Blocks of one message are paragraphs.
fn append(text: &mut String, piece: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(piece);
}

fn tool_result(result: &ToolResultContent) -> Value {
    json!({ "role": "tool", "tool_call_id": result.id, "content": result.output.to_text() })
}

fn tool(tool: &ToolSpec) -> Value {
    let mut function = Map::new();
    let _name = function.insert("name".to_owned(), json!(tool.name));
    if let Some(description) = &tool.description {
        let _description = function.insert("description".to_owned(), json!(description));
    }
    let _schema = function.insert("parameters".to_owned(), tool.schema());
    json!({ "type": "function", "function": function })
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Named(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

/// Joins neighbours of the same role, for servers whose templates insist on turns. Calls and results stay as they are.
fn alternate(messages: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages {
        match joined.last_mut().and_then(|last| join(last, &message)) {
            Some(()) => {}
            None => joined.push(message),
        }
    }
    joined
}

/// Appends `next` to `last`, where both are text of the same person.
fn join(last: &mut Value, next: &Value) -> Option<()> {
    let role = next.get("role")?;
    let is_joinable = last.get("role") == Some(role) && matches!(role.as_str(), Some("user" | "assistant"));
    if !is_joinable || last.get("tool_calls").is_some() || next.get("tool_calls").is_some() {
        return None;
    }
    let content = match (last.get("content")?, next.get("content")?) {
        (Value::String(one), Value::String(two)) => json!(format!("{one}\n\n{two}")),
        (one, two) => Value::Array([as_parts(one), as_parts(two)].concat()),
    };
    *last.get_mut("content")? = content;
    Some(())
}

fn as_parts(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts.clone(),
        Value::String(text) => vec![text_part(text)],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
