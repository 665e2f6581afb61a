//! The palette: commands, chats by name, and everything that was ever said, behind one field.

pub mod choices;
mod deeds;
mod field;
mod option;

use crate::browser;
use crate::ui::lazy::{Fetched, Later, fetch};
use crate::ui::when::live;
use field::Field;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

/// Id of the palette, a native popover: Escape, a click elsewhere and the way back of the focus are the browser's.
pub const PALETTE_ID: &str = "palette";

/// The palette. Closed, and therefore unseen, on the server; its code comes when it is opened first.
#[component]
pub fn Palette() -> impl IntoView {
    let is_open = RwSignal::new(false);
    let content = move || is_open.get().then(|| view! { <Later fetch=fetch(palette_field)/> }.into_any());
    view! {
        <div
            id=PALETTE_ID
            class="palette"
            popover="auto"
            role="dialog"
            aria-label="Search and commands"
            on:toggle=move |_| is_open.set(browser::is_open_popover(PALETTE_ID))
        >
            {live(content)}
        </div>
    }
}

#[wasm_split(palette, wasm_split_path = leptos::wasm_split, fallible)]
fn palette_field() -> Fetched {
    Ok(ViewFn::from(|| view! { <Field/> }))
}
