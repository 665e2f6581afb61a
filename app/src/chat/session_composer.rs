//! The composer of a session: what is typed there is said there.

use super::composer::{Composer, ComposerDeeds};
use super::composer_state::draft_key;
use super::queue::Queue;
use super::signals::Chat;
use super::transcript::TranscriptState;
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
    let (stopped, spoken, queued, edited) = (chat.clone(), chat.clone(), chat.clone(), chat.clone());
    let deeds = ComposerDeeds {
        send: Arc::new(move |words| {
            client.send(&chat, words);
            true
        }),
        stop: Arc::new(move || client.stop(&stopped)),
        said: Arc::new(move || spoken.read(TranscriptState::said)),
        edit: Arc::new(move |(place, said), words| {
            let key = edited.read(|transcript| transcript.row_of_said(place, &said));
            let row = key.and_then(|key| edited.row(&key));
            row.map(|row| row.edited.set(Some(words))).is_some()
        }),
    };
    view! {
        <Queue chat=queued/>
        <Composer
            deeds
            activity=Memo::new(move |_| status.with(|status| status.activity))
            is_unconfirmed=Memo::new(move |_| unconfirmed.with(|status| status.is_unconfirmed))
            draft_key=key
            returned
        />
    }
}
