//! The rows of a session, and the sign of life of an answer that has none yet.

pub mod fold_failure;

use super::later::{Extra, extra};
use super::message::MessageRow;
use super::pulse::Pulse;
use super::signals::{Chat, ChatStatus};
use super::transcript::{Folding, RowKey};
use crate::ui::list::{Item, List, item, items};
use crate::ui::when::{When, live};
use leptos::prelude::*;
use std::sync::Arc;

/// The rows, and the sign of life of an answer that has none yet.
#[component]
pub fn Rows(chat: Chat) -> impl IntoView {
    let status = chat.status();
    let is = move |look: fn(&ChatStatus) -> bool| {
        let status = status.clone();
        Memo::new(move |_| status.with(look))
    };
    let is_bare = is(|status| status.is_empty && !status.is_awaited);
    let is_awaited = is(|status| status.is_awaited);
    let is_recovering = is(|status| status.is_recovering);
    let is_folding = is(|status| status.folding == Folding::Busy);
    let rows = Arc::new(chat.clone());
    view! {
        <When is=is_bare>
            <p class="bare">"Nothing was said here yet."</p>
        </When>
        <ol class="rows">
            <List each=items(move || list(&rows))/>
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
        {at_the_end(chat)}
        <When is=is_folding>
            <p class="recovering is-folding" role="status">"Older messages are being folded into a summary…"</p>
        </When>
        <When is=is_recovering>
            <p class="recovering" role="status">"An interrupted answer is being finished."</p>
        </When>
    }
}

/// What stands on other versions, and what went wrong: both only after somebody did something.
fn at_the_end(chat: Chat) -> AnyView {
    let status = chat.status();
    let end = Memo::new(move |_| {
        status.with(|status| match &status.folding {
            Folding::Failed(reason) => (status.early_end.clone(), Some(reason.clone())),
            Folding::Idle | Folding::Busy => (status.early_end.clone(), None),
        })
    });
    let failed = chat.clone();
    let left = move || end.get().0.map(|message| extra(Extra::LeftBehind(chat.clone(), message)));
    let failure = move || end.get().1.map(|reason| extra(Extra::FoldFailure(failed.clone(), reason)));
    view! {
        {live(left)}
        {live(failure)}
    }
    .into_any()
}

fn list(chat: &Arc<Chat>) -> Vec<Item> {
    let gap = chat.status().with(|status| status.gap);
    let mut rows: Vec<Item> = chat.order().get().into_iter().map(|key| row_of(chat, key)).collect();
    if let Some(gap) = gap.filter(|gap| gap.count > 0 && gap.at <= rows.len()) {
        let chat = Arc::clone(chat);
        let line = move || view! { <li class="gap">{extra(Extra::Gap(Chat::clone(&chat)))}</li> }.into_any();
        rows.insert(gap.at, item("gap", line));
    }
    rows
}

fn row_of(chat: &Arc<Chat>, key: RowKey) -> Item {
    let chat = Arc::clone(chat);
    item(key.clone(), move || {
        chat.row(&key).map(|row| view! { <MessageRow chat=Chat::clone(&chat) key row/> }.into_any())
    })
}
