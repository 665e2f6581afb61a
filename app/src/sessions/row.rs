//! One session in the list: a link to it, its name in a field while it is renamed, and the button of its menu.

mod link;
mod name_field;

use super::deeds::ListDeeds;
use super::state::title;
use crate::client::Client;
use crate::ui::when::{When, live};
use leptos::prelude::*;
use link::SessionLink;
use name_field::NameField;
use protocol::SessionId;

/// One session.
#[component]
pub fn SessionRow(
    /// Its id.
    id: SessionId,
    /// What the list can do with it.
    deeds: ListDeeds,
) -> impl IntoView {
    let client = Client::expect();
    let here = id.clone();
    let session =
        Memo::new(move |_| client.sessions().try_with(|sessions| sessions.get(&here).cloned()).flatten());
    let name = Memo::new(move |_| title(session.read().as_ref()));
    let is_running = Memo::new(move |_| session.read().as_ref().is_some_and(|session| session.is_running));
    let (this, shown) = (id.clone(), id.clone());
    let is_renamed = Memo::new(move |_| {
        deeds.renamed.try_with(|renamed| renamed.as_ref() == Some(&this)).unwrap_or_default()
    });
    let is_current = Memo::new(move |_| deeds.current.with(|current| current.as_ref() == Some(&shown)));
    let id = StoredValue::new(id);
    view! {
        <li class="session-row" class:is-current=live(move || is_current.get())>
            {move || {
                let id = id.get_value();
                if is_renamed.get() {
                    view! { <NameField id name deeds/> }.into_any()
                } else {
                    view! { <SessionLink id name is_current deeds/> }.into_any()
                }
            }}
            <When is=is_running>
                <span class="running" role="img" aria-label="An answer is being written"></span>
            </When>
        </li>
    }
}
