//! The way to a new block.

mod form;

use super::deeds::Memory;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use form::Form;
use leptos::prelude::*;

/// The button, and the form behind it.
#[component]
pub fn NewBlock(memory: Memory) -> impl IntoView {
    let is_open = RwSignal::new(false);
    view! {
        {move || if is_open.get() {
            view! { <Form memory is_open/> }.into_any()
        } else {
            view! {
                <button type="button" class="text-button new-block" on:click=click(move |_| is_open.set(true))>
                    <Icon shape=Shape::Plus/>
                    "New block"
                </button>
            }.into_any()
        }}
    }
}
