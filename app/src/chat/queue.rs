//! The messages that wait for the answer before them, above the composer.

pub mod chips;

use super::later::{Extra, extra};
use super::signals::Chat;
use crate::client::Client;
use crate::ui::when::{When, follow};
use leptos::prelude::*;

/// The messages that wait. The server shows none.
#[component]
pub fn Queue(chat: Chat) -> impl IntoView {
    let client = Client::expect();
    let (status, discarded) = (chat.status(), chat.discarded());
    let is_any = Memo::new(move |_| status.with(|status| !status.queue.is_empty()));
    let this = chat.clone();
    follow(move || {
        for message in discarded.get() {
            client.discard(&this, &message);
        }
    });
    view! { <When is=is_any>{extra(Extra::Queue(chat.clone()))}</When> }
}
