//! One address that a menu leads to.

use super::MenuHandle;
use crate::ui::when::click;
use leptos::prelude::*;

/// A file that a menu fetches.
#[component]
pub fn MenuLink(
    /// The menu, which closes.
    handle: MenuHandle,
    /// Where the file is.
    href: String,
    /// What it is called.
    children: Children,
) -> impl IntoView {
    view! {
        <li role="none">
            <a
                role="menuitem"
                class="menu-item"
                tabindex="-1"
                href=href
                download=""
                rel="external"
                on:click=click(move |_| handle.close())
            >
                {children()}
            </a>
        </li>
    }
}
