//! One session in the list: a link to it, its name in a field while it is renamed, and the button of its menu.

mod fold_button;
mod link;
pub mod name_field;

use super::deeds::{ListDeeds, is_among, is_selected};
use super::outline::Entry;
use super::state::title;
use crate::client::Client;
use crate::late::{Late, Part};
use crate::ui::when::{When, live};
use fold_button::FoldButton;
use leptos::prelude::*;
use link::SessionLink;
use protocol::Awaited;

/// One session.
#[component]
pub fn SessionRow(
    /// Which, and its place among its family.
    entry: Entry,
    /// What the list can do with it.
    deeds: ListDeeds,
) -> impl IntoView {
    let client = Client::expect();
    let id = StoredValue::new(entry.id);
    let session = Memo::new(move |_| id.with_value(|id| client.sessions().read().get(id).cloned()));
    let name = Memo::new(move |_| title(session.read().as_ref()));
    let is_running = Memo::new(move |_| session.read().as_ref().is_some_and(|session| session.is_running));
    let waits_for = Memo::new(move |_| session.read().as_ref().and_then(|session| session.waiting));
    let is_unread = Memo::new(move |_| is_among(deeds.unread, &id.get_value()));
    let is_chosen = Memo::new(move |_| is_selected(deeds, &id.get_value()));
    let is_renamed = Memo::new(move |_| deeds.renamed.get() == Some(id.get_value()));
    let is_current = Memo::new(move |_| deeds.current.get() == Some(id.get_value()));
    let depth = format!("--depth:{}", entry.depth);
    let class = if entry.depth > 0 { "session-row is-below" } else { "session-row" };
    let fold = entry.is_parent.then(|| view! { <FoldButton id=id.get_value() name deeds/> }.into_any());
    view! {
        <li class=class class:is-current=live(move || is_current.get()) class:is-selected=live(move || is_chosen.get()) style=depth>
            <When is=is_chosen>
                <span class="row-selected" role="img" aria-label="Selected"></span>
            </When>
            <When is=is_unread>
                <span class="unread" role="img" aria-label="A new answer"></span>
            </When>
            {fold}
            {move || {
                let id = id.get_value();
                if is_renamed.get() {
                    view! { <Late part=Part::NameField(id, name, deeds)/> }.into_any()
                } else {
                    view! { <SessionLink id session name is_current deeds/> }.into_any()
                }
            }}
            {live(move || waits_for.get().map(mark))}
            <When is=is_running>
                <span class="running" role="img" aria-label="An answer is being written"></span>
            </When>
        </li>
    }
}

fn mark(whom: Awaited) -> AnyView {
    let (class, text) = match whom {
        Awaited::Approval => ("row-waits", "waits for you"),
        Awaited::Tool => ("row-waits is-program", "waits for a program"),
    };
    view! { <span class=class>{text}</span> }.into_any()
}
