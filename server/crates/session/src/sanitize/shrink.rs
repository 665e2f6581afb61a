//! Making a model's message fit the store, whatever is in it: the longest texts are cut first, then whole parts give
//! way to a note, so that its beginning, its shape and its turn's ending survive.

use protocol::{Message, TURN_KEY};
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Texts shorter than this are not worth cutting.
const TEXT_WORTH_CUTTING: usize = 2_000;
/// What at least stays of a text that is cut.
const TEXT_KEPT: usize = 500;
/// Room for the note where something was cut.
const NOTE_ROOM: usize = 200;
/// Fields that name something, and addresses that are worth nothing when cut.
const WHOLE_FIELDS: [&str; 8] =
    ["type", "state", "id", "toolCallId", "toolName", "mediaType", "sourceId", "url"];

/// What a message must fit into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// As compact JSON.
    pub(crate) bytes: usize,
    /// Levels of objects and lists.
    pub(crate) levels: usize,
}

/// The message as JSON that fits.
pub(crate) fn shrink(message: &Message, room: Room) -> String {
    let mut value = serde_json::to_value(message).unwrap_or_else(|_| json!({}));
    fold(&mut value, room.levels);
    let mut excess = Excess::of(&value, room);
    while excess.is_left() && cut_longest(&mut value, &mut excess) {}
    if excess.is_left() {
        drop_extras(&mut value);
        excess = Excess::of(&value, room);
    }
    if let Some(parts) = value.get_mut("parts").and_then(Value::as_array_mut) {
        replace_parts(parts, &mut excess);
        shorten_list(parts, &mut excess);
    }
    let json = value.to_string();
    if json.len() <= room.bytes {
        return json;
    }
    let note = excess.note(&format!("{} bytes", json.len()));
    json!({"id": message.id, "role": message.role, "parts": [note]}).to_string()
}

/// How much is too much.
struct Excess {
    bytes: usize,
    room: usize,
}

impl Excess {
    fn of(value: &Value, room: Room) -> Self {
        Self { bytes: size(value).saturating_sub(room.bytes), room: room.bytes }
    }

    fn is_left(&self) -> bool {
        self.bytes > 0
    }

    fn saved(&mut self, before: usize, after: usize) {
        self.bytes = (self.bytes + after).saturating_sub(before);
    }

    fn sentence(&self, what: &str) -> String {
        format!("[{what} left out here: a stored message has at most {} bytes]", self.room)
    }

    /// A part that stands for what is gone.
    fn note(&self, what: &str) -> Value {
        let text = Value::String(self.sentence(what));
        Value::Object(Map::from_iter([("type".to_owned(), Value::from("text")), ("text".to_owned(), text)]))
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

/// Turns what lies deeper than `levels` into its text.
fn fold(value: &mut Value, levels: usize) {
    let is_nested = value.is_array() || value.is_object();
    if levels == 0 && is_nested {
        *value = Value::String(value.to_string());
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| fold(item, levels - 1)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fold(field, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Cuts the longest text; false where none is worth it.
fn cut_longest(value: &mut Value, excess: &mut Excess) -> bool {
    let length = longest(value);
    let Some(text) = find_text(value, length).filter(|_| length >= TEXT_WORTH_CUTTING) else { return false };
    let before = size(&Value::from(text.as_str()));
    let kept = prefix(text, before.saturating_sub(excess.bytes + NOTE_ROOM));
    text.truncate(kept.max(text.floor_char_boundary(TEXT_KEPT)));
    let note = excess.sentence(&format!("{} bytes", length - text.len()));
    text.push('\n');
    text.push_str(&note);
    excess.saved(before, size(&Value::from(text.as_str())));
    true
}

/// How much of a text takes at most `budget` bytes as JSON.
fn prefix(text: &str, budget: usize) -> usize {
    let mut left = budget;
    let is_over = |c: char| {
        let bytes = match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            c => c.len_utf8(),
        };
        let is_over = left < bytes;
        left = left.saturating_sub(bytes);
        is_over
    };
    text.find(is_over).unwrap_or(text.len())
}

/// The length of the longest text that may be cut.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Object(fields) => {
            let open = fields.iter().filter(|(name, _)| !WHOLE_FIELDS.contains(&name.as_str()));
            open.map(|(_, field)| longest(field)).max().unwrap_or(0)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The first text of this length that may be cut.
fn find_text(value: &mut Value, length: usize) -> Option<&mut String> {
    match value {
        Value::String(text) => (text.len() == length).then_some(text),
        Value::Array(items) => items.iter_mut().find_map(|item| find_text(item, length)),
        Value::Object(fields) => {
            let mut open = fields.iter_mut().filter(|(name, _)| !WHOLE_FIELDS.contains(&name.as_str()));
            open.find_map(|(_, field)| find_text(field, length))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Keeps of the message's own fields what it cannot be read without, and how its turn went.
fn drop_extras(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else { return };
    fields.retain(|name, _| ["id", "role", "parts", "metadata"].contains(&name.as_str()));
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| name == TURN_KEY);
    }
}

/// Puts notes in the place of the largest parts.
fn replace_parts(parts: &mut [Value], excess: &mut Excess) {
    if !excess.is_left() {
        return;
    }
    let mut by_size: Vec<(usize, &mut Value)> = parts.iter_mut().map(|part| (size(part), part)).collect();
    by_size.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    for (before, part) in by_size {
        if !excess.is_left() || before <= NOTE_ROOM {
            return;
        }
        *part = excess.note(&format!("a part of {before} bytes"));
        excess.saved(before, size(part));
    }
}

/// Drops parts at the end, which are all small by now.
fn shorten_list(parts: &mut Vec<Value>, excess: &mut Excess) {
    if !excess.is_left() {
        return;
    }
    let mut dropped = 0_usize;
    excess.bytes += NOTE_ROOM;
    while let Some(part) = parts.pop_if(|_| excess.is_left()) {
        excess.saved(size(&part) + 1, 0);
        dropped += 1;
    }
    parts.push(excess.note(&format!("{dropped} parts")));
}
