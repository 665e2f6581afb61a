//! Files that other products export, put into the shape of our own format. A conversation that is not as
//! expected becomes one with a problem; it stops no other.

mod chatgpt;
mod claude;
mod open_webui;
mod time;

use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Whose files are known.
pub(super) const UNKNOWN: &str = "it is neither one of Bough nor one of ChatGPT, Claude or Open WebUI";

/// Puts a conversation into the shape of our own format, or says why not.
pub(super) type Reader = fn(&Value) -> Result<Value, &'static str>;

/// Who reads a conversation, and the field that it is known by.
pub(super) const READERS: [(&str, Reader); 3] = [
    ("mapping", chatgpt::conversation),
    ("chat_messages", claude::conversation),
    ("chat", open_webui::conversation),
];

/// A conversation in the shape of our own format; one that is not as expected, as one with a problem.
pub(super) fn session(reader: Reader, conversation: &Value) -> Map<String, Value> {
    match reader(conversation).unwrap_or_else(|problem| failed(conversation, problem)) {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

fn failed(conversation: &Value, problem: &str) -> Value {
    let name = text(conversation, "title").or_else(|| text(conversation, "name")).unwrap_or_default();
    json!({"name": name, "problem": problem})
}

/// A message as another product has it.
#[derive(Debug, Default)]
struct Said {
    id: String,
    parent: Option<String>,
    role: &'static str,
    created_at: i64,
    model: Option<String>,
    /// Nothing in it leaves the message out; what hangs below it hangs below its parent then.
    texts: Vec<String>,
}

/// A conversation as another product has it.
#[derive(Debug, Default)]
struct Told {
    id: Option<String>,
    name: String,
    source: &'static str,
    created_at: i64,
    updated_at: i64,
    leaf: Option<String>,
    archived: bool,
    said: Vec<Said>,
}

impl Told {
    /// In the shape of our own format.
    fn session(mut self) -> Value {
        let (rows, kept) = self.rows();
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                let _new = fields.insert(name.to_owned(), value);
            }
        };
        put("id", self.id.take().map_or(Value::Null, Value::from));
        put("name", self.name.into());
        put("source", self.source.into());
        put("created_at", self.created_at.into());
        put("updated_at", self.updated_at.max(self.created_at).into());
        put("archived_at", if self.archived { self.updated_at.into() } else { Value::Null });
        let leaf = self.leaf.and_then(|leaf| kept.get(&leaf).cloned().flatten());
        put("active_leaf", leaf.map_or(Value::Null, Value::from));
        let left_out = self.said.len().saturating_sub(rows.len());
        let note = format!("{left_out} messages without a text, or of tools, were left out");
        put("note", if left_out > 0 { note.into() } else { Value::Null });
        let nothing = rows.is_empty().then_some("it holds no messages with a text");
        put("skipped", nothing.map_or(Value::Null, Value::from));
        put("messages", rows.into());
        Value::Object(fields)
    }

    /// The messages, parents first, and for each one that was named what stands for it.
    fn rows(&self) -> (Vec<Value>, HashMap<String, Option<String>>) {
        let known: HashSet<&str> = self.said.iter().map(|said| said.id.as_str()).collect();
        let mut below: HashMap<Option<&str>, Vec<&Said>> = HashMap::new();
        for said in &self.said {
            let parent = said.parent.as_deref().filter(|parent| known.contains(parent) && *parent != said.id);
            below.entry(parent).or_default().push(said);
        }
        let (mut rows, mut stands) = (Vec::new(), HashMap::new());
        let mut next: Vec<&Said> = below.remove(&None).unwrap_or_default();
        next.reverse();
        while let Some(said) = next.pop() {
            let above: Option<String> =
                said.parent.as_ref().and_then(|parent| stands.get(parent).cloned().flatten());
            let stand = if said.texts.is_empty() { above.clone() } else { Some(said.id.clone()) };
            let _new = stands.insert(said.id.clone(), stand);
            if !said.texts.is_empty() {
                rows.push(self.row(said, above.as_deref()));
            }
            next.extend(below.remove(&Some(said.id.as_str())).unwrap_or_default().into_iter().rev());
        }
        (rows, stands)
    }

    fn row(&self, said: &Said, parent: Option<&str>) -> Value {
        let parts: Vec<Value> = said.texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        let message = match &said.model {
            Some(model) => {
                json!({"id": said.id, "role": said.role, "metadata": {"importedModel": model}, "parts": parts})
            }
            None => json!({"id": said.id, "role": said.role, "parts": parts}),
        };
        let created_at = if said.created_at > 0 { said.created_at } else { self.created_at };
        json!({"id": said.id, "parent_id": parent, "created_at": created_at, "message": message})
    }
}

fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).map(str::to_owned)
}

/// A text that says anything.
fn said(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Who speaks, where that is a person or a model.
fn role(name: &str) -> &'static str {
    match name {
        "user" | "human" => "user",
        _ => "assistant",
    }
}
