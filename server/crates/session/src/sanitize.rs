//! What a model's message loses before it is stored: marks that only its provider understands and that would be refused
//! later, empty reasoning, and, where the message is too large for a row, as much as must go.

use crate::intake::nesting;
use crate::sanitize::shrink::shrink;
use crate::truncate::{head, length, truncate_tool_output};
use protocol::{Extra, Message, Part, Role, ToolState};
use serde_json::Value;

pub(crate) mod shrink;
#[cfg(test)]
mod tests;

pub(crate) use shrink::Room;

/// Marks of one provider for its own store, which is gone when the message is sent again.
const PROVIDER: &str = "openai";
const STALE: [&str; 2] = ["itemId", "reasoningEncryptedContent"];
/// Fields that hold such marks.
const METADATA_FIELDS: [&str; 2] = ["providerMetadata", "callProviderMetadata"];

/// Longest result of a tool, and longest text, in a message that is too large.
const KEPT_WHOLE: usize = 1_000;
/// What stays of a longer text.
const TEXT_KEPT: usize = 500;
/// Metadata that names the calls whose results were shortened.
const CUT_OUTPUTS: &str = "compactedToolOutputs";
/// Metadata that names the parts, by position, whose texts were shortened.
const CUT_TEXTS: &str = "compactedTextParts";
/// Room for that metadata.
const NOTE_ROOM: usize = 200;

/// The message without stale marks and empty reasoning.
pub fn sanitize(mut message: Message) -> Message {
    message.parts.iter_mut().for_each(remove_stale);
    message.parts.retain(|part| !is_empty_reasoning(part));
    message
}

fn remove_stale(part: &mut Part) {
    let (metadata, extra) = match part {
        Part::Text(part) | Part::Reasoning(part) => (Some(&mut part.provider_metadata), &mut part.extra),
        Part::File(part) => (Some(&mut part.provider_metadata), &mut part.extra),
        Part::SourceUrl(part) => (Some(&mut part.provider_metadata), &mut part.extra),
        Part::SourceDocument(part) => (Some(&mut part.provider_metadata), &mut part.extra),
        Part::Tool(tool) => (Some(&mut tool.call.call_provider_metadata), &mut tool.call.extra),
        Part::Data(part) => (None, &mut part.extra),
        Part::Unknown(Value::Object(fields)) => (None, fields),
        Part::StepStart | Part::Unknown(_) => return,
    };
    if let Some(metadata) = metadata
        && metadata.as_mut().is_some_and(empties)
    {
        *metadata = None;
    }
    remove_stale_fields(extra);
}

fn remove_stale_fields(fields: &mut Extra) {
    for name in METADATA_FIELDS {
        if fields.get_mut(name).is_some_and(empties) {
            let _emptied = fields.shift_remove(name);
        }
    }
}

/// Takes the stale marks out of provider metadata; whether nothing else was in it.
fn empties(metadata: &mut Value) -> bool {
    let Some(providers) = metadata.as_object_mut() else { return false };
    let Some(marks) = providers.get_mut(PROVIDER).and_then(Value::as_object_mut) else { return false };
    let before = marks.len();
    marks.retain(|name, _| !STALE.contains(&name.as_str()));
    if marks.len() < before && marks.is_empty() {
        let _marks = providers.shift_remove(PROVIDER);
        return providers.is_empty();
    }
    false
}

fn is_empty_reasoning(part: &Part) -> bool {
    let Part::Reasoning(part) = part else { return false };
    let has_metadata = match &part.provider_metadata {
        None | Some(Value::Null) => false,
        Some(Value::Object(providers)) => !providers.is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => true,
    };
    part.text.trim().is_empty() && !has_metadata
}

/// The message as JSON that fits a row, whatever is in it. A model's results of tools are shortened first, since the tool
/// can be called again; then texts, oldest first; in the end whatever is longest.
pub(crate) fn fit(message: &Message, room: Room) -> String {
    let json = json(message);
    if json.len() <= room.bytes && nesting(&json) <= room.levels {
        return json;
    }
    let (mut message, mut excess) = (message.clone(), json.len().saturating_sub(room.bytes));
    if excess > 0 && message.role == Role::Assistant {
        shorten_outputs(&mut message);
        excess = self::json(&message).len().saturating_sub(room.bytes);
    }
    if excess > 0 {
        shorten_texts(&mut message, excess);
    }
    let json = self::json(&message);
    if json.len() <= room.bytes && nesting(&json) <= room.levels { json } else { shrink(&message, room) }
}

fn json(message: &Message) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

fn shorten_outputs(message: &mut Message) {
    let mut cut: Vec<Value> = Vec::new();
    for call in message.parts.iter_mut().filter_map(Part::as_tool_mut).map(|tool| &mut tool.call) {
        let Some(output) = call.output.as_mut().filter(|_| call.state == ToolState::OutputAvailable) else {
            continue;
        };
        let short = truncate_tool_output(output, KEPT_WHOLE);
        if short != *output {
            *output = short;
            cut.push(call.tool_call_id.as_str().into());
        }
    }
    note(message, CUT_OUTPUTS, cut);
}

fn shorten_texts(message: &mut Message, excess: usize) {
    let (mut cut, mut saved) = (Vec::new(), 0_usize);
    for (number, part) in message.parts.iter_mut().enumerate() {
        let Part::Text(part) = part else { continue };
        let length = length(&part.text);
        if saved >= excess.saturating_add(NOTE_ROOM) || length <= KEPT_WHOLE {
            continue;
        }
        let kept = head(&part.text, TEXT_KEPT);
        let short =
            format!("[Text truncated for storage ({length} chars). First {TEXT_KEPT} chars: {kept}...]");
        saved += part.text.len().saturating_sub(short.len());
        part.text = short;
        cut.push(number.into());
    }
    note(message, CUT_TEXTS, cut);
}

/// Says in the metadata what was cut.
fn note(message: &mut Message, name: &str, cut: Vec<Value>) {
    if !cut.is_empty() {
        let _old = message.metadata.get_or_insert_default().insert(name.to_owned(), cut.into());
    }
}
