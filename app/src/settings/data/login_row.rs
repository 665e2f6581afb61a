//! One sign-in or token, and its end.

use crate::client::Client;
use crate::format;
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::{LoginInfo, LoginKind, LoginList};

#[component]
pub fn LoginRow(login: LoginInfo, known: RwSignal<LoginList>) -> impl IntoView {
    let client = Client::expect();
    let offset = client.utc_offset_minutes();
    let seen = move || format::day(login.seen_at, offset.get());
    let (note, deed) = match login.kind {
        _ if login.is_this => (" · this browser", "Sign out"),
        LoginKind::Browser => ("", "Sign out"),
        LoginKind::Program => (" · program", "Take back"),
    };
    let name = format!("{}{note}", login.name);
    let label = name.clone();
    let id = StoredValue::new(login.id);
    let end = move |_| {
        if login.is_this { client.sign_out() } else { client.end_login(id.get_value(), known) }
    };
    view! {
        <li class="shelf-row" aria-label=label>
            <span class="shelf-name" dir="auto">{name}</span>
            <span class="row-count">{live(seen)}</span>
            <button type="button" class="text-button" on:click=click(end)>{deed}</button>
        </li>
    }
}
