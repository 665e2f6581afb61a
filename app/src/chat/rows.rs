//! The rows of a session, and the sign of life of an answer that has none yet.

use super::message::MessageRow;
use super::pulse::Pulse;
use super::signals::Chat;
use super::transcript::RowKey;
use crate::ui::list::{Item, List, item, items};
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
    let each = items(move || order.get().into_iter().map(|key| row_of(&chat, key)).collect());
    view! {
        <When is=is_bare>
            <p class="bare">"Nothing was said here yet."</p>
        </When>
        <ol class="rows">
            <List each/>
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

fn row_of(chat: &Chat, key: RowKey) -> Item {
    let chat = chat.clone();
    item(key.clone(), move || {
        chat.row(&key).map(|row| view! { <MessageRow chat=chat.clone() key row/> }.into_any())
    })
}
