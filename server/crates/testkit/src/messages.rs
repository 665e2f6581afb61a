//! Messages in one line.

use protocol::{Message, Role};

/// A person's message with one text part.
pub fn user(id: &str, text: &str) -> Message {
    Message::text(id, Role::User, text)
}

/// A model's message with one text part.
pub fn assistant(id: &str, text: &str) -> Message {
    Message::text(id, Role::Assistant, text)
}
