//! The page's root: contexts, frame and routes.

use leptos::prelude::*;

/// The page.
#[component]
pub fn App() -> impl IntoView {
    view! { <main></main> }
}
