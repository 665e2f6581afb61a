//! The place where messages are missing between those that an address led to and the end of the chat.

use super::signals::Chat;
use crate::client::Client;
use crate::format::counted;
use crate::ui::when::{click, live};
use leptos::prelude::*;

/// The way to the messages that are missing.
#[component]
pub fn GapLine(chat: Chat) -> impl IntoView {
    let client = Client::expect();
    let status = chat.status();
    let is_loading = RwSignal::new(false);
    let load = move |_| {
        if !is_loading.get_untracked() {
            is_loading.set(true);
            client.load_later(chat.clone(), move || {
                let _left = is_loading.try_set(false);
            });
        }
    };
    let label = move || {
        let count = status.with(|status| status.gap.map_or(0, |gap| gap.count));
        let messages = counted(count, "message");
        if is_loading.get() { "Loading…".to_owned() } else { format!("Show later · {messages}") }
    };
    view! {
        <button type="button" class="earlier" on:click=click(load)>{live(label)}</button>
    }
}
