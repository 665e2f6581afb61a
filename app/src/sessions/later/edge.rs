//! The edge of the sidebar, by which it is made wider or narrower, and the buttons that hide and show it.

use crate::boot::prefs::{SIDEBAR_MAX, SIDEBAR_MIN};
use crate::browser;
use crate::chat::header::SIDEBAR_ID;
use crate::client::Client;
use crate::ui::when::{key, live};
use leptos::ev::{self, KeyboardEvent, PointerEvent};
use leptos::prelude::*;

/// The buttons that open and close the sidebar where it lies over the page. Beside the page they hide and show it.
const TOGGLES: &str = "[popovertarget=sidebar]";

/// The edge. A pointer drags it, arrows move it.
#[component]
pub fn Edge() -> impl IntoView {
    let client = Client::expect();
    let width = Memo::new(move |_| client.prefs().read().sidebar.width);
    let resize = move |width: f64| client.prefer(&|prefs| prefs.sidebar.resize(width));
    let is_dragged = StoredValue::new(false);
    let on_key = move |press: KeyboardEvent| {
        let width = client.prefs().get_untracked().sidebar.width_after_key(&press.key());
        if let Some(width) = width {
            press.prevent_default();
            resize(width);
        }
    };
    let on_down = move |press: PointerEvent| {
        press.prevent_default();
        browser::capture_pointer(&press);
        is_dragged.set_value(true);
    };
    let on_move = move |moved: PointerEvent| {
        if is_dragged.get_value() {
            resize(f64::from(moved.client_x()));
        }
    };
    listen(client);
    view! {
        <div
            class="sidebar-edge"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the list of chats"
            aria-controls=SIDEBAR_ID
            aria-valuenow=live(move || width.get().to_string())
            aria-valuemin=SIDEBAR_MIN.to_string()
            aria-valuemax=SIDEBAR_MAX.to_string()
            tabindex="0"
            on:keydown=key(on_key)
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| is_dragged.set_value(false)
            on:pointercancel=move |_| is_dragged.set_value(false)
        ></div>
    }
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
