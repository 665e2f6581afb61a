//! Keys that work everywhere.

use crate::browser;
use crate::chat::composer::COMPOSER_ID;
use crate::client::Client;
use crate::palette::PALETTE_ID;
use crate::ui::when::follow;
use leptos::ev;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

/// Keys that work everywhere: Escape stops, Shift+Escape goes to the field, Ctrl or Command with Shift and O begins a
/// new chat. None of them counts while an input method composes, or where something nearer took it.
#[component]
pub fn GlobalKeys() -> impl IntoView {
    let client = Client::expect();
    let navigate = use_navigate();
    follow(move || {
        let navigate = navigate.clone();
        let listening = window_event_listener(ev::keydown, move |press| {
            let key = press.key();
            let pressed = browser::key_press(&press, &key);
            if press.default_prevented() || pressed.is_input_method() {
                return;
            }
            match key.as_str() {
                "Escape" if pressed.shift => browser::focus(COMPOSER_ID),
                "Escape" if !browser::is_popover_open() => client.stop_current(),
                "o" | "O" if pressed.command && pressed.shift => {
                    press.prevent_default();
                    navigate("/", leptos_router::NavigateOptions::default());
                    browser::focus(COMPOSER_ID);
                }
                "k" | "K" if pressed.command && !pressed.shift => {
                    press.prevent_default();
                    browser::toggle_popover(PALETTE_ID);
                }
                "e" | "E" if pressed.command && pressed.shift => {
                    press.prevent_default();
                    client.panel().toggle(&client.base());
                }
                _ => {}
            }
        });
        on_cleanup(move || listening.remove());
    });
}
