//! One note, and what can be done about it.

use super::{Toast, Toasts};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use leptos::prelude::*;

#[component]
pub fn ToastCard(toasts: Toasts, note: Toast) -> impl IntoView {
    let id = note.id;
    let action = note.action.map(|(label, act)| {
        let act = move |_| {
            toasts.dismiss(id);
            act();
        };
        view! { <button type="button" class="toast-action" on:click=click(act)>{label}</button> }.into_any()
    });
    view! {
        <div class="toast" class:is-failure=note.is_failure>
            <span dir="auto">{note.text}</span>
            {action}
            <button type="button" class="icon-button" aria-label="Dismiss" on:click=click(move |_| toasts.dismiss(id))>
                <Icon shape=Shape::Close/>
            </button>
        </div>
    }
}
