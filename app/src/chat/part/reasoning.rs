//! What a model thought before it spoke: folded, open to whoever wants to read it.

pub mod timer;

use super::growing;
use crate::chat::later::{Extra, extra};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, live};
use leptos::prelude::*;
use protocol::Part;

/// A model's reasoning. The server shows it folded.
#[component]
pub fn Reasoning(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let label = move || if part.with(|part| growing(part).1) { "Thinking…" } else { "Reasoning" };
    // Whoever saw it begin sees how long it took.
    let was_growing =
        Memo::new(move |was: Option<&bool>| was == Some(&true) || part.with(|part| growing(part).1));
    view! {
        <details class="fold-card">
            <summary>
                <Icon shape=Shape::Chevron/>
                <span>{live(label)}</span>
                <When is=was_growing>{extra(Extra::Timer(part))}</When>
            </summary>
            <p class="reasoning-text" dir="auto">{live(move || part.with(|part| growing(part).0.to_owned()))}</p>
        </details>
    }
}
