//! From a model request to the body of a message request. Pure, and stable: the same request gives the same bytes.
//!
//! | in the request | in the body |
//! |---|---|
//! | system | `system`, one block, marked for the prompt cache in a turn |
//! | a person's message, tool results | `user`, joined where they follow each other, as the API wants turns |
//! | reasoning with a signature | `thinking`, within the current turn and with its calls only |
//! | the last block of the history | marked for the prompt cache in a turn |

mod content;

use super::known::longest_answer;
use crate::dialect::output;
use crate::dialect::quirks::{Quirk, Quirks};
use content::Turn;
use model::{ModelMessage, ModelRequest, Purpose, ToolChoice};
use protocol::ToolSpec;
use serde_json::{Map, Value, json};

/// Stands where a person said nothing that can be sent, since the API takes no empty message.
const NOTHING: &str = "(empty message)";

/// The body, as text.
pub(super) fn body(request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let sampling = &request.sampling;
    put("model", json!(model));
    put("max_tokens", json!(sampling.max_output_tokens.unwrap_or_else(|| longest_answer(model))));
    put("stream", json!(true));
    let shape = output::sent(request, quirks);
    if let Some(system) = output::instructions(request, shape) {
        let mut block = json!({ "type": "text", "text": system });
        mark(request, &mut block);
        put("system", Value::Array(vec![block]));
    }
    put("messages", Value::Array(messages(request)));
    if !request.tools.is_empty() && !quirks.has(Quirk::NoTools) {
        put("tools", request.tools.iter().map(tool).collect());
        put("tool_choice", tool_choice(&request.tool_choice));
    }
    if let Some(shape) = shape {
        put("output_config", json!({ "format": { "type": "json_schema", "schema": shape.schema } }));
    }
    let temperature = sampling.temperature.filter(|_| !quirks.has(Quirk::NoTemperature));
    if let Some(temperature) = temperature {
        // The scale of this API ends at 1.
        put("temperature", json!(temperature.min(1.0)));
    }
    // Newer models refuse both at once.
    let top_p = sampling.top_p.filter(|_| temperature.is_none() && !quirks.has(Quirk::NoTopP));
    if let Some(top_p) = top_p {
        put("top_p", json!(top_p));
    }
    Value::Object(body).to_string()
}

/// Ends a prefix that the provider shall keep. Calls that are no turn have no next call that would use it.
fn mark(request: &ModelRequest, block: &mut Value) {
    let is_markable =
        !matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"));
    if let (Purpose::Chat, true, Some(block)) = (request.purpose, is_markable, block.as_object_mut()) {
        let _none = block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let is_question = |message: &ModelMessage| matches!(message, ModelMessage::User(_));
    let question = request.messages.iter().rposition(is_question).unwrap_or(0);
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for (position, message) in request.messages.iter().enumerate() {
        let turn = if position > question { Turn::Current } else { Turn::Earlier };
        let (role, blocks) = match message {
            ModelMessage::User(content) => ("user", content::user(content)),
            ModelMessage::Assistant(content) => ("assistant", content::assistant(content, turn)),
            ModelMessage::Tool(results) => ("user", results.iter().map(content::tool_result).collect()),
        };
        match turns.last_mut().filter(|(last, _)| *last == role) {
            Some((_, joined)) => joined.extend(blocks),
            None if role == "assistant" && blocks.is_empty() => {}
            None => turns.push((role, blocks)),
        }
    }
    for (_, blocks) in turns.iter_mut().filter(|(_, blocks)| blocks.is_empty()) {
        blocks.push(json!({ "type": "text", "text": NOTHING }));
    }
    if let Some(block) = turns.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        mark(request, block);
    }
    turns.into_iter().map(|(role, blocks)| json!({ "role": role, "content": blocks })).collect()
}

fn tool(tool: &ToolSpec) -> Value {
    let mut body = Map::new();
    let _name = body.insert("name".to_owned(), json!(tool.name));
    if let Some(description) = &tool.description {
        let _description = body.insert("description".to_owned(), json!(description));
    }
    let _schema = body.insert("input_schema".to_owned(), tool.schema());
    Value::Object(body)
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({ "type": "auto" }),
        ToolChoice::None => json!({ "type": "none" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Named(name) => json!({ "type": "tool", "name": name }),
    }
}

#[cfg(test)]
mod tests;
