//! From a model request to the body of a chat completion. Pure, and stable: the same request gives the same bytes, so
//! that a provider's prompt cache keeps fitting.

mod files;

use crate::dialect::output;
use crate::dialect::quirks::{Quirk, Quirks};
use model::{AssistantContent, ModelMessage, ModelRequest, ToolChoice, ToolResultContent, UserContent};
use protocol::ToolSpec;
use serde_json::{Map, Value, json};

/// The body, as text.
pub(super) fn body(request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(model));
    put("messages", Value::Array(messages(request, quirks)));
    put("stream", json!(true));
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
    Value::Object(body).to_string()
}

fn messages(request: &ModelRequest, quirks: &Quirks) -> Vec<Value> {
    let system = output::instructions(request, output::sent(request, quirks));
    let system = system.into_iter().map(|text| json!({ "role": "system", "content": text }));
    let said = request.messages.iter().flat_map(|message| match message {
        ModelMessage::User(content) => vec![json!({ "role": "user", "content": user_content(content) })],
        ModelMessage::Assistant(content) => assistant(content, quirks).into_iter().collect(),
        ModelMessage::Tool(results) => results.iter().map(tool_result).collect(),
    });
    let messages: Vec<Value> = system.chain(said).collect();
    if quirks.has(Quirk::AlternatingRoles) { alternate(messages) } else { messages }
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
