//! The browser's entry: brings the page that the server rendered to life.

use leptos::prelude::{document, request_animation_frame, set_timeout};
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page's script once the WASM is loaded, which may be before anything was painted: a page that somebody
/// looks at is shown first.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    if document().hidden() {
        wake();
    } else {
        request_animation_frame(|| set_timeout(wake, Duration::ZERO));
    }
}

fn wake() {
    leptos::mount::hydrate_body(app::App);
}
