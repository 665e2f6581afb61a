//! A button that copies a text and says that it did.

use super::icon::{Icon, Shape};
use crate::browser;
use leptos::prelude::*;
use std::time::Duration;

/// How long the button says so.
const SAY_SO: Duration = Duration::from_millis(1_600);

/// A button that copies a text.
#[component]
pub fn CopyButton(
    /// What is copied, for the button's name.
    what: &'static str,
    /// The text, asked for when it is needed.
    text: impl Fn() -> String + Send + 'static,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        if browser::copy(&text()) {
            copied.set(true);
            set_timeout(
                move || {
                    let _still_there = copied.try_set(false);
                },
                SAY_SO,
            );
        }
    };
    let shape = move || {
        if copied.get() {
            view! { <Icon shape=Shape::Tick/> }
        } else {
            view! { <Icon shape=Shape::Copy/> }
        }
    };
    view! {
        <button type="button" class="text-button" aria-label=format!("Copy {what}") on:click=copy>
            {shape}
            <span aria-hidden="true">{move || if copied.get() { "Copied" } else { "Copy" }}</span>
        </button>
    }
}
