//! Suggestions for what is being typed: commands after a slash, memory blocks and chats after an at sign. The focus stays
//! in the field; arrows choose, Enter and Tab take, Escape leaves.

mod deeds;
mod offers;

use super::COMPOSER_ID;
use super::field::Field;
use crate::browser;
use crate::ui::picker::option;
use crate::ui::when::{click, live};
use deeds::Suggestions;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use offers::Offer;

const LIST_ID: &str = "suggestions";

/// The suggestions. Part of what comes late.
#[component]
pub fn Suggest(field: Field) -> impl IntoView {
    let navigate = use_navigate();
    let go = Callback::new(move |address: String| navigate(&address, NavigateOptions::default()));
    let suggestions = Suggestions::new(field, go);
    suggestions.listen();
    let on_click = move |click: MouseEvent| {
        browser::number_at(&click, "data-place").into_iter().for_each(|place| suggestions.take(place));
        browser::focus(COMPOSER_ID);
    };
    let rows = move || {
        let offers = suggestions.offers.get();
        let rows = offers.iter().enumerate().map(|(place, offer)| row(suggestions, place, offer));
        (!offers.is_empty()).then(|| {
            let rows = rows.collect::<Vec<_>>();
            view! {
                <div id=LIST_ID class="suggest" role="listbox" aria-label="Suggestions" on:click=click(on_click)>
                    {rows}
                </div>
            }
            .into_any()
        })
    };
    view! { {live(rows)} }
}

fn row(suggestions: Suggestions, place: usize, offer: &Offer) -> AnyView {
    let shown = view! {
        <span class="palette-name" dir="auto">{offer.name()}</span>
        <span class="palette-kind">{offer.what()}</span>
    };
    option(id_of(place), place, suggestions.place.into(), shown.into_any())
}

fn id_of(place: usize) -> String {
    format!("{LIST_ID}-{place}")
}
