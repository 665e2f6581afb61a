//! What a reader wishes: how the page stands and looks, and which model answers.

use super::Client;
use super::shelves::path;
use crate::api::Ask;
use crate::app::key_book;
use crate::app::keys::Deed;
use crate::backend::told;
use crate::boot::prefs::Prefs;
use crate::browser;
use crate::chat::answer_bar::MODELS_ID;
use crate::chat::signals::Chat;
use crate::chat::transcript::RowKey;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{FIRST_LISTED, ModelList, SessionId};
use serde_json::json;

/// Where the browser keeps the keys.
const KEYS_KEY: &str = "bough.keys";

impl Client {
    /// Changes how the page is; it holds at once, and for this browser's next visits.
    pub fn prefer(self, change: &dyn Fn(&mut Prefs)) {
        let mut prefs = self.wishes.prefs.get_untracked();
        change(&mut prefs);
        self.wishes.prefs.set(prefs);
        browser::set_prefs(prefs, &self.base());
    }

    /// Gives something other keys, or its usual ones again; it holds at once, and for this browser's next visits.
    pub fn bind(self, deed: Deed, keys: Option<String>) {
        self.wishes.keys.update(|chosen| {
            chosen.retain(|(known, _)| *known != deed);
            chosen.extend(keys.map(|keys| (deed, keys)));
        });
        self.keep_keys();
    }

    /// Gives everything its usual keys again.
    pub fn unbind_all(self) {
        self.wishes.keys.set(Vec::new());
        self.keep_keys();
    }

    /// Brings back the keys that were chosen in an earlier visit.
    pub fn remember_keys(self) {
        if let Some(kept) = browser::load(KEYS_KEY) {
            self.wishes.keys.set(key_book::read(&kept));
        }
    }

    fn keep_keys(self) {
        browser::store(KEYS_KEY, &self.wishes.keys.with_untracked(|chosen| key_book::write(chosen)));
    }

    /// Shows the list of chats beside the page, or hides it.
    pub fn toggle_sidebar(self) {
        self.prefer(&|prefs| prefs.sidebar.is_open = !prefs.sidebar.is_open);
    }

    /// Asks which model shall give an answer once more.
    pub fn ask_another_model(self, chat: &Chat, row: &RowKey) {
        self.wishes.again.set_value(Some((chat.clone(), row.clone())));
        browser::toggle_popover(MODELS_ID);
    }

    /// No model was chosen.
    pub fn keep_model(self) {
        self.wishes.again.set_value(None);
    }

    /// Lets another model answer in a session, from its next turn on; none leaves it to the agent. An answer that waited
    /// for this choice is asked for.
    pub fn choose_model(self, session: &SessionId, model: Option<String>) {
        let again = self.wishes.again.try_update_value(Option::take).flatten();
        let answer = Ask::patch(path(session, ""), json!({ "model": model })).send(self);
        spawn_local(async move {
            match answer.await {
                Ok(text) => {
                    let _shown = self.take_in(&text);
                    again.iter().for_each(|(chat, row)| self.retry(chat, row));
                }
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Lets another model answer in the chats that begin from now on; none leaves it to the agent.
    pub fn choose_next_model(self, model: Option<String>) {
        browser::store(&self.next_model_key(), model.as_deref().unwrap_or_default());
        self.beginning.model.set(model);
    }

    /// Brings back what was chosen in an earlier visit.
    pub fn remember_next_model(self) {
        if let Some(model) = browser::load(&self.next_model_key()) {
            self.beginning.model.set(Some(model));
        }
    }

    /// Takes in which model is the usual one, where the server has listed its models.
    pub fn know_usual(self, list: &ModelList) {
        if !list.default.is_empty() && self.beginning.usual.with_untracked(|usual| *usual != list.default) {
            self.beginning.usual.set(list.default.clone());
        }
    }

    /// Asks for the name of the usual model while its endpoint has not told it.
    pub fn settle_usual(self) {
        if self.beginning.usual.with_untracked(|usual| usual != FIRST_LISTED) {
            return;
        }
        let answer = Ask::get("/models".to_owned()).send(self);
        spawn_local(async move {
            if let Some(list) = answer.await.ok().and_then(|text| told::read::<ModelList>(&text)) {
                self.know_usual(&list);
            }
        });
    }

    fn next_model_key(self) -> String {
        format!("bough.model.{}", self.instance())
    }
}
