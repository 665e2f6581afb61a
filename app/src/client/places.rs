//! Going to a message wherever it stands: further up the path, in a gap, or on another branch.

use super::Client;
use super::messages::session_path;
use crate::api::{Ask, unreadable};
use crate::backend::told;
use crate::chat::signals::Chat;
use crate::routes;
use leptos::task::spawn_local;
use protocol::{MessageId, ServerFrame, SessionTree, Transcript, WireError};
use serde_json::json;

impl Client {
    /// Brings a message here, on its branch. Whether it is here now; `Err` says why not.
    pub async fn reach(self, chat: &Chat, message: &MessageId) -> Result<(), WireError> {
        if chat.read(|transcript| transcript.has(message)) {
            return Ok(());
        }
        self.bring_around(chat, message).await?;
        if chat.read(|transcript| transcript.has(message)) {
            return Ok(());
        }
        let path = format!("{}/active", session_path(chat.session()));
        let text =
            Ask::put(path, json!({ "id": message })).send(self).await.map_err(|refusal| refusal.error)?;
        let moved: Transcript = told::read(&text).ok_or_else(|| unreadable(200))?;
        for reply in chat.act(|transcript| transcript.apply(ServerFrame::Messages(moved))) {
            self.say(chat.session(), reply);
        }
        if chat.read(|transcript| transcript.has(message)) {
            Ok(())
        } else {
            self.bring_around(chat, message).await
        }
    }

    /// Brings the messages that follow where some are missing; `done` runs when they are there, or did not come.
    pub fn load_later(self, chat: Chat, done: impl FnOnce() + 'static) {
        let Some(last) = chat.read(|transcript| transcript.before_gap()) else { return done() };
        spawn_local(async move {
            if let Err(error) = self.bring_around(&chat, &last).await {
                self.toasts.fail(&error.message);
            }
            done();
        });
    }

    /// Every message of the session at a glance.
    pub fn tree_of(self, chat: &Chat) -> impl Future<Output = Option<SessionTree>> + use<> {
        let answer = Ask::get(format!("{}/tree", session_path(chat.session()))).send(self);
        async move { told::read(&answer.await.ok()?) }
    }

    async fn bring_around(self, chat: &Chat, message: &MessageId) -> Result<(), WireError> {
        let id = routes::encode(message.as_str());
        let path = format!("{}/messages?around={id}", session_path(chat.session()));
        let text = Ask::get(path).send(self).await.map_err(|refusal| refusal.error)?;
        let window = told::read::<Transcript>(&text).unwrap_or_default();
        if !window.messages.is_empty() {
            chat.act(|transcript| transcript.show_around(window));
        }
        Ok(())
    }
}
