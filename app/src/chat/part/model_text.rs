//! What a model wrote is markdown.

use super::growing;

use crate::markdown::document::Growth;
use crate::markdown::painter::{Growing, Markdown};
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::Part;

/// What a model wrote. The server shows it whole.
#[component]
pub fn ModelText(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let source = Signal::derive(move || {
        part.with(|part| {
            let (text, is_growing) = growing(part);
            Growing {
                text: text.to_owned(),
                growth: if is_growing { Growth::Open } else { Growth::Complete },
            }
        })
    });
    let is_growing = move || part.with(|part| growing(part).1);
    view! {
        <div class="text-part" class:is-growing=live(is_growing)>
            <Markdown source/>
        </div>
    }
}
