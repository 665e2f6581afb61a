//! The foot of an answer that waits for somebody: for whom, the way there, and the way out.

use super::editing::Editing;
use crate::browser;
use crate::chat::waits::{is_asked_last, sentence};
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use protocol::Awaited;

/// Where the answer is given, best first.
const PLACES: [&str; 3] =
    [".approval button", ".fold-card.is-asking > summary", ".fold-card.is-held > summary"];

/// The line. Part of what comes late.
#[component]
pub fn Waiting(editing: Editing) -> impl IntoView {
    let client = Client::expect();
    let Editing { chat, key, head, .. } = editing;
    let parts = chat.row(&key).map(|row| row.parts);
    let parts = Memo::new(move |_| {
        let slots = parts.as_ref().map(|parts| parts.get()).unwrap_or_default();
        slots.into_iter().map(|slot| slot.part.get()).collect::<Vec<_>>()
    });
    let text = move || sentence(parts.read().iter()).unwrap_or_default();
    let is_told_below = Memo::new(move |_| !is_asked_last(parts.read().iter()));
    let is_program = move || head.with(|head| head.waits_for == Some(Awaited::Tool));
    let id = move || head.with_untracked(|head| head.id.clone());
    let show = move |_| {
        let id = id();
        let place = PLACES.iter().find_map(|place| browser::find_in_row(id.as_str(), place));
        drop(place.map(|place| place.focus()));
    };
    view! {
        <p class="ending is-waiting" class:is-program=live(is_program)>
            <When is=is_told_below>
                <Icon shape=Shape::Warning/>
                <span dir="auto">{live(text)}</span>
                <button type="button" class="text-button is-strong" on:click=click(show)>"Show"</button>
            </When>
            <button
                type="button"
                class="text-button"
                title="Counts as a no; the model does not go on"
                on:click=click(move |_| client.dismiss(&chat, &id()))
            >
                "Dismiss"
            </button>
        </p>
    }
}
