//! A session on the screen: header, transcript, composer.

use super::composer::{Composer, ComposerDeeds};
use super::composer_state::draft_key;
use super::header::ChatHeader;
use super::message::{MessageRow, Pulse};
use super::scroller::TranscriptScroller;
use super::signals::Chat;
use super::status::{LinkBanner, SpokenNews};
use crate::client::Client;
use crate::sessions::state::title;
use crate::ui::when::When;
use leptos::prelude::*;
use leptos_meta::Title;
use std::sync::Arc;

/// A session. The server shows it whole, at its end.
#[component]
pub fn ChatView(
    /// The session.
    chat: Chat,
) -> impl IntoView {
    let client = Client::expect();
    attach(client, &chat);
    let id = chat.session().clone();
    let session = Memo::new(move |_| client.sessions().with(|sessions| sessions.get(&id).cloned()));
    let name = Memo::new(move |_| title(session.read().as_ref()));
    let model = Signal::derive(move || {
        session.read().as_ref().and_then(|session| session.model.clone()).unwrap_or_else(|| client.model())
    });
    let rows = chat.clone();
    // The server writes the title when this view, and all it remembers, may be gone already.
    let first_name = name.get_untracked();
    view! {
        <Title text=move || name.try_get().unwrap_or_else(|| first_name.clone())/>
        <ChatHeader title=name model/>
        <LinkBanner/>
        <TranscriptScroller chat=chat.clone()>
            <Rows chat=rows/>
        </TranscriptScroller>
        <SpokenNews chat=chat.clone()/>
        <SessionComposer chat/>
    }
}

/// The rows, and the sign of life of an answer that has none yet.
#[component]
fn Rows(chat: Chat) -> impl IntoView {
    let order = chat.order();
    let status = chat.status();
    let is_awaited = Memo::new({
        let status = status.clone();
        move |_| status.with(|status| status.is_awaited)
    });
    let is_recovering = Memo::new({
        let status = status.clone();
        move |_| status.with(|status| status.is_recovering)
    });
    let is_bare = Memo::new(move |_| status.with(|status| status.is_empty && !status.is_awaited));
    view! {
        <When is=is_bare>
            <p class="bare">"Nothing was said here yet."</p>
        </When>
        <ol class="rows">
            <For each=move || order.get() key=|key| key.clone() let:key>
                {chat.row(&key).map(|row| view! { <MessageRow chat=chat.clone() key row/> })}
            </For>
        </ol>
        <When is=is_awaited>
            <div class="row is-model is-awaited">
                <span class="rail is-growing" aria-hidden="true">
                    <span class="node is-live"></span>
                </span>
                <div class="message">
                    <Pulse/>
                </div>
            </div>
        </When>
        <When is=is_recovering>
            <p class="recovering" role="status">"An interrupted answer is being finished."</p>
        </When>
    }
}

#[component]
fn SessionComposer(chat: Chat) -> impl IntoView {
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

/// Ties the session to the socket for as long as it is on the screen.
fn attach(client: Client, chat: &Chat) {
    let here = chat.clone();
    Effect::new(move || client.attach(here.clone()));
    let session = chat.session().clone();
    on_cleanup(move || client.detach(&session));
    let notice = chat.notice();
    Effect::new(move || {
        if let Some(text) = notice.get() {
            client.toasts().fail(&text);
        }
    });
}
