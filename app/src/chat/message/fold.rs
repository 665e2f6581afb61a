//! The line where a summary stands for older messages: how much it hides, what it says, and on demand all that can be
//! done with it.

pub mod body;
mod original;
pub mod originals;
mod summary_field;

use super::editing::Editing;
use crate::browser;
use crate::chat::later::{Extra, extra};
use crate::format;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, live};
use leptos::ev;
use leptos::prelude::*;
use protocol::OverlayInfo;

/// The line. The server shows it closed, with the summary in it.
#[component]
pub fn FoldLine(editing: Editing, fold: Signal<Option<OverlayInfo>>, children: Children) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let read =
        move |look: fn(&OverlayInfo) -> String| live(move || fold.with(|fold| fold.as_ref().map(look)));
    let editing = StoredValue::new(editing);
    view! {
        <details class="fold-line" on:toggle=move |toggled: ev::Event| is_open.set(browser::is_open(&toggled))>
            <summary>
                <Icon shape=Shape::Chevron/>
                <span>{read(hidden)}</span>
                <span class="fold-state">{read(tokens)}</span>
            </summary>
            <div class="fold-summary">{children()}</div>
            <When is=is_open>{extra(Extra::Fold(editing.get_value(), fold))}</When>
        </details>
    }
}

fn hidden(fold: &OverlayInfo) -> String {
    format!("{} folded into a summary", format::counted(fold.hidden, "message"))
}

/// Both are estimates.
fn tokens(fold: &OverlayInfo) -> String {
    format!("about {} → {}", format::count(fold.tokens_before), format::tokens(fold.tokens_after))
}
