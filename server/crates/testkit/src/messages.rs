//! Messages in one line.

use protocol::{Message, Role};
use serde_json::{Value, json};

/// A person's message with one text part.
pub fn user(id: &str, text: &str) -> Message {
    Message::text(id, Role::User, text)
}

/// A model's message with one text part.
pub fn assistant(id: &str, text: &str) -> Message {
    Message::text(id, Role::Assistant, text)
}

/// A message with these parts, as they stand on the wire.
#[expect(clippy::expect_used, reason = "a test cannot go on without its message")]
pub fn message(id: &str, role: &str, parts: &Value) -> Message {
    serde_json::from_value(json!({ "id": id, "role": role, "parts": parts })).expect("a message")
}
