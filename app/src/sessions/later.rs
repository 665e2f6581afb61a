//! What the sidebar can do besides being read: the menu of a session, marks of what was not looked at, what is folded,
//! keys, and older chats as one scrolls.

mod folds;
mod list_keys;
mod menu;
mod unread;

use super::deeds::ListDeeds;
use crate::client::Client;
use leptos::prelude::*;
use menu::SessionMenu;

/// All of it. Part of what comes late.
#[component]
pub fn SidebarLater(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    folds::remember(client, deeds);
    unread::watch(client, deeds);
    list_keys::listen(client);
    view! { <SessionMenu deeds/> }
}
