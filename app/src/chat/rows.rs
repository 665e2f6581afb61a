//! The rows of a session, and the sign of life of an answer that has none yet.

use super::message::MessageRow;
use super::pulse::Pulse;
use super::signals::Chat;
use crate::ui::when::When;
use leptos::prelude::*;

/// The rows, and the sign of life of an answer that has none yet.
#[component]
pub fn Rows(chat: Chat) -> impl IntoView {
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
