//! What a person typed stands as it was typed.

use super::growing;
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::Part;

/// What a person typed. The server shows the same.
#[component]
pub fn PersonText(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    view! { <p class="bubble" dir="auto">{live(move || part.with(|part| growing(part).0.to_owned()))}</p> }
}
