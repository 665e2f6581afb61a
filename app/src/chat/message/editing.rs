//! A message that may be edited in its place.

use crate::browser;
use crate::chat::composer::COMPOSER_ID;
use crate::chat::editor_state::{EditIntent, new_words};
use crate::chat::signals::Chat;
use crate::chat::transcript::{Head, Pin, RowKey};
use crate::client::Client;
use crate::client::messages::EDIT_BUTTON;
use crate::routes;
use leptos::prelude::*;
use protocol::Part;

/// What an editor needs to know of its message. Cloning is cheap.
#[derive(Clone)]
pub struct Editing {
    /// The session.
    pub chat: Chat,
    /// The row.
    pub key: RowKey,
    /// Its head.
    pub head: Signal<Head>,
    /// The words with which the editor opened; none while it is closed.
    pub words: RwSignal<Option<String>>,
}

impl Editing {
    /// What was said, as it was written.
    pub fn source(&self) -> String {
        self.chat.read(|transcript| source_of(transcript.parts(&self.key)))
    }

    /// Makes a chat of its own of all up to this message, and goes there.
    pub fn fork(&self, client: Client, go: Callback<String>) {
        let id = self.head.with_untracked(|head| head.id.clone());
        client.fork(&self.chat, &id, move |session| go.run(routes::session("", &session)));
    }

    /// Keeps it out of summaries, or lets it loose.
    pub fn toggle_pin(&self, client: Client) {
        let (id, pin) = self.head.with_untracked(|head| (head.id.clone(), head.pin));
        let pin = if pin == Pin::Pinned { Pin::Loose } else { Pin::Pinned };
        client.pin(&self.chat, &self.key, &id, pin);
    }

    /// Opens the editor with what was said.
    pub fn open(&self) {
        self.words.set(Some(self.source()));
    }

    /// Closes the editor and does what is wanted with the words in it. The focus, which was in the editor, goes back to
    /// the button that opened it, or to where the next message is written.
    pub fn finish(&self, client: Client, intent: EditIntent, typed: &str) {
        self.words.set(None);
        let id = self.head.with_untracked(|head| head.id.clone());
        match intent {
            EditIntent::Cancel => browser::focus_soon(id.as_str(), EDIT_BUTTON),
            EditIntent::Save => match new_words(typed, &self.source()) {
                Some(text) => client.reword(&self.chat, &id, &text),
                None => browser::focus_soon(id.as_str(), EDIT_BUTTON),
            },
            EditIntent::Rerun => {
                browser::focus(COMPOSER_ID);
                if let Some(text) = crate::chat::composer_state::message_of(typed) {
                    client.revise(&self.chat, &self.key, text);
                }
            }
        }
    }
}

fn source_of(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n\n")
}
