//! Says that more was said on another version of a message, where this one ends early, and leads there.

mod count;

use super::signals::Chat;
use crate::client::Client;
use crate::format::counted;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, follow, live};
use count::{Left, left_behind};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::MessageId;

/// The marker; nothing where no other version leads further.
#[component]
pub fn LeftBehind(chat: Chat, message: MessageId) -> impl IntoView {
    let client = Client::expect();
    let left = RwSignal::new(None::<Left>);
    let asked = chat.clone();
    follow(move || {
        let (tree, message) = (client.tree_of(&asked), message.clone());
        spawn_local(async move {
            let found = tree.await.and_then(|tree| left_behind(&tree.nodes, &message));
            let _gone = left.try_set(found);
        });
    });
    let chat = StoredValue::new(chat);
    let marker = move |left: Left| {
        let text = format!("{} on version {}", counted(left.count as u64, "later message"), left.number);
        let go = click(move |_| chat.with_value(|chat| client.show_version(chat, left.version.clone())));
        view! {
            <p class="left-behind">
                <Icon shape=Shape::Fork/>
                <span>{text}</span>
                <button type="button" class="text-button is-strong" on:click=go>"Go there"</button>
            </p>
        }
        .into_any()
    };
    live(move || left.get().map(marker))
}
