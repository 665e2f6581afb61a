//! `conversations.json` of a Claude export: a list of messages, which may name the one they answer.

use super::time::iso;
use super::{Said, Told, role, said, text};
use serde_json::Value;

/// What the first messages of a conversation name as their parent.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

pub(super) fn conversation(value: &Value) -> Result<Value, &'static str> {
    let list = value.get("chat_messages").and_then(Value::as_array).ok_or("it has no list of messages")?;
    let mut all: Vec<Said> = Vec::with_capacity(list.len());
    for (number, message) in list.iter().enumerate() {
        let above = all.last().map(|above| above.id.clone());
        all.push(message_said(number, message, above));
    }
    let told = Told {
        id: text(value, "uuid"),
        name: text(value, "name").unwrap_or_default(),
        source: "claude",
        created_at: iso(value.get("created_at")),
        updated_at: iso(value.get("updated_at")),
        leaf: text(value, "current_leaf_message_uuid"),
        archived: false,
        said: all,
    };
    Ok(told.session())
}

/// Where a message does not say what it answers, it answers the one before it.
fn message_said(number: usize, message: &Value, above: Option<String>) -> Said {
    let parent = text(message, "parent_message_uuid");
    let parent = if parent.is_some() { parent.filter(|parent| parent != ROOT) } else { above };
    Said {
        id: text(message, "uuid").unwrap_or_else(|| format!("message-{number}")),
        parent,
        role: role(message.get("sender").and_then(Value::as_str).unwrap_or_default()),
        created_at: iso(message.get("created_at")),
        model: None,
        texts: texts(message),
    }
}

fn texts(message: &Value) -> Vec<String> {
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
    let mut texts: Vec<String> = parts.filter_map(|part| said(part.get("text")?.as_str())).collect();
    if texts.is_empty() {
        texts.extend(said(message.get("text").and_then(Value::as_str)));
    }
    for field in ["attachments", "files"] {
        for file in message.get(field).and_then(Value::as_array).into_iter().flatten() {
            let name = text(file, "file_name").unwrap_or_else(|| "file".to_owned());
            texts.push(match said(file.get("extracted_content").and_then(Value::as_str)) {
                Some(content) => format!("[attachment: {name}]\n\n{content}"),
                None => format!("[attachment: {name}]"),
            });
        }
    }
    texts
}
