//! The keys of the palette, in the signs of the reader's keyboard.

use crate::browser;
use crate::ui::when::{follow, live};
use leptos::prelude::*;

/// The keys of the palette, in the signs of the reader's keyboard; unknown on the server.
#[component]
pub fn SearchKeys() -> impl IntoView {
    let keys = RwSignal::new(None);
    follow(move || keys.set(Some(if browser::is_apple() { "⌘K" } else { "Ctrl K" })));
    view! { {live(move || keys.get().map(|keys| view! { <kbd aria-hidden="true">{keys}</kbd> }.into_any()))} }
}
