//! The line above a transcript: where one is, and the ways to the regions beside it.

use crate::client::Client;
use crate::context_panel::frame::toggle::PanelToggle;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::live;
use leptos::prelude::*;

/// Id of the sidebar, which the button here opens where there is no room for both.
pub const SIDEBAR_ID: &str = "sidebar";

/// The header. The server shows the same; the button needs no script.
#[component]
pub fn ChatHeader(
    /// The session's title.
    #[prop(into)]
    title: Signal<String>,
) -> impl IntoView {
    let client = Client::expect();
    let home = crate::routes::new_chat(&client.base());
    view! {
        <header class="chat-header">
            <button type="button" class="icon-button sidebar-toggle" popovertarget=SIDEBAR_ID aria-label="Open the list of chats">
                <Icon shape=Shape::Menu/>
            </button>
            <h1 dir="auto">{live(move || title.get())}</h1>
            <PanelToggle/>
            <a class="icon-button narrow-only" href=home aria-label="New chat">
                <Icon shape=Shape::Plus/>
            </a>
        </header>
    }
}
