//! One piece of the prompt, folded: its name, its size, and behind them its text.

use leptos::prelude::*;

/// The piece.
#[component]
pub fn Piece(name: String, mark: &'static str, size: String, text: String) -> impl IntoView {
    let mark = (!mark.is_empty()).then(|| view! { <span class="tag">{mark}</span> }.into_any());
    view! {
        <details class="piece">
            <summary>
                <span class="piece-name" dir="auto">{name}</span>
                {mark}
                <span class="piece-size">{size}</span>
            </summary>
            <div class="block-text" dir="auto" tabindex="0" role="group" aria-label="Text">{text}</div>
        </details>
    }
}
