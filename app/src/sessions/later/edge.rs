//! The edge of the sidebar, and the buttons that hide and show it.

use crate::boot::prefs::{SIDEBAR_MAX, SIDEBAR_MIN};
use crate::browser;
use crate::chat::header::SIDEBAR_ID;
use crate::client::Client;
use crate::ui::edge::{Edge, EdgeHandle, Side};
use leptos::ev;
use leptos::prelude::*;

/// The buttons that open and close the sidebar where it lies over the page. Beside the page they hide and show it.
const TOGGLES: &str = "[popovertarget=sidebar]";

/// The edge.
#[component]
pub fn SidebarEdge() -> impl IntoView {
    let client = Client::expect();
    let edge = Edge {
        label: "Width of the list of chats",
        region: SIDEBAR_ID,
        side: Side::Right,
        width: Memo::new(move |_| client.prefs().read().sidebar.width).into(),
        range: (SIDEBAR_MIN, SIDEBAR_MAX),
        resize: Callback::new(move |width| client.prefer(&|prefs| prefs.sidebar.resize(width))),
    };
    listen(client);
    view! { <EdgeHandle edge/> }
}

/// Where the sidebar stands beside the page, its buttons hide and show it.
fn listen(client: Client) {
    let clicked = window_event_listener(ev::click, move |click| {
        if browser::is_in(&click, TOGGLES) && !browser::is_phone() {
            click.prevent_default();
            client.toggle_sidebar();
        }
    });
    on_cleanup(move || clicked.remove());
}
