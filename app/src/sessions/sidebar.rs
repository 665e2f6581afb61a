//! The sidebar: a new chat, all chats by day, who answers, and how the page looks. Where there is no room it
//! is a native popover, which opens, closes and gives the focus back without a script.

mod foot;
mod new_chat_keys;
mod search_keys;

use super::deeds::ListDeeds;
use super::groups::SessionGroups;
use crate::browser;
use crate::chat::header::SIDEBAR_ID;
use crate::client::Client;
use crate::late::{Late, Part};
use crate::palette::PALETTE_ID;
use crate::routes;
use crate::ui::icon::{Icon, Shape};
use crate::ui::logo::Logo;
use crate::ui::when::{click, follow};
use foot::Foot;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use new_chat_keys::NewChatKeys;
use search_keys::SearchKeys;

/// The sidebar. The server shows it whole.
#[component]
pub fn Sidebar() -> impl IntoView {
    let client = Client::expect();
    let home = routes::new_chat(&client.base());
    let path = use_location().pathname;
    let deeds = ListDeeds::new(Memo::new(move |_| routes::session_at(&path.read(), &client.base())));
    // Where it lies over the page, it goes when the page changes, and when a link leads to where one is already.
    follow(move || {
        path.track();
        browser::hide_popover(SIDEBAR_ID);
    });
    let on_click = move |click: MouseEvent| {
        if browser::is_in_link(&click) && !click.default_prevented() {
            browser::hide_popover(SIDEBAR_ID);
        }
    };
    view! {
        <nav id=SIDEBAR_ID class="sidebar drawer" popover="auto" aria-label="Chats" on:click=click(on_click)>
            <div class="sidebar-head">
                <a class="brand" href=home.clone()>
                    <Logo/>
                    "Bough"
                </a>
                <button type="button" class="icon-button" popovertarget=SIDEBAR_ID aria-label="Hide the list of chats">
                    <Icon shape=Shape::Sidebar/>
                </button>
            </div>
            <a class="new-chat" href=home>
                <Icon shape=Shape::Plus/>
                "New chat"
                <NewChatKeys/>
            </a>
            <button type="button" class="find" popovertarget=PALETTE_ID>
                <Icon shape=Shape::Search/>
                "Search everything"
                <SearchKeys/>
            </button>
            <div class="session-list">
                <SessionGroups deeds/>
            </div>
            <Foot/>
            <Late part=Part::Sidebar(deeds)/>
        </nav>
    }
}
