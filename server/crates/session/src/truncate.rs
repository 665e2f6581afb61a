//! Shortening what a model reads of old messages: their shape stays, long texts and results are cut, and every cut says
//! how long the original was. Nothing stored changes. Lengths are UTF-16 units; cuts fall between characters.

use protocol::{Message, Part, ToolPart};
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Results nested deeper than this become a note.
const DEPTH_MAX: usize = 8;
/// What at least each of several values in a list or object may take.
const CHILD_MIN: usize = 80;
/// Values beyond this many share no further: most will be left out.
const CHILDREN_SHARING: usize = 10;
/// What at least stays of a text in an object, its mark included.
const TEXT_MIN: usize = 40;
const NOTE: &str = "The result was too long and is left out here. Call the tool again if you need it.";

/// How much of old messages is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// Messages at the end that stay whole.
    pub keep_recent: usize,
    /// Longest result of a tool.
    pub tool_output: usize,
    /// Longest text.
    pub text: usize,
}

impl Default for Truncation {
    fn default() -> Self {
        Self { keep_recent: 4, tool_output: 500, text: 10_000 }
    }
}

/// Shortens the texts and tool results of all but the last messages. Summaries stay whole: they are short already, and
/// nothing else speaks for what they cover.
pub fn truncate_older_messages(mut messages: Vec<Message>, limits: Truncation) -> Vec<Message> {
    let old = messages.len().saturating_sub(limits.keep_recent);
    let said = messages.iter_mut().take(old).filter(|message| !message.id.is_overlay());
    for part in said.flat_map(|message| &mut message.parts) {
        truncate_part(part, limits);
    }
    messages
}

/// Shortens the tool results of all but the last `keep_steps` steps of one message, for a turn that has outgrown its
/// prompt while it runs: no summary can stand for half a message. Calls keep their results, however short.
pub fn truncate_older_steps(message: &mut Message, keep_steps: usize, tool_output: usize) {
    let steps = message.parts.split(|part| matches!(part, Part::StepStart)).count();
    let old = steps.saturating_sub(keep_steps);
    let older = message.parts.split_mut(|part| matches!(part, Part::StepStart)).take(old);
    for tool in older.flatten().filter_map(Part::as_tool_mut) {
        truncate_output(tool, tool_output);
    }
}

fn truncate_output(tool: &mut ToolPart, max: usize) {
    if let Some(output) = &mut tool.call.output {
        *output = truncate_tool_output(output, max);
    }
}

fn truncate_part(part: &mut Part, limits: Truncation) {
    match part {
        Part::Text(part) => {
            let length = length(&part.text);
            if length > limits.text {
                part.text = format!("{}{}", head(&part.text, limits.text), cut_mark(length));
            }
        }
        Part::Tool(tool) => truncate_output(tool, limits.tool_output),
        Part::Reasoning(_)
        | Part::File(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Unknown(_) => {}
    }
}

/// A tool's result of at most `max` units, as text or as compact JSON. A list stays a list with its first items, an
/// object stays an object with its keys; only where that cannot fit does a marker stand in it.
pub fn truncate_tool_output(output: &Value, max: usize) -> Value {
    truncate(output, max, 0)
}

fn truncate(value: &Value, max: usize, depth: usize) -> Value {
    let length = size(value);
    match value {
        _ if length <= max => value.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(cut(text, max)),
        Value::Array(_) | Value::Object(_) if depth >= DEPTH_MAX => {
            Value::String(format!("[truncated {length} chars]"))
        }
        Value::Array(items) => truncate_items(items, Long { length, max, depth }),
        Value::Object(fields) => truncate_fields(fields, Long { length, max, depth }),
    }
}

/// A list or object that is too long.
#[derive(Clone, Copy)]
struct Long {
    length: usize,
    max: usize,
    depth: usize,
}

impl Long {
    /// What each of `children` may take.
    fn share(self, children: usize) -> usize {
        if children <= 1 { self.max } else { CHILD_MIN.max(self.max / children.min(CHILDREN_SHARING)) }
    }

    /// Stands for a list or object of which nothing fits.
    fn marker(self, room: usize) -> Value {
        let short = json!({"__truncated": true, "__truncatedChars": self.length});
        let mut long = short.clone();
        if let Some(fields) = long.as_object_mut() {
            let _new = fields.insert("note".to_owned(), NOTE.into());
        }
        if size(&long) <= room { long } else { short }
    }
}

/// The first items that fit, and how many are missing.
fn truncate_items(items: &[Value], long: Long) -> Value {
    let share = long.share(items.len());
    let note =
        |missing: usize| format!("... [truncated {missing} of {} items, {} chars]", items.len(), long.length);
    let mut kept: Vec<(Value, usize)> = Vec::new();
    let mut used = 2;
    for item in items {
        let item = truncate(item, share, long.depth + 1);
        used += size_in_json(&item) + 1;
        kept.push((item, used));
        if used > long.max + 1 {
            break;
        }
    }
    if kept.len() < items.len() || used > long.max + 1 {
        let room = long.max.saturating_sub(note(items.len()).len() + 2);
        kept.retain(|(_, used)| *used <= room);
        if kept.is_empty() {
            return Value::Array(vec![long.marker(long.max.saturating_sub(2))]);
        }
        let missing = items.len() - kept.len();
        kept.push((note(missing).into(), used));
    }
    kept.into_iter().map(|(item, _)| item).collect()
}

/// All keys with shortened values; where that is still too long, the longest texts give way first.
fn truncate_fields(fields: &Map<String, Value>, long: Long) -> Value {
    let share = long.share(fields.len());
    let short = |(name, value): (&String, &Value)| (name.clone(), truncate(value, share, long.depth + 1));
    let mut kept: Map<String, Value> = fields.iter().map(short).collect();
    let mut left = 2 + kept.iter().map(|(name, value)| field_size(name, value)).sum::<usize>();
    let mut texts: Vec<(usize, &String, &String)> = Vec::new();
    for (name, value) in fields {
        if let (Value::String(original), Some(shown)) = (value, kept.get(name)) {
            texts.push((size(shown), name, original));
        }
    }
    texts.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
    for (length, name, original) in texts {
        let excess = left.saturating_sub(long.max + 1);
        if excess == 0 || length <= TEXT_MIN {
            break;
        }
        if let Some(value) = kept.get_mut(name) {
            left -= field_size(name, value);
            *value = cut(original, TEXT_MIN.max(length.saturating_sub(excess))).into();
            left += field_size(name, value);
        }
    }
    if left <= long.max + 1 { Value::Object(kept) } else { long.marker(long.max) }
}

/// A field in an object, with its comma.
fn field_size(name: &str, value: &Value) -> usize {
    size_in_json(&Value::from(name)) + size_in_json(value) + 2
}

/// A text itself, anything else as compact JSON.
fn size(value: &Value) -> usize {
    if let Value::String(text) = value { length(text) } else { size_in_json(value) }
}

fn size_in_json(value: &Value) -> usize {
    length(&value.to_string())
}

/// A text of at most `max` units that says how long it was.
fn cut(text: &str, max: usize) -> String {
    let length = length(text);
    if length <= max {
        return text.to_owned();
    }
    let mark = cut_mark(length);
    match max.checked_sub(mark.len()).filter(|room| *room > 0) {
        Some(room) => format!("{}{mark}", head(text, room)),
        None => head(&mark, max).to_owned(),
    }
}

fn cut_mark(length: usize) -> String {
    format!("... [truncated {length} chars]")
}

/// UTF-16 units of a text.
pub(crate) fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The longest beginning of a text that has at most `max` units and splits no character.
pub(crate) fn head(text: &str, max: usize) -> &str {
    let mut left = max;
    let end = text.char_indices().find(|(_, c)| match left.checked_sub(c.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    end.map_or(text, |(end, _)| text.split_at(end).0)
}
