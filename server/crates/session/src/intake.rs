//! What may be stored at all: ids, names, sizes. Everything is checked here, before a transaction begins.

use crate::error::SessionError;
use crate::sanitize::{Room, fit, sanitize};
use crate::store::stored;
use crate::store::weights::Weight;
use crate::tokens::estimate_message;
use protocol::limits::{
    ID_MAX_BYTES, MESSAGE_MAX_BYTES, MESSAGE_MAX_NESTING, MESSAGE_MAX_PARTS, SESSION_NAME_MAX_CHARS,
};
use protocol::{Awaited, Message, MessageId, Role, SessionId};
use std::borrow::Cow;

const ROOM: Room = Room { bytes: MESSAGE_MAX_BYTES, levels: MESSAGE_MAX_NESTING };

/// A message that may be stored.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) id: &'a MessageId,
    pub(crate) role: &'a str,
    /// The whole message as compact JSON.
    pub(crate) json: String,
    /// The message, as it is stored.
    pub(crate) kept: Cow<'a, Message>,
    /// What is noted beside it.
    pub(crate) weight: Weight,
}

/// Checks a message and writes it down. A message of a model loses what must not be stored and always fits afterwards,
/// shortened if need be: what was shown must not be lost because of its size. Any other message is stored as it is, or
/// refused where it is too large.
pub(crate) fn entry(message: &Message) -> Result<Entry<'_>, SessionError> {
    if message.id.is_overlay() {
        return Err(SessionError::Overlay(message.id.clone()));
    }
    check_id(message.id.as_str())?;
    let is_of_model = message.role == Role::Assistant;
    let kept = if is_of_model { Cow::Owned(sanitize(message.clone())) } else { Cow::Borrowed(message) };
    let json = serde_json::to_string(kept.as_ref())
        .map_err(|e| SessionError::Unwritable { id: message.id.clone(), reason: e.to_string() })?;
    let (json, kept) = match oversize(&kept, &json) {
        None => (json, kept),
        Some(_) if is_of_model => shortened(kept),
        Some(refusal) => return Err(refusal),
    };
    debug_assert!(json.len() <= MESSAGE_MAX_BYTES && nesting(&json) <= MESSAGE_MAX_NESTING);
    let weight = Weight { tokens: stored(estimate_message(&kept)), waits: Awaited::by(&kept) };
    Ok(Entry { id: &message.id, role: message.role.as_str(), json, kept, weight })
}

fn shortened(message: Cow<'_, Message>) -> (String, Cow<'_, Message>) {
    let json = fit(&message, ROOM);
    let kept = serde_json::from_str(&json).map_or(message, Cow::Owned);
    (json, kept)
}

fn oversize(message: &Message, json: &str) -> Option<SessionError> {
    let (bytes, parts, levels) = (json.len(), message.parts.len(), nesting(json));
    if bytes > MESSAGE_MAX_BYTES {
        return Some(SessionError::TooLarge { bytes, max: MESSAGE_MAX_BYTES });
    }
    if levels > MESSAGE_MAX_NESTING {
        return Some(SessionError::TooDeep { levels, max: MESSAGE_MAX_NESTING });
    }
    let is_too_long = parts > MESSAGE_MAX_PARTS && message.role != Role::Assistant;
    is_too_long.then_some(SessionError::TooManyParts { parts, max: MESSAGE_MAX_PARTS })
}

/// How many levels of objects and lists a JSON text has.
pub(crate) fn nesting(json: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0_usize);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether a text can be the id of a message.
fn check_id(id: &str) -> Result<(), SessionError> {
    let reason = if id.is_empty() {
        "it is empty"
    } else if id.len() > ID_MAX_BYTES {
        "it is too long"
    } else if id.chars().any(char::is_control) {
        "it holds control characters"
    } else {
        return Ok(());
    };
    let id = id.chars().take(ID_MAX_BYTES).collect();
    Err(SessionError::InvalidId { id, reason })
}

/// Whether a text can be the id of a new session.
pub(crate) fn check_session_id(id: &SessionId) -> Result<(), SessionError> {
    if ["~", ".", ".."].contains(&id.as_str()) {
        let reason = "it means something else in an address";
        return Err(SessionError::InvalidId { id: id.to_string(), reason });
    }
    check_id(id.as_str())
}

/// A name as it is stored: one line, no blanks around it.
pub(crate) fn session_name(name: &str) -> Result<String, SessionError> {
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.trim();
    let chars = line.chars().count();
    if chars > SESSION_NAME_MAX_CHARS {
        return Err(SessionError::NameTooLong { chars, max: SESSION_NAME_MAX_CHARS });
    }
    Ok(line.to_owned())
}
