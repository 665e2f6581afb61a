//! The edge of the panel, by which it is made wider or narrower.

use super::PANEL_ID;
use crate::browser;
use crate::client::Client;
use crate::context_panel::layout::{WIDTH_MAX, WIDTH_MIN};
use crate::ui::when::key;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

/// The edge. A pointer drags it, arrows move it.
#[component]
pub fn Edge() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let is_dragged = StoredValue::new(false);
    let on_key = move |press: KeyboardEvent| {
        let width = panel.layout.get_untracked().width_after_key(&press.key());
        if let Some(width) = width {
            press.prevent_default();
            panel.resize(width, &client.base());
        }
    };
    let on_down = move |press: PointerEvent| {
        press.prevent_default();
        browser::capture_pointer(&press);
        is_dragged.set_value(true);
    };
    let on_move = move |moved: PointerEvent| {
        if is_dragged.get_value() {
            panel.resize(browser::width_from(f64::from(moved.client_x())), &client.base());
        }
    };
    view! {
        <div
            class="panel-edge"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-controls=PANEL_ID
            aria-valuenow=move || panel.layout.read().width.to_string()
            aria-valuemin=WIDTH_MIN.to_string()
            aria-valuemax=WIDTH_MAX.to_string()
            tabindex="0"
            on:keydown=key(on_key)
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| is_dragged.set_value(false)
            on:pointercancel=move |_| is_dragged.set_value(false)
        ></div>
    }
}
