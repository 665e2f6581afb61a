//! The composer of a session: what is typed there is said there.

use super::composer::{Composer, ComposerDeeds};
use super::composer_state::draft_key;
use super::signals::Chat;
use crate::client::Client;
use leptos::prelude::*;
use std::sync::Arc;

#[component]
pub fn SessionComposer(chat: Chat) -> impl IntoView {
    let client = Client::expect();
    let status = chat.status();
    let unconfirmed = chat.status();
    let key = draft_key(&client.instance(), Some(chat.session()));
    let returned = chat.taken_back();
    let stopped = chat.clone();
    let deeds = ComposerDeeds {
        send: Arc::new(move |text| {
            client.send(&chat, text);
            true
        }),
        stop: Arc::new(move || client.stop(&stopped)),
    };
    view! {
        <Composer
            deeds
            activity=Memo::new(move |_| status.with(|status| status.activity))
            is_unconfirmed=Memo::new(move |_| unconfirmed.with(|status| status.is_unconfirmed))
            draft_key=key
            returned
        />
    }
}
