//! The edge of the panel.

use super::PANEL_ID;
use crate::client::Client;
use crate::context_panel::layout::{WIDTH_MAX, WIDTH_MIN};
use crate::ui::edge::{Edge, EdgeHandle, Side};
use leptos::prelude::*;

/// The edge. Part of what comes late.
#[component]
pub fn PanelEdge() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let edge = Edge {
        label: "Width of the panel",
        region: PANEL_ID,
        side: Side::Left,
        width: Memo::new(move |_| panel.layout.read().width).into(),
        range: (WIDTH_MIN, WIDTH_MAX),
        resize: Callback::new(move |width| panel.resize(width, &client.base())),
    };
    view! { <EdgeHandle edge/> }
}
