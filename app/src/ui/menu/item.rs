//! One thing that a menu does.

use super::MenuHandle;
use crate::ui::when::click;
use leptos::prelude::*;

/// One thing that a menu does.
#[component]
pub fn MenuItem(
    /// The menu, which closes first.
    handle: MenuHandle,
    /// Does it.
    act: impl Fn() + 'static,
    /// What it is called.
    children: Children,
) -> impl IntoView {
    let act = move |_| {
        handle.close();
        act();
    };
    view! {
        <li role="none">
            <button type="button" role="menuitem" class="menu-item" tabindex="-1" on:click=click(act)>
                {children()}
            </button>
        </li>
    }
}
