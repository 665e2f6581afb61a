//! The panel's frame: a region beside the chat where there is room, else a native popover that slides in; its tabs,
//! and the edge by which it is made wider. Its content comes in the browser only; the server leaves room for it.

pub mod content;
pub mod edge;
mod tabs;
pub mod toggle;

use crate::client::Client;
use crate::late::{Late, Part};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use content::Content;
use leptos::prelude::*;
use tabs::Tabs;

/// Id of the panel.
pub const PANEL_ID: &str = "context-panel";
/// Id of what a tab shows.
pub const BODY_ID: &str = "panel-body";

/// The panel.
#[component]
pub fn PanelFrame() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let layout = panel.layout;
    let is_closed = Memo::new(move |_| !layout.read().is_open);
    let width = Memo::new(move |_| layout.read().width);
    let tab = Memo::new(move |_| layout.read().tab);
    view! {
        <aside
            id=PANEL_ID
            class="panel drawer"
            class:is-closed=move || is_closed.get()
            style=move || format!("--panel-width:{}px", width.get())
            popover="auto"
            aria-label="What the model sees"
            on:toggle=move |_| panel.drawer.set(crate::browser::is_open_popover(PANEL_ID))
        >
            <Late part=Part::PanelEdge/>
            <div class="panel-head">
                <Tabs/>
                <button type="button" class="icon-button" aria-label="Close the panel" on:click=click(move |_| panel.toggle(&client.base()))>
                    <Icon shape=Shape::Close/>
                </button>
            </div>
            <div
                id=BODY_ID
                class="panel-body"
                role="tabpanel"
                tabindex="0"
                aria-labelledby=move || tabs::id_of(tab.get())
            >
                <Content/>
            </div>
        </aside>
    }
}
