//! The keys that work everywhere, as a list in which others can be chosen.

mod row;

use super::key_book::ENTRIES;
use crate::client::Client;
use crate::ui::when::{When, click, memo};
use leptos::prelude::*;
use row::KeyRow;

/// The list, in the signs of the reader's keyboard. Comes late, so never on the server.
#[component]
pub fn KeyList() -> impl IntoView {
    let client = Client::expect();
    let keys = client.keys();
    let row = |entry| view! { <KeyRow entry/> }.into_any();
    view! {
        <dl class="key-list">{ENTRIES.map(row).into_iter().collect::<Vec<_>>()}</dl>
        <p class="key-note">
            "Choose the keys of a line to change them; they are kept in this browser. "
            <When is=memo(move || !keys.read().is_empty())>
                <button type="button" class="text-button is-strong" on:click=click(move |_| client.unbind_all())>
                    "Reset all keys"
                </button>
            </When>
        </p>
    }
}
