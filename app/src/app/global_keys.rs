//! Keys that work everywhere, as far as they are needed from the first; the others come later (`sessions/later`).

use super::keys::{Deed, Place, deed_of};
use crate::browser;
use crate::chat::composer::COMPOSER_ID;
use crate::client::Client;
use crate::palette::PALETTE_ID;
use crate::routes;
use crate::settings::section::Section;
use crate::ui::when::follow;
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

/// What a key press means here; none where something nearer took it.
pub fn deed_at(client: Client, press: &ev::KeyboardEvent) -> Option<Deed> {
    let key = press.key();
    let pressed = browser::key_press(press, &key);
    let place = if browser::is_in_field(press) { Place::Field } else { Place::Page };
    let shortcuts = client.prefs().read_untracked().shortcuts;
    let deed = client.keys().with_untracked(|chosen| deed_of(&pressed, place, shortcuts, chosen));
    deed.filter(|_| !press.default_prevented())
}

/// Listens for as long as the page stands.
#[component]
pub fn GlobalKeys() -> impl IntoView {
    let client = Client::expect();
    let navigate = use_navigate();
    follow(move || {
        let navigate = navigate.clone();
        let go = move |address: &str| navigate(address, NavigateOptions::default());
        let listening = window_event_listener(ev::keydown, move |press| {
            let Some(deed) = deed_at(client, &press) else { return };
            match deed {
                Deed::Compose => return browser::focus(COMPOSER_ID),
                Deed::Stop if browser::is_popover_open() => return,
                Deed::Stop => return client.stop_current(),
                Deed::NewChat => {
                    go("/");
                    browser::focus(COMPOSER_ID);
                }
                Deed::Search => browser::toggle_popover(PALETTE_ID),
                Deed::Panel => client.panel().toggle(&client.base()),
                Deed::Settings => go(&routes::settings("", Section::default())),
                Deed::Sidebar
                | Deed::Help
                | Deed::DeleteChat
                | Deed::CopyAnswer
                | Deed::CopyCode
                | Deed::First
                | Deed::Last => return,
            }
            press.prevent_default();
        });
        on_cleanup(move || listening.remove());
    });
}
