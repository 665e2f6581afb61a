//! The mark of the product: a bough with three buds.

use leptos::prelude::*;

/// The mark, in the colour of the text around it.
#[component]
pub fn Logo() -> impl IntoView {
    view! {
        <svg class="logo" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
            <path d="M12 22V9M12 16c-5 0-7-3-7-7M12 12c4.500 0 7-2.500 7-6"></path>
            <circle cx="5" cy="7" r="2"></circle>
            <circle cx="19" cy="4" r="2"></circle>
            <circle cx="12" cy="7" r="2"></circle>
        </svg>
    }
}
