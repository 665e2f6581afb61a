//! The keys that work everywhere and are not needed from the first.

use crate::app::global_keys::deed_at;
use crate::app::keys::Deed;
use crate::browser::{self, ScrollEnd};
use crate::chat::header::SIDEBAR_ID;
use crate::chat::signals::{Chat, PartSlot};
use crate::chat::transcript::Speaker;
use crate::client::Client;
use crate::sessions::later::key_sheet::KEYS_ID;
use leptos::ev;
use leptos::prelude::*;

/// What scrolls in a chat.
const SCROLLER: &str = ".scroller";
/// Where code stands in a chat.
const CODE: &str = ".scroller pre";

/// Listens for as long as the sidebar stands; `go` opens an address.
pub fn listen(client: Client, go: Callback<String>) {
    let listening = window_event_listener(ev::keydown, move |press| {
        let Some(deed) = deed_at(client, &press) else { return };
        match deed {
            Deed::Sidebar if browser::is_phone() => browser::toggle_popover(SIDEBAR_ID),
            Deed::Sidebar => client.toggle_sidebar(),
            Deed::Help => browser::toggle_popover(KEYS_ID),
            Deed::DeleteChat => delete(client, go),
            Deed::CopyAnswer => copy(client, client.current().and_then(|chat| last_answer(&chat))),
            Deed::CopyCode => copy(client, browser::last_text(CODE)),
            Deed::First => browser::scroll_to(SCROLLER, ScrollEnd::First),
            Deed::Last => browser::scroll_to(SCROLLER, ScrollEnd::Last),
            Deed::Stop | Deed::Compose | Deed::NewChat | Deed::Search | Deed::Panel | Deed::Settings => {
                return;
            }
        }
        press.prevent_default();
    });
    on_cleanup(move || listening.remove());
}

fn delete(client: Client, go: Callback<String>) {
    if let Some(chat) = client.current() {
        go.run("/".to_owned());
        client.delete(chat.session());
    }
}

fn copy(client: Client, text: Option<String>) {
    match text {
        Some(text) if browser::copy(&text) => client.toasts().note("Copied"),
        Some(_) | None => client.toasts().fail("There is nothing to copy."),
    }
}

/// The source of the last answer.
fn last_answer(chat: &Chat) -> Option<String> {
    let order = chat.order().get_untracked();
    let rows = order.iter().rev().filter_map(|key| chat.row(key));
    let answer = rows.into_iter().find(|row| row.head.read_untracked().speaker == Speaker::Model)?;
    let parts = answer.parts.get_untracked();
    let text = |slot: &PartSlot| slot.part.with_untracked(|part| part.as_text().map(str::to_owned));
    let texts = parts.iter().filter_map(text);
    let text = texts.collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}
