//! The field of the palette and what it offers. The focus stays in the field; arrows choose.

use super::choices::{Choice, after_key};
use super::deeds::Search;
use super::option::{id_of, option_view};
use crate::browser;
use crate::client::Client;
use crate::ui::when::{When, click, follow, key, live};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

const LIST_ID: &str = "palette-list";

/// The field.
#[component]
pub fn Field() -> impl IntoView {
    let search = Search::new(Client::expect());
    let navigate = use_navigate();
    let node = NodeRef::<Input>::new();
    follow(move || drop(node.get().map(|field| field.focus())));
    let take = StoredValue::new_local(move |place: usize| {
        let navigate = navigate.clone();
        let go = move |address: String| navigate(&address, NavigateOptions::default());
        let choice: Option<Choice> = search.choices.read_untracked().get(place).cloned();
        choice.into_iter().for_each(|choice| search.choose(choice, go.clone()));
    });
    let on_key = move |press: KeyboardEvent| {
        let pressed = press.key();
        if browser::key_press(&press, &pressed).is_input_method() {
            return;
        }
        let here = search.place.get_untracked();
        let next = after_key(&pressed, here, search.choices.read_untracked().len());
        if let Some(next) = next {
            search.place.set(next);
            request_animation_frame(move || browser::reveal(&id_of(next)));
        } else if pressed == "Enter" {
            take.with_value(|take| take(here));
        } else {
            return;
        }
        press.prevent_default();
    };
    let on_click = move |click: MouseEvent| {
        if let Some(place) = browser::number_at(&click, "data-place") {
            take.with_value(|take| take(place));
        }
    };
    let typed =
        move |_| search.type_text(node.get_untracked().map(|field| field.value()).unwrap_or_default());
    let has_some = Memo::new(move |_| !search.choices.read().is_empty());
    view! {
        <input
            class="palette-field"
            node_ref=node
            type="text"
            role="combobox"
            dir="auto"
            autocomplete="off"
            aria-label="Search chats, messages and commands"
            placeholder="Search chats, messages and commands"
            aria-expanded=live(move || has_some.get().to_string())
            aria-controls=LIST_ID
            aria-activedescendant=live(move || has_some.get().then(|| id_of(search.place.get())))
            on:input=typed
            on:keydown=key(on_key)
        />
        {found(search, has_some, on_click)}
    }
}

/// The list of what is offered, or that there is nothing.
fn found(search: Search, has_some: Memo<bool>, on_click: impl FnMut(MouseEvent) + 'static) -> AnyView {
    view! {
        <div
            id=LIST_ID
            class="palette-list"
            role="listbox"
            aria-label="Found"
            hidden=live(move || !has_some.get())
            on:click=click(on_click)
        >
            {live(move || Some(options(search)))}
        </div>
        <When is=Memo::new(move |_| !has_some.get())>
            <p class="panel-note" role="status">"Nothing found."</p>
        </When>
    }
    .into_any()
}

/// What is offered.
fn options(search: Search) -> AnyView {
    let here = search.place.get();
    let choices = search.choices.read();
    let rows = choices.iter().enumerate().map(|(place, choice)| option_view(choice, place, here));
    rows.collect::<Vec<_>>().into_any()
}
