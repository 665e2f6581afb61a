//! The line above a message that was recalled: it can be edited where it stands instead of being said again.

use super::ComposerDeeds;
use super::field::Field;
use crate::browser;
use crate::chat::composer::COMPOSER_ID;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use leptos::prelude::*;

/// The line. Part of what comes late.
#[component]
pub fn Recalled(field: Field, deeds: ComposerDeeds) -> impl IntoView {
    let client = Client::expect();
    let edit = move |_| {
        if !field.edit_recalled(&deeds) {
            client.toasts().fail("This message cannot be edited in its place.");
        }
    };
    let leave = move |_| {
        let _was_there = field.leave_recall();
        browser::focus(COMPOSER_ID);
    };
    view! {
        <p class="recalled" role="status">
            <span>"You said this before"</span>
            <button type="button" class="text-button is-strong" on:click=click(edit)>
                <Icon shape=Shape::Pencil/>
                "Edit in its place"
            </button>
            <button type="button" class="icon-button" aria-label="Leave it" title="Leave it (Esc)" on:click=click(leave)>
                <Icon shape=Shape::Close/>
            </button>
        </p>
    }
}
