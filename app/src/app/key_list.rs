//! The keys that work everywhere, as a list.

use super::keys::HELP;
use crate::browser;
use leptos::prelude::*;

/// The list, in the signs of the reader's keyboard. Comes late, so never on the server.
#[component]
pub fn KeyList() -> impl IntoView {
    let is_apple = browser::is_apple();
    let sign = move |key: &'static str| match key {
        "Ctrl" if is_apple => "⌘",
        "Shift" if is_apple => "⇧",
        key => key,
    };
    let row = move |(keys, what): (&'static str, &'static str)| {
        let keys = keys.split(' ').map(|key| view! { <kbd>{sign(key)}</kbd> }.into_any());
        view! { <div class="key-row"><dt>{what}</dt><dd>{keys.collect::<Vec<_>>()}</dd></div> }.into_any()
    };
    view! { <dl class="key-list">{HELP.map(row).into_iter().collect::<Vec<_>>()}</dl> }
}
