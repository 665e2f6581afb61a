//! What the sidebar can do besides being read: the menu of a session, marks of what was not looked at, what is folded,
//! keys, and older chats as one scrolls.

pub mod alerts;
mod edge;
mod folds;
pub mod key_sheet;
mod keyboard;
mod keys;
mod list_keys;
mod menu;
mod selecting;
mod selection_bar;
pub mod trashed;
mod unread;

use super::deeds::ListDeeds;
use crate::client::Client;
use crate::ui::when::follow;
use edge::SidebarEdge;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use menu::SessionMenu;
use selection_bar::SelectionBar;

/// All of it. Part of what comes late.
#[component]
pub fn SidebarLater(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    folds::remember(client, deeds);
    unread::watch(client, deeds);
    keyboard::watch();
    client.remember_next_model();
    client.remember_keys();
    let news = client.panel().message_news;
    follow(move || {
        news.track();
        client.settle_usual();
    });
    let navigate = use_navigate();
    let go = Callback::new(move |address: String| navigate(&address, NavigateOptions::default()));
    keys::listen(client, go);
    alerts::watch(client, go);
    list_keys::listen(client, deeds, go);
    view! {
        <SidebarEdge/>
        <SessionMenu deeds go/>
        <SelectionBar deeds go/>
    }
}
