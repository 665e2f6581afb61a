//! What a model thought before it spoke: folded, open to whoever wants to read it.

use super::growing;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::Part;

/// A model's reasoning. The server shows it folded.
#[component]
pub fn Reasoning(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let label = move || if part.with(|part| growing(part).1) { "Thinking…" } else { "Reasoning" };
    view! {
        <details class="fold-card">
            <summary>
                <Icon shape=Shape::Chevron/>
                <span>{live(label)}</span>
            </summary>
            <p class="reasoning-text" dir="auto">{live(move || part.with(|part| growing(part).0.to_owned()))}</p>
        </details>
    }
}
