//! A chip for each message that waits: send it now, say it in other words, or forget it.

use crate::chat::signals::Chat;
use crate::chat::transcript::{Queued, RowKey};
use crate::client::Client;
use crate::format::counted;
use crate::ui::icon::{Icon, Shape};
use crate::ui::list::{List, item, items};
use crate::ui::when::click;
use leptos::prelude::*;

/// The chips.
#[component]
pub fn Chips(chat: Chat) -> impl IntoView {
    let status = chat.status();
    let row = move |(place, queued): (usize, Queued)| {
        let chat = chat.clone();
        item(format!("{place}-{}", queued.key), move || chip(chat, place, queued))
    };
    let each = items(move || {
        status.with(|status| status.queue.clone()).into_iter().enumerate().map(row.clone()).collect()
    });
    view! { <ul class="queue" aria-label="Waiting messages"><List each/></ul> }
}

fn chip(chat: Chat, place: usize, queued: Queued) -> AnyView {
    let client = Client::expect();
    let key: StoredValue<RowKey> = StoredValue::new(queued.key.clone());
    let chat = StoredValue::new(chat);
    let take = move || chat.with_value(|chat| client.unqueue(chat, &key.get_value()));
    let edit = move |_| {
        if let Some(words) = take() {
            chat.with_value(|chat| chat.taken_back().set(Some(words)));
        }
    };
    // Its turn is the next one as soon as the one that runs has stopped.
    let now = (place == 0).then(|| {
        let stop = click(move |_| chat.with_value(|chat| client.stop(chat)));
        view! {
            <button type="button" class="text-button is-strong" title="Stops the answer before it" on:click=stop>"Send now"</button>
        }
        .into_any()
    });
    view! {
        <li class="queued">
            <span class="queued-text" dir="auto">{words(&queued)}</span>
            {now}
            <button type="button" class="icon-button" aria-label="Edit the waiting message" on:click=click(edit)>
                <Icon shape=Shape::Pencil/>
            </button>
            <button type="button" class="icon-button" aria-label="Delete the waiting message" on:click=click(move |_| drop(take()))>
                <Icon shape=Shape::Close/>
            </button>
        </li>
    }
    .into_any()
}

fn words(queued: &Queued) -> String {
    match (queued.text.as_str(), queued.files) {
        ("", files) => counted(files as u64, "file"),
        (text, 0) => text.to_owned(),
        (text, files) => format!("{text} (+{files})"),
    }
}
