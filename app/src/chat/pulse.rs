//! The sign of life before the first word.

use leptos::prelude::*;

/// The sign of life before the first word.
#[component]
pub fn Pulse() -> impl IntoView {
    view! { <p class="pulse"><span class="sr-only">"The answer is on its way"</span></p> }
}
