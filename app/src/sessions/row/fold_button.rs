//! Folds away what stands below a session, or shows it.

use crate::sessions::deeds::{ListDeeds, is_among};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::SessionId;

#[component]
pub fn FoldButton(id: SessionId, name: Memo<String>, deeds: ListDeeds) -> impl IntoView {
    let here = id.clone();
    let is_open = live(move || (!is_among(deeds.folded, &here)).to_string());
    view! {
        <button
            type="button"
            class="icon-button fold-button"
            aria-expanded=is_open
            aria-label=live(move || format!("Chats that came from {}", name.get()))
            on:click=click(move |_| deeds.fold(&id))
        >
            <Icon shape=Shape::Chevron/>
        </button>
    }
}
