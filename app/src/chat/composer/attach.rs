//! The ways in which files come: a button for the picker, and dropping them anywhere on the page.

use super::field::Field;
use super::intake;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::follow;
use leptos::ev::{self, DragEvent};
use leptos::html::Input;
use leptos::prelude::*;

/// The button that opens the browser's picker of files.
#[component]
pub fn AttachButton(field: Field) -> impl IntoView {
    let node = NodeRef::<Input>::new();
    let chosen = move |_| {
        let Some(input) = node.get_untracked() else { return };
        if let Some(files) = input.files() {
            intake::take(field, &files);
        }
        // The same file may be chosen again.
        input.set_value("");
    };
    view! {
        <label class="attach icon-button" title="Attach files">
            <input type="file" multiple class="sr-only" node_ref=node aria-label="Attach files" on:change=chosen/>
            <Icon shape=Shape::Clip/>
        </label>
    }
}

/// Takes files that are dropped on the page, for as long as this composer is on the screen.
pub fn receive(field: Field) {
    follow(move || {
        let over = window_event_listener(ev::dragover, move |drag: DragEvent| {
            if intake::has_files(&drag) {
                drag.prevent_default();
                aim(field);
            }
        });
        let left = window_event_listener(ev::dragleave, move |drag: DragEvent| {
            if drag.related_target().is_none() {
                let_go(field);
            }
        });
        let dropped = window_event_listener(ev::drop, move |drag: DragEvent| {
            let_go(field);
            if intake::has_files(&drag) {
                drag.prevent_default();
                intake::drop_on(field, &drag);
            }
        });
        on_cleanup(move || {
            over.remove();
            left.remove();
            dropped.remove();
        });
    });
}

fn aim(field: Field) {
    if field.is_target.try_get_untracked() == Some(false) {
        field.is_target.set(true);
    }
}

fn let_go(field: Field) {
    if field.is_target.try_get_untracked() == Some(true) {
        field.is_target.set(false);
    }
}
