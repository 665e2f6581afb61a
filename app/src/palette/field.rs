//! What is looked for in the palette, and what it offers for that.

use super::choices::Choice;
use super::deeds::Search;
use super::option::option_view;
use crate::client::Client;
use crate::ui::picker::{Pick, Picker};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

/// The field with its list.
#[component]
pub fn Field() -> impl IntoView {
    let search = Search::new(Client::expect());
    let navigate = use_navigate();
    let take = move |place: usize| {
        let navigate = navigate.clone();
        let go = move |address: String| navigate(&address, NavigateOptions::default());
        let choice: Option<Choice> = search.choices.read_untracked().get(place).cloned();
        choice.into_iter().for_each(|choice| search.choose(choice, go.clone()));
    };
    let count = Memo::new(move |_| search.choices.read().len());
    let pick = Pick {
        name: "palette",
        label: "Search chats, messages and commands",
        place: search.place,
        count: count.into(),
        type_text: Callback::new(move |text| search.type_text(text)),
        take: Callback::new(take),
    };
    let options = move || {
        let choices = search.choices.read();
        let rows = choices.iter().enumerate().map(|(place, choice)| pick.option(place, option_view(choice)));
        rows.collect::<Vec<_>>().into_any()
    };
    let note = Memo::new(move |_| match (count.get(), search.is_asking.get()) {
        (0, true) => Some("Searching…".to_owned()),
        (0, false) => Some("Nothing found.".to_owned()),
        _ => None,
    });
    view! { <Picker pick options=ViewFn::from(options) note ready=|()| {}/> }
}
