//! The models that can be chosen, behind a field to search in; below them how they choose their words.

mod deeds;
mod offered;
mod option;
mod sampling;
mod sampling_form;

use super::{BUTTON_ID, MODELS_ID};
use crate::browser;
use crate::client::Client;
use crate::palette::choices::after_key;
use crate::ui::when::{click, follow, key, live};
use deeds::Choosing;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;
use option::{id_of, option_view};
use protocol::SessionId;
use sampling_form::SamplingForm;

const LIST_ID: &str = "model-list";

/// The list for one session, or for one that is yet to be made. The focus stays in the field; arrows choose.
#[component]
pub fn Models(session: Option<SessionId>, model: Signal<String>) -> impl IntoView {
    let choosing = Choosing::new(Client::expect(), session.clone());
    let node = NodeRef::<Input>::new();
    follow(move || {
        if let Some(field) = node.get() {
            browser::place_above(MODELS_ID, BUTTON_ID);
            let _focused = field.focus();
        }
    });
    let on_key = move |press: KeyboardEvent| {
        let pressed = press.key();
        if browser::key_press(&press, &pressed).is_input_method() {
            return;
        }
        let here = choosing.place.get_untracked();
        if let Some(next) = after_key(&pressed, here, choosing.offers.read_untracked().len()) {
            choosing.place.set(next);
            request_animation_frame(move || browser::reveal(&id_of(next)));
        } else if pressed == "Enter" {
            choosing.choose(here);
        } else {
            return;
        }
        press.prevent_default();
    };
    let on_click = move |click: MouseEvent| {
        if let Some(place) = browser::number_at(&click, "data-place") {
            choosing.choose(place);
        }
    };
    let typed =
        move |_| choosing.type_text(node.get_untracked().map(|field| field.value()).unwrap_or_default());
    let options = move || {
        if let Some(note) = choosing.note() {
            return Some(view! { <p class="panel-note">{note}</p> }.into_any());
        }
        let (here, chosen) = (choosing.place.get(), model.get());
        let offers = choosing.offers.read();
        let rows = offers.iter().enumerate().map(|(place, offer)| option_view(offer, place, here, &chosen));
        Some(rows.collect::<Vec<_>>().into_any())
    };
    view! {
        <input
            class="palette-field"
            node_ref=node
            type="text"
            role="combobox"
            autocomplete="off"
            aria-label="Search models"
            placeholder="Search models"
            aria-expanded="true"
            aria-controls=LIST_ID
            aria-activedescendant=live(move || id_of(choosing.place.get()))
            on:input=typed
            on:keydown=key(on_key)
        />
        <div id=LIST_ID class="palette-list" role="listbox" aria-label="Models" on:click=click(on_click)>{live(options)}</div>
        {session.map(|session| view! { <SamplingForm session/> })}
    }
}
