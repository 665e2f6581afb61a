//! From a model request to the body of a chat. Pure, and stable: the same request gives the same bytes.

use crate::dialect::files::{Data, named, told};
use crate::dialect::output;
use crate::dialect::quirks::{Quirk, Quirks};
use model::{AssistantContent, ModelMessage, ModelRequest, UserContent};
use serde_json::{Map, Value, json};

/// The smallest context that is asked for. Each size costs a reload of the model, so sizes are few.
const SMALLEST_CONTEXT: usize = 8_192;
/// The largest one; a model that cannot read so much is loaded with what it can.
const LARGEST_CONTEXT: usize = 131_072;
/// Room for the answer where its length is not limited.
const ANSWER_TOKENS: usize = 2_048;
/// How few bytes of text a token may have.
const BYTES_PER_TOKEN: usize = 3;
/// How long the model stays loaded after an answer: as long as a person may think.
const KEEP_ALIVE: &str = "10m";

/// The body, as text.
pub(super) fn body(request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    // A model that is held to a shape cannot call anything.
    let shape = output::sent(request, quirks).filter(|_| request.tools.is_empty());
    let messages = messages(request, output::instructions(request, shape));
    let mut size: usize = messages.iter().map(text_size).sum();
    put("model", json!(model));
    put("messages", Value::Array(messages));
    put("stream", json!(true));
    put("keep_alive", json!(KEEP_ALIVE));
    if !request.tools.is_empty() && !quirks.has(Quirk::NoTools) {
        let tool = |tool: &protocol::ToolSpec| {
            let description = tool.description.as_deref().unwrap_or_default();
            json!({ "type": "function", "function": { "name": tool.name, "description": description, "parameters": tool.schema() } })
        };
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        size += tools.iter().map(|tool| tool.to_string().len()).sum::<usize>();
        put("tools", Value::Array(tools));
    }
    if let Some(shape) = shape {
        put("format", shape.schema.clone());
    }
    put("options", options(request, size));
    Value::Object(body).to_string()
}

fn options(request: &ModelRequest, size: usize) -> Value {
    let sampling = &request.sampling;
    let answer = sampling.max_output_tokens.and_then(|limit| usize::try_from(limit).ok());
    let needed = size / BYTES_PER_TOKEN + answer.unwrap_or(ANSWER_TOKENS);
    let context = needed.next_power_of_two().clamp(SMALLEST_CONTEXT, LARGEST_CONTEXT);
    let mut options = Map::new();
    let mut put = |key: &str, value: Value| drop(options.insert(key.to_owned(), value));
    put("num_ctx", json!(context));
    if let Some(temperature) = sampling.temperature {
        put("temperature", json!(temperature));
    }
    if let Some(top_p) = sampling.top_p {
        put("top_p", json!(top_p));
    }
    if let Some(limit) = sampling.max_output_tokens {
        put("num_predict", json!(limit));
    }
    if let Some(seed) = sampling.seed {
        put("seed", json!(seed));
    }
    Value::Object(options)
}

fn messages(request: &ModelRequest, system: Option<String>) -> Vec<Value> {
    let system = system.into_iter().map(|text| json!({ "role": "system", "content": text }));
    let said = request.messages.iter().flat_map(|message| match message {
        ModelMessage::User(content) => vec![user(content)],
        ModelMessage::Assistant(content) => assistant(content).into_iter().collect(),
        ModelMessage::Tool(results) => {
            let result = |result: &model::ToolResultContent| {
                json!({ "role": "tool", "tool_name": result.name, "content": result.output.to_text() })
            };
            results.iter().map(result).collect()
        }
    });
    system.chain(said).collect()
}

/// Pictures stand beside the text; other files are told or named in it.
fn user(content: &[UserContent]) -> Value {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for piece in content {
        match piece {
            UserContent::Text(text) => texts.push(text.clone()),
            UserContent::File { media_type, url, filename } => {
                let name = filename.as_deref().unwrap_or("file");
                match Data::read(url).filter(|_| media_type.starts_with("image/")) {
                    Some(data) => images.push(json!(data.base64())),
                    None => texts
                        .push(told(media_type, url, name).unwrap_or_else(|| named(media_type, url, name))),
                }
            }
        }
    }
    let text = texts.join("\n\n");
    if images.is_empty() {
        return json!({ "role": "user", "content": text });
    }
    json!({ "role": "user", "content": text, "images": images })
}

/// None for a message that says nothing. Reasoning goes back with the calls that came of it.
fn assistant(content: &[AssistantContent]) -> Option<Value> {
    let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for piece in content {
        match piece {
            AssistantContent::Text(text) => texts.push(text.as_str()),
            AssistantContent::Reasoning { text, .. } => thoughts.push(text.as_str()),
            AssistantContent::ToolCall { name, input, .. } => {
                calls.push(json!({ "function": { "name": name, "arguments": input } }));
            }
        }
    }
    let text = texts.join("\n\n");
    match (text.is_empty(), calls.is_empty()) {
        (true, true) => None,
        (false, true) => Some(json!({ "role": "assistant", "content": text })),
        (_, false) => Some(json!({ "role": "assistant", "content": text, "thinking": thoughts.join("\n\n"),
            "tool_calls": calls })),
    }
}

/// Bytes of what is read as text; pictures are counted by the model in its own way.
fn text_size(message: &Value) -> usize {
    let of = |key: &str| {
        message.get(key).map_or(0, |value| value.as_str().map_or_else(|| value.to_string().len(), str::len))
    };
    of("content") + of("thinking") + of("tool_calls")
}
