//! What the palette knows, and what it does.

use super::PALETTE_ID;
use super::choices::{Choice, choices};
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::client::Client;
use crate::routes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SearchHit, SearchPage, limits};
use serde_json::json;
use std::time::Duration;

/// How long nothing must be typed before the server is asked.
const PAUSE: Duration = Duration::from_millis(150);

/// Messages that are shown at most.
const HITS_MAX: usize = 20;

/// What the palette knows while it is open. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Search {
    client: Client,
    typed: RwSignal<String>,
    hits: RwSignal<Vec<SearchHit>>,
    /// Whether the server has not answered yet.
    pub is_asking: RwSignal<bool>,
    /// What is offered.
    pub choices: Memo<Vec<Choice>>,
    /// The place of the one that Enter takes.
    pub place: RwSignal<usize>,
}

impl Search {
    /// Nothing typed yet.
    pub fn new(client: Client) -> Self {
        let (typed, hits) = (RwSignal::new(String::new()), RwSignal::new(Vec::new()));
        let offered = move |_: Option<&Vec<Choice>>| {
            let further = client.is_signed_in().then_some(Choice::SignOut);
            choices(&typed.read(), &client.sessions().read(), &hits.read(), further)
        };
        let is_asking = RwSignal::new(false);
        Self { client, typed, hits, is_asking, choices: Memo::new(offered), place: RwSignal::new(0) }
    }

    /// Something was typed; the server is asked when the typing rests.
    pub fn type_text(self, text: String) {
        self.typed.set(text.clone());
        self.place.set(0);
        self.is_asking.set(!text.trim().is_empty());
        set_timeout(move || self.ask(text), PAUSE);
    }

    /// Does what was chosen; `go` opens an address.
    pub fn choose(self, choice: Choice, go: impl Fn(String) + 'static) {
        browser::hide_popover(PALETTE_ID);
        let base = self.client.base();
        match choice {
            Choice::NewChat => go("/".to_owned()),
            Choice::Panel(tab) => self.client.panel().reveal(tab, &base),
            Choice::Settings(section) => go(routes::settings("", section)),
            Choice::Look(theme) => self.client.choose_theme(theme),
            Choice::SignOut => self.client.sign_out(),
            Choice::Chat(id, _) => go(routes::session("", &id)),
            Choice::Message(hit) => self.open(hit, go),
        }
    }

    fn ask(self, text: String) {
        if self.typed.try_get_untracked().as_ref() != Some(&text) {
            return;
        }
        let query: String = text.trim().chars().take(limits::SEARCH_QUERY_MAX_CHARS).collect();
        if query.is_empty() {
            return self.hits.set(Vec::new());
        }
        let ask = Ask::get(format!("/search?q={}&limit={HITS_MAX}", routes::encode(&query)));
        spawn_local(async move {
            let found = ask.send(self.client).await;
            if self.typed.try_get_untracked() != Some(text) {
                return;
            }
            self.is_asking.set(false);
            match found {
                Ok(text) => self.hits.set(told::read::<SearchPage>(&text).unwrap_or_default().hits),
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }

    /// Opens a session at a message, on the branch of the message.
    fn open(self, hit: SearchHit, go: impl Fn(String) + 'static) {
        let address = routes::message("", &hit.session, &hit.message);
        if hit.is_on_active_path {
            return go(address);
        }
        let path = format!("/sessions/{}/active", routes::segment(&hit.session));
        spawn_local(async move {
            match Ask::put(path, json!({ "id": hit.message })).send(self.client).await {
                Ok(_) => go(address),
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }
}
