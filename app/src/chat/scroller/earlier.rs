//! The way to older messages, where there are any: they come by themselves as somebody scrolls up, and by a button. What
//! brings them comes when it is first wanted.

use super::place::Scroller;
use super::way::Way;
use crate::chat::later::bring_earlier;
use crate::chat::signals::Chat;
use crate::client::Client;
use crate::format::counted;
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;

/// The way to older messages, where there are any.
#[component]
pub fn Earlier(chat: Chat, scroller: Scroller) -> impl IntoView {
    let status = chat.status();
    let count = Memo::new(move |_| status.with(|status| status.earlier));
    let way = Way { client: Client::expect(), scroller, is_loading: RwSignal::new(false), count };
    let (near, pressed) = (chat.clone(), chat);
    // Once each time that the beginning comes near, so what does not arrive is not asked for again and again.
    follow(move || {
        if scroller.is_near_start.get() && count.get_untracked() > 0 {
            bring_earlier(way, near.clone());
        }
    });
    let label = move || {
        let messages = counted(count.get(), "message");
        if way.is_loading.get() { "Loading…".to_owned() } else { format!("Show earlier · {messages}") }
    };
    view! {
        <When is=Memo::new(move |_| count.get() > 0)>
            <button type="button" class="earlier" on:click=click({
                let chat = pressed.clone();
                move |_| bring_earlier(way, chat.clone())
            })>
                {live(label)}
            </button>
        </When>
    }
}
