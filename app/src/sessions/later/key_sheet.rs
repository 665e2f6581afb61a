//! The list of keys, over the page.

use crate::app::key_list::KeyList;
use leptos::prelude::*;

/// Id of the list, a native popover.
pub const KEYS_ID: &str = "keys";

#[component]
pub fn KeySheet() -> impl IntoView {
    view! {
        <div id=KEYS_ID class="key-sheet" popover="auto" role="dialog" aria-label="Keyboard shortcuts" tabindex="-1">
            <h2>"Keyboard shortcuts"</h2>
            <KeyList/>
        </div>
    }
}
