//! What can be done with a message. The place is always there, so nothing moves when the buttons come.

use crate::chat::signals::Chat;
use crate::chat::transcript::{Delivery, Head, RowKey};
use crate::client::Client;
use crate::ui::copy::CopyButton;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use protocol::Part;

/// What can be done with a row. The place is always there, so nothing moves when the buttons come.
#[component]
pub fn Actions(chat: Chat, key: RowKey, head: Signal<Head>) -> impl IntoView {
    let client = Client::expect();
    let is_still = Memo::new(move |_| head.with(|head| head.progress.is_none()));
    let retry = {
        let chat = chat.clone();
        move || {
            let row = head.with(|head| head.retry.clone())?;
            let chat = chat.clone();
            let again = move |_| client.retry(&chat, &row);
            Some(
                view! {
                    <button type="button" class="text-button is-strong" on:click=click(again)>
                        <Icon shape=Shape::Retry/>
                        "Retry"
                    </button>
                }
                .into_any(),
            )
        }
    };
    let refused = {
        let (chat, key) = (chat.clone(), key.clone());
        move || {
            let is_refused = head.with(|head| matches!(head.delivery, Delivery::Refused(_)));
            is_refused.then(|| refusal_actions(client, chat.clone(), key.clone()))
        }
    };
    let source = Callback::new(move |()| chat.read(|transcript| source_of(transcript.parts(&key))));
    view! {
        <div class="actions">
            <When is=is_still>
                <CopyButton what="message" text=source/>
            </When>
            {live(retry)}
            {live(refused)}
        </div>
    }
}

fn refusal_actions(client: Client, chat: Chat, key: RowKey) -> AnyView {
    let again = {
        let (chat, key) = (chat.clone(), key.clone());
        move |_| client.send_again(&chat, &key)
    };
    view! {
        <button type="button" class="text-button is-strong" on:click=click(again)>
            <Icon shape=Shape::Retry/>
            "Send again"
        </button>
        <button type="button" class="text-button" on:click=click(move |_| client.take_back(&chat, &key))>
            <Icon shape=Shape::Pencil/>
            "Edit"
        </button>
    }
    .into_any()
}

/// What was said, as it was written.
fn source_of(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n\n")
}
