//! The browser's entry: brings the page that the server rendered to life.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page's script once the WASM is loaded.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
