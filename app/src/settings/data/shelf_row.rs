//! One session of a shelf: back into the list, or gone for ever if somebody says so twice.

use super::shelf::Shelf;
use crate::client::Client;
use crate::format;
use crate::routes;
use crate::sessions::state::title;
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::SessionInfo;

#[component]
pub fn ShelfRow(shelf: Shelf, session: SessionInfo) -> impl IntoView {
    let client = Client::expect();
    let name = title(Some(&session));
    let since = match shelf {
        Shelf::Archive => session.archived_at,
        Shelf::Trash => session.deleted_at,
    };
    let offset = client.utc_offset_minutes();
    let day = move || since.map(|since| format::day(since, offset.get())).unwrap_or_default();
    let href = routes::session(&client.base(), &session.id);
    let shown = match shelf {
        Shelf::Archive => view! { <a class="shelf-name" href=href dir="auto">{name.clone()}</a> }.into_any(),
        Shelf::Trash => view! { <span class="shelf-name" dir="auto">{name.clone()}</span> }.into_any(),
    };
    let id = StoredValue::new(session.id);
    let is_asking = RwSignal::new(false);
    let back = move |_| client.shelve(&id.get_value(), shelf.way_back());
    let end = move || {
        if is_asking.get() {
            let purge = move |_| client.purge(&id.get_value());
            return Some(view! {
                <button type="button" class="text-button is-danger" on:click=click(purge)>"Yes, for ever"</button>
                <button type="button" class="text-button" on:click=click(move |_| is_asking.set(false))>"Keep it"</button>
            }
            .into_any());
        }
        (shelf == Shelf::Trash).then(|| {
            view! { <button type="button" class="text-button" on:click=click(move |_| is_asking.set(true))>"Delete for ever"</button> }
                .into_any()
        })
    };
    view! {
        <li class="shelf-row" aria-label=name>
            {shown}
            <span class="row-count">{live(day)}</span>
            <button type="button" class="text-button" on:click=click(back)>"Restore"</button>
            {live(end)}
        </li>
    }
}
