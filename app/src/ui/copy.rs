//! A button that copies a text and says that it did.

use super::icon::{Icon, Shape};
use super::when::{click, live};
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
    text: Callback<(), String>,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        if browser::copy(&text.run(())) {
            copied.set(true);
            set_timeout(
                move || {
                    let _still_there = copied.try_set(false);
                },
                SAY_SO,
            );
        }
    };
    let shape = move || if copied.get() { Shape::Tick } else { Shape::Copy };
    view! {
        <button type="button" class="text-button" aria-label=format!("Copy {what}") on:click=click(copy)>
            {live(move || Some(view! { <Icon shape=shape()/> }.into_any()))}
            <span aria-hidden="true">{live(move || if copied.get() { "Copied" } else { "Copy" })}</span>
        </button>
    }
}
