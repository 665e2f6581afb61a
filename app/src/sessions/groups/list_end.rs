//! What stands below the list.

use crate::client::Client;
use crate::sessions::state::SessionList;
use crate::ui::when::{When, click};
use leptos::prelude::*;

/// What stands below the list: a way to older chats, or a word where there are none.
#[component]
pub fn ListEnd(empty_note: String) -> impl IntoView {
    let client = Client::expect();
    let list = client.sessions();
    let has_older = Memo::new(move |_| list.with(|list| list.cursor().is_some()));
    let is_empty = Memo::new(move |_| list.with(SessionList::is_empty));
    view! {
        <When is=has_older>
            <button type="button" class="text-button" on:click=click(move |_| client.load_older(|| {}))>"Show older chats"</button>
        </When>
        <When is=is_empty>
            <p class="list-note" dir="auto">{empty_note.clone()}</p>
        </When>
    }
}
