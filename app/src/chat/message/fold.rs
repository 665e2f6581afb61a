//! The line where a summary stands for older messages: how much it hides, what it says, and the way back.

use super::editing::Editing;
use crate::client::Client;
use crate::format;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use leptos::prelude::*;
use protocol::OverlayInfo;

/// The line. The server shows it closed.
#[component]
pub fn FoldLine(editing: Editing, fold: OverlayInfo) -> impl IntoView {
    let client = Client::expect();
    let hidden = format!("{} messages folded into a summary", fold.hidden);
    let tokens = format!("{} → {}", format::tokens(fold.tokens_before), format::tokens(fold.tokens_after));
    let summary = editing.source();
    let chat = editing.chat;
    view! {
        <details class="fold-line">
            <summary>
                <Icon shape=Shape::Chevron/>
                <span>{hidden}</span>
                <span class="fold-state">{tokens}</span>
            </summary>
            <p class="reasoning-text" dir="auto">{summary}</p>
            <button type="button" class="text-button is-strong" on:click=click(move |_| client.unfold(&chat, &fold.id))>
                <Icon shape=Shape::Retry/>
                "Undo the summary"
            </button>
        </details>
    }
}
