//! `conversations.json` of a ChatGPT export: a map of nodes with parents, of which some hold no message.

use super::time::seconds;
use super::{Said, Told, role, said, text};
use serde_json::Value;

pub(super) fn conversation(value: &Value) -> Result<Value, &'static str> {
    let nodes = value.get("mapping").and_then(Value::as_object).ok_or("it has no map of messages")?;
    let told = Told {
        id: text(value, "conversation_id").or_else(|| text(value, "id")),
        name: text(value, "title").unwrap_or_default(),
        source: "chatgpt",
        created_at: seconds(value.get("create_time")),
        updated_at: seconds(value.get("update_time")),
        leaf: text(value, "current_node"),
        archived: value.get("is_archived").and_then(Value::as_bool).unwrap_or_default(),
        said: nodes.iter().map(|(id, node)| node_said(id, node)).collect(),
    };
    Ok(told.session())
}

fn node_said(id: &str, node: &Value) -> Said {
    let mut node_said = Said { id: id.to_owned(), parent: text(node, "parent"), ..Said::default() };
    let Some(message) = node.get("message").filter(|message| message.is_object()) else { return node_said };
    let author = message.pointer("/author/role").and_then(Value::as_str).unwrap_or_default();
    node_said.role = role(author);
    node_said.created_at = seconds(message.get("create_time"));
    node_said.model = message.pointer("/metadata/model_slug").and_then(Value::as_str).map(str::to_owned);
    if author == "user" || author == "assistant" {
        node_said.texts = texts(message.get("content").unwrap_or(&Value::Null));
    }
    node_said
}

/// What a person or the model wrote. Pictures and other files are not in this file, so their places are marked.
fn texts(content: &Value) -> Vec<String> {
    let kind = content.get("content_type").and_then(Value::as_str).unwrap_or("text");
    match kind {
        "text" | "multimodal_text" => {
            let parts = content.get("parts").and_then(Value::as_array).into_iter().flatten();
            parts.filter_map(part).collect()
        }
        "code" => said(content.get("text").and_then(Value::as_str)).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Option<String> {
    match part {
        Value::String(text) => said(Some(text)),
        Value::Object(fields) => {
            let spoken = fields.get("text").and_then(Value::as_str);
            said(spoken).or_else(|| fields.get("asset_pointer").map(|_file| "[attachment]".to_owned()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
