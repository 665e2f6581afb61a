//! The way to older messages, where there are any: they come by themselves as somebody scrolls up, and by a button.

use super::place::Scroller;
use crate::chat::signals::Chat;
use crate::client::Client;
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;

/// The way to older messages, where there are any.
#[component]
pub fn Earlier(chat: Chat, scroller: Scroller) -> impl IntoView {
    let client = Client::expect();
    let status = chat.status();
    let is_loading = RwSignal::new(false);
    let count = Memo::new(move |_| status.with(|status| status.earlier));
    let load = Callback::new(move |()| {
        if is_loading.get_untracked() {
            return;
        }
        is_loading.set(true);
        let before = scroller.position();
        client.load_earlier(chat.clone(), move || {
            let _still_there = is_loading.try_set(false);
            scroller.keep_place(before);
        });
    });
    // Once each time that the beginning comes near, so what does not arrive is not asked for again and again.
    follow(move || {
        if scroller.is_near_start.get() && count.get_untracked() > 0 {
            load.run(());
        }
    });
    let label = move || {
        let noun = if count.get() == 1 { "message" } else { "messages" };
        if is_loading.get() {
            "Loading…".to_owned()
        } else {
            format!("Show earlier · {} {noun}", count.get())
        }
    };
    view! {
        <When is=Memo::new(move |_| count.get() > 0)>
            <button type="button" class="earlier" on:click=click(move |_| load.run(()))>
                {live(label)}
            </button>
        </When>
    }
}
