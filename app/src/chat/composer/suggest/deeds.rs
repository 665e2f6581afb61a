//! What is suggested just now, where one is among it, and what taking one does.

use super::offers::{Command, Offer, Place, offers};
use super::{LIST_ID, id_of};
use crate::browser;
use crate::chat::answer_bar::MODELS_ID;
use crate::chat::composer::COMPOSER_ID;
use crate::chat::composer::field::Field;
use crate::client::Client;
use crate::palette::PALETTE_ID;
use crate::routes;
use crate::sessions::later::key_sheet::KEYS_ID;
use crate::settings::section::Section;
use crate::ui::picker::after_key;
use crate::ui::when::follow;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The suggestions of one field. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Suggestions {
    client: Client,
    field: Field,
    go: Callback<String>,
    /// What is suggested.
    pub offers: Memo<Vec<Offer>>,
    /// The place of the one that Enter takes.
    pub place: RwSignal<usize>,
}

impl Suggestions {
    /// Those for what stands in a field; `go` opens an address.
    pub fn new(field: Field, go: Callback<String>) -> Self {
        let client = Client::expect();
        let blocks = RwSignal::new(Vec::new());
        spawn_local(async move {
            // Without them, chats are still suggested.
            let labels = client.block_labels().await;
            let _left = blocks.try_set(labels);
        });
        let place = if client.current().is_some() { Place::Chat } else { Place::Beginning };
        let known = move |_: Option<&Vec<Offer>>| match &*field.trigger.read() {
            Some(trigger) => offers(trigger, &blocks.read(), &client.sessions().read(), place),
            None => Vec::new(),
        };
        Self { client, field, go, offers: Memo::new(known), place: RwSignal::new(0) }
    }

    /// Hears the field's keys, and tells whoever does not see the list what is chosen in it.
    pub fn listen(self) {
        self.field.keys.set_value(Some(Callback::new(move |key: String| self.press(&key))));
        follow(move || {
            self.offers.track();
            self.place.set(0);
        });
        follow(move || {
            let is_any = !self.offers.read().is_empty();
            let here = is_any.then(|| id_of(self.place.get()));
            browser::set_attribute(COMPOSER_ID, "aria-controls", is_any.then_some(LIST_ID));
            browser::set_attribute(COMPOSER_ID, "aria-activedescendant", here.as_deref());
        });
        on_cleanup(move || {
            let _left = self.field.keys.try_set_value(None);
            browser::set_attribute(COMPOSER_ID, "aria-controls", None);
            browser::set_attribute(COMPOSER_ID, "aria-activedescendant", None);
        });
    }

    /// Whether a key meant something here.
    fn press(self, key: &str) -> bool {
        let (here, count) = (self.place.get_untracked(), self.offers.read_untracked().len());
        if let Some(next) = after_key(key, here, count) {
            self.place.set(next);
            return true;
        }
        match key {
            _ if count == 0 => return false,
            "Enter" | "Tab" => self.take(here),
            "Escape" => self.field.trigger.set(None),
            _ => return false,
        }
        true
    }

    /// Takes the suggestion at a place.
    pub fn take(self, place: usize) {
        let Some(offer) = self.offers.read_untracked().get(place).cloned() else { return };
        match (&offer, offer.inserted()) {
            (Offer::Do(command), _) => {
                self.field.replace_typed("");
                self.act(*command);
            }
            (_, Some(inserted)) => self.field.replace_typed(&inserted),
            (Offer::Block(_) | Offer::Chat(_), None) => {}
        }
    }

    fn act(self, command: Command) {
        let client = self.client;
        match command {
            Command::New => self.go.run("/".to_owned()),
            Command::Search => browser::toggle_popover(PALETTE_ID),
            Command::Model => browser::toggle_popover(MODELS_ID),
            Command::Panel(tab) => client.panel().reveal(tab, &client.base()),
            Command::Fold => client.current().into_iter().for_each(|chat| client.fold_now(chat)),
            Command::Fork => {
                let go = self.go;
                let open = move |id| go.run(routes::session("", &id));
                client.current().into_iter().for_each(|chat| client.fork_whole(chat.session(), open));
            }
            Command::Settings => self.go.run(routes::settings("", Section::default())),
            Command::Keys => browser::toggle_popover(KEYS_ID),
        }
    }
}
