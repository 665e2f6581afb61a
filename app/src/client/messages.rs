//! What a person does with one message. The server tells every tab what came of it, so nothing is shown here before
//! that but a pin, which is taken back if it is refused.

use super::Client;
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::chat::compare::Compared;
use crate::chat::signals::Chat;
use crate::chat::transcript::{Head, Pin, RowKey, Versions};
use crate::routes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ClientFrame, Message, MessageId, SessionId, SessionInfo, ToolVerdict, Transcript};
use serde_json::{Value, json};

/// The button of a row that opens its editor.
pub const EDIT_BUTTON: &str = ".edit-button";

/// What goes with a message that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    Message,
    /// All that follows it.
    Subtree,
}

impl Client {
    /// Goes to another version of a message, and to what was last seen below it. The focus goes there too: the row in
    /// which it stood is gone.
    pub fn show_version(self, chat: &Chat, version: MessageId) {
        let path = format!("{}/active", session_path(chat.session()));
        let answer = Ask::put(path, json!({ "id": version })).send(self);
        spawn_local(async move {
            match answer.await {
                Ok(_) => browser::focus_soon(version.as_str(), ".versions .icon-button:not(:disabled)"),
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Moves a message to the trash, with a way back.
    pub fn delete_message(self, chat: &Chat, message: &MessageId, reach: Reach) {
        let path = message_path(chat, message);
        let (query, note) = match reach {
            Reach::Message => ("", "Message deleted"),
            Reach::Subtree => ("?subtree=true", "Message deleted, with all that follows"),
        };
        let answer = Ask::delete(format!("{path}{query}")).send(self);
        let restore = move || self.ask(Ask::post(format!("{path}/restore"), json!({})));
        let (chat, message) = (chat.clone(), message.clone());
        spawn_local(async move {
            match answer.await {
                Ok(_) => {
                    chat.act(|transcript| transcript.forget(&message));
                    self.toasts.offer(note, "Undo", restore);
                }
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Removes a message that was taken out of the queue.
    pub fn discard(self, chat: &Chat, message: &MessageId) {
        self.ask(Ask::delete(message_path(chat, message)));
    }

    /// Goes to the version before or after, if there is one.
    pub fn step_version(self, chat: &Chat, head: Signal<Head>, side: fn(Versions) -> Option<MessageId>) {
        if let Some(version) = head.with_untracked(|head| head.versions.clone()).and_then(side) {
            self.show_version(chat, version);
        }
    }

    /// Keeps a message in other words, as a version of its own, and asks nobody for an answer. The focus goes there.
    pub fn reword(self, chat: &Chat, message: &MessageId, text: &str) {
        let parts = json!({ "parts": [{ "type": "text", "text": text }] });
        let answer = Ask::patch(message_path(chat, message), parts).send(self);
        spawn_local(async move {
            match answer.await.map(|text| told::read::<Value>(&text).unwrap_or_default()) {
                Ok(told) => {
                    let version = told.pointer("/message/id").and_then(Value::as_str);
                    version.into_iter().for_each(|id| browser::focus_soon(id, EDIT_BUTTON));
                }
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Says a message in other words and asks for an answer.
    pub fn revise(self, chat: &Chat, row: &RowKey, text: String) {
        let frame = chat.act(|transcript| transcript.revise(row, text, super::chats::new_request()));
        self.say_if(chat, frame);
    }

    /// Lets several models answer the same question, one after another, and shows what comes side by side.
    pub fn try_models(self, chat: &Chat, row: &RowKey, models: Vec<String>) {
        let known = chat.row(row).map(|row| row.head.with_untracked(|head| head.id.clone()));
        let tries = models.into_iter().map(|model| (Some(model), super::chats::new_request())).collect();
        for frame in chat.act(|transcript| transcript.retry_each(row, tries)) {
            self.say(chat.session(), frame);
        }
        chat.compared().set(known.map(Compared::Versions));
    }

    /// One message of whatever branch, as it is stored now; none where it is not there.
    pub async fn stored_message(self, chat: &Chat, id: &MessageId) -> Option<Message> {
        let leaf = routes::encode(id.as_str());
        let path = format!("{}/messages?raw=true&limit=1&leaf={leaf}", session_path(chat.session()));
        let text = Ask::get(path).send(self).await.ok()?;
        told::read::<Transcript>(&text)?.messages.pop().filter(|message| message.id == *id)
    }

    /// Keeps a message out of summaries, or lets it loose.
    pub fn pin(self, chat: &Chat, row: &RowKey, message: &MessageId, pin: Pin) {
        let (verb, back) = match pin {
            Pin::Pinned => ("pin", Pin::Loose),
            Pin::Loose => ("unpin", Pin::Pinned),
        };
        chat.act(|transcript| transcript.pin(row, pin));
        let answer = Ask::post(format!("{}/{verb}", message_path(chat, message)), json!({})).send(self);
        let (chat, row) = (chat.clone(), row.clone());
        spawn_local(async move {
            if let Err(refusal) = answer.await {
                chat.act(|transcript| transcript.pin(&row, back));
                self.toasts.fail(&refusal.error.message);
            }
        });
    }

    /// Makes a session of its own of all up to a message, and goes there.
    pub fn fork(self, chat: &Chat, message: &MessageId, go: impl Fn(SessionId) + 'static) {
        let path = format!("{}/fork", session_path(chat.session()));
        let answer = Ask::post(path, json!({ "at": message })).send(self);
        spawn_local(async move {
            match answer.await.map(|text| told::read::<SessionInfo>(&text)) {
                Ok(Some(session)) => {
                    let id = session.id.clone();
                    self.sessions.update(|sessions| sessions.put(session));
                    go(id);
                }
                Ok(None) => self.toasts.fail(&crate::api::unreadable(200).message),
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Answers a tool that asks. The model goes on by itself once nothing else is asked.
    pub fn answer_tool(self, verdict: ToolVerdict) {
        let Some(chat) = self.current.get_value() else { return };
        self.say(chat.session(), ClientFrame::ToolApproval(verdict));
    }

    /// Puts away what a message waits for. The model does not go on because of it.
    pub fn dismiss(self, chat: &Chat, message: &MessageId) {
        self.ask(Ask::post(format!("{}/dismiss", message_path(chat, message)), json!({})));
    }

    /// Asks, and says what went wrong if anything did.
    pub(super) fn ask(self, ask: Ask) {
        let answer = ask.send(self);
        spawn_local(async move {
            if let Err(refusal) = answer.await {
                self.toasts.fail(&refusal.error.message);
            }
        });
    }
}

pub(super) fn session_path(session: &SessionId) -> String {
    format!("/sessions/{}", routes::segment(session))
}

fn message_path(chat: &Chat, message: &MessageId) -> String {
    format!("{}/messages/{}", session_path(chat.session()), routes::encode(message.as_str()))
}
