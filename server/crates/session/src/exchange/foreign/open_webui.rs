//! A chat export of Open WebUI: a map of messages with parents inside of each chat.

use super::time::seconds;
use super::{Said, Told, role, said, text};
use serde_json::Value;

pub(super) fn conversation(value: &Value) -> Result<Value, &'static str> {
    let chat = value.get("chat").ok_or("it holds no chat")?;
    let messages = chat.pointer("/history/messages").and_then(Value::as_object);
    let messages = messages.ok_or("it has no map of messages")?;
    let told = Told {
        id: text(value, "id"),
        name: text(value, "title").or_else(|| text(chat, "title")).unwrap_or_default(),
        source: "open-webui",
        created_at: seconds(value.get("created_at")),
        updated_at: seconds(value.get("updated_at")),
        leaf: chat.pointer("/history/currentId").and_then(Value::as_str).map(str::to_owned),
        archived: value.get("archived").and_then(Value::as_bool).unwrap_or_default(),
        said: messages.iter().map(|(id, message)| message_said(id, message)).collect(),
    };
    Ok(told.session())
}

fn message_said(id: &str, message: &Value) -> Said {
    let mut texts: Vec<String> = said(message.get("content").and_then(Value::as_str)).into_iter().collect();
    for file in message.get("files").and_then(Value::as_array).into_iter().flatten() {
        let name = text(file, "name").unwrap_or_else(|| "file".to_owned());
        texts.push(format!("[attachment: {name}]"));
    }
    let speaker = message.get("role").and_then(Value::as_str).unwrap_or_default();
    if speaker != "user" && speaker != "assistant" {
        texts.clear();
    }
    Said {
        id: id.to_owned(),
        parent: text(message, "parentId"),
        role: role(speaker),
        created_at: seconds(message.get("timestamp")),
        model: text(message, "model"),
        texts,
    }
}
