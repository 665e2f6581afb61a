//! What a person does with summaries: making one now, rewriting it, taking it away, and reading what it stands for.

use super::Client;
use super::messages::session_path;
use crate::api::{Ask, unreadable};
use crate::backend::told;
use crate::chat::signals::Chat;
use crate::chat::transcript::Folding;
use crate::routes;
use leptos::task::spawn_local;
use protocol::{MessageId, Transcript, WireError, limits};
use serde::Deserialize;
use serde_json::json;

/// What came of a wish for a summary.
#[derive(Deserialize)]
struct Outcome {
    status: String,
    #[serde(default)]
    reason: String,
}

impl Client {
    /// Lets a summary stand for the older messages now.
    pub fn fold_now(self, chat: Chat) {
        chat.act(|transcript| transcript.set_folding(Folding::Busy));
        let answer = Ask::post(format!("{}/compact", session_path(chat.session())), json!({})).send(self);
        spawn_local(async move {
            let folding = match answer.await {
                Ok(text) => self.folded(&text),
                Err(refusal) => Folding::Failed(refusal.error.message),
            };
            chat.act(|transcript| transcript.set_folding(folding));
        });
    }

    fn folded(self, text: &str) -> Folding {
        if let Some(outcome) = told::read::<Outcome>(text).filter(|outcome| outcome.status == "nothing") {
            self.toasts.note(&format!("Nothing to fold: {}.", outcome.reason.trim_end_matches('.')));
        }
        Folding::Idle
    }

    /// Takes a summary away: the messages it stands for are read again.
    pub fn unfold(self, chat: &Chat, overlay: &MessageId) {
        self.ask(Ask::delete(overlay_path(chat, overlay)));
    }

    /// Lets a summary say something else.
    pub fn rewrite_fold(self, chat: &Chat, overlay: &MessageId, summary: &str) {
        self.ask(Ask::patch(overlay_path(chat, overlay), json!({ "summary": summary })));
    }

    /// The messages themselves before another one, the last of them at the end; before none, the end of the path.
    pub async fn originals(
        self,
        chat: &Chat,
        before: Option<&MessageId>,
        count: u64,
    ) -> Result<Transcript, WireError> {
        let limit = count.clamp(1, limits::MESSAGE_PAGE_MAX as u64);
        let before = before.map(|id| format!("&before={}", routes::encode(id.as_str()))).unwrap_or_default();
        let path = format!("{}/messages?raw=true&limit={limit}{before}", session_path(chat.session()));
        let text = Ask::get(path).send(self).await.map_err(|refusal| refusal.error)?;
        told::read(&text).ok_or_else(|| unreadable(200))
    }
}

fn overlay_path(chat: &Chat, overlay: &MessageId) -> String {
    format!("{}/compactions/{}", session_path(chat.session()), routes::encode(overlay.as_str()))
}
