//! What the sidebar can do besides being read: the menu of a session, marks of what was not looked at, what is folded,
//! keys, and older chats as one scrolls.

mod edge;
mod folds;
pub mod key_sheet;
mod keys;
mod list_keys;
mod menu;
mod unread;

use super::deeds::ListDeeds;
use crate::client::Client;
use crate::ui::when::follow;
use edge::Edge;
use key_sheet::KeySheet;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use menu::SessionMenu;

/// All of it. Part of what comes late.
#[component]
pub fn SidebarLater(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    folds::remember(client, deeds);
    unread::watch(client, deeds);
    list_keys::listen(client);
    client.remember_next_model();
    let news = client.panel().message_news;
    follow(move || {
        news.track();
        client.settle_usual();
    });
    let navigate = use_navigate();
    let go = Callback::new(move |address: String| navigate(&address, NavigateOptions::default()));
    keys::listen(client, go);
    view! {
        <Edge/>
        <SessionMenu deeds go/>
        <KeySheet/>
    }
}
