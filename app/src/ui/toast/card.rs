//! One note, and what can be done about it.

use super::{Toast, Toasts};
use crate::browser;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

#[component]
pub fn ToastCard(toasts: Toasts, note: Toast) -> impl IntoView {
    let id = note.id;
    // A press beside an open drawer closes it, but for one on a button that says to be the drawer's.
    let drawer = browser::open_drawer();
    let of_drawer = drawer.clone();
    let action = note.action.map(|(label, act)| {
        let act = move |press: MouseEvent| {
            press.prevent_default();
            toasts.dismiss(id);
            act();
        };
        view! { <button type="button" class="toast-action" popovertarget=of_drawer on:click=click(act)>{label}</button> }
            .into_any()
    });
    let dismiss = move |press: MouseEvent| {
        press.prevent_default();
        toasts.dismiss(id);
    };
    view! {
        <div class="toast" class:is-failure=note.is_failure>
            <span dir="auto">{note.text}</span>
            {action}
            <button type="button" class="icon-button" aria-label="Dismiss" popovertarget=drawer on:click=click(dismiss)>
                <Icon shape=Shape::Close/>
            </button>
        </div>
    }
}
