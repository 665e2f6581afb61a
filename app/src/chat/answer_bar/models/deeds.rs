//! What the list of models knows, and what choosing one does.

use super::offered::{Offer, offers};
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::chat::answer_bar::MODELS_ID;
use crate::chat::composer::COMPOSER_ID;
use crate::client::Client;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ModelList, SessionId};

/// The list while it is open. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Choosing {
    client: Client,
    session: StoredValue<Option<SessionId>>,
    typed: RwSignal<String>,
    /// What there is, or why that is not known; none while it is on its way.
    list: RwSignal<Option<Result<ModelList, String>>>,
    /// What is offered.
    pub offers: Memo<Vec<Offer>>,
    /// The place of the one that Enter takes.
    pub place: RwSignal<usize>,
}

impl Choosing {
    /// Asks the server for its models.
    pub fn new(client: Client, session: Option<SessionId>) -> Self {
        let (typed, list) = (RwSignal::new(String::new()), RwSignal::new(None));
        let known = move |_: Option<&Vec<Offer>>| match &*list.read() {
            Some(Ok(list)) => offers(list, &client.model_name(&list.default), &typed.read()),
            None | Some(Err(_)) => Vec::new(),
        };
        let session = StoredValue::new(session);
        let answer = Ask::get("/models".to_owned()).send(client);
        spawn_local(async move {
            let told = answer.await.map_err(|refusal| refusal.error.message);
            let told = told.map(|text| told::read::<ModelList>(&text).unwrap_or_default());
            told.iter().for_each(|list| client.know_usual(list));
            let _left = list.try_set(Some(told));
        });
        Self { client, session, typed, list, offers: Memo::new(known), place: RwSignal::new(0) }
    }

    /// What is said where there is nothing to choose.
    pub fn note(self) -> Option<String> {
        match &*self.list.read() {
            None => Some("Asking the providers…".to_owned()),
            Some(Err(problem)) => Some(problem.clone()),
            Some(Ok(_)) if self.offers.read().is_empty() => Some("No model is called that.".to_owned()),
            Some(Ok(_)) => None,
        }
    }

    /// Something was typed.
    pub fn type_text(self, text: String) {
        self.typed.set(text);
        self.place.set(0);
    }

    /// Takes the offer at a place: for the session from its next turn on, or for the chat that is yet to begin.
    pub fn choose(self, place: usize) {
        let Some(offer) = self.offers.read_untracked().get(place).cloned() else { return };
        browser::hide_popover(MODELS_ID);
        browser::focus(COMPOSER_ID);
        match self.session.get_value() {
            Some(session) => self.client.choose_model(&session, offer.name),
            None => self.client.choose_next_model(offer.name),
        }
    }
}
