//! The button that opens and closes the panel.

use super::PANEL_ID;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;

/// The button, for the line above a chat.
#[component]
pub fn PanelToggle() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let is_open = move || panel.layout.read().is_open || panel.drawer.get();
    view! {
        <button
            type="button"
            class="icon-button panel-toggle"
            aria-label="Memory, tree and prompt"
            title="Memory, tree and prompt (Ctrl Shift E)"
            aria-controls=PANEL_ID
            aria-expanded=live(move || is_open().to_string())
            on:click=click(move |_| panel.toggle(&client.base()))
        >
            <Icon shape=Shape::Panel/>
        </button>
    }
}
