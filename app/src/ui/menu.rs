//! A menu that opens beside what it is about: a native popover, so that Escape, a click elsewhere and the way back of
//! the focus are the browser's own work. Up, Down, Home and End walk through it.

mod item;
mod link;

pub use item::MenuItem;
pub use link::MenuLink;

use super::when::key;

use leptos::ev::KeyboardEvent;
use leptos::html::Menu as MenuElement;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// What can have the focus in a menu.
const ITEM: &str = "[role=menuitem]";

/// Room between a menu and the edge of the window, in pixels.
const EDGE_PX: f64 = 8.0;

/// The place of what a menu is about, in the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    top: f64,
    bottom: f64,
    right: f64,
}

impl Anchor {
    /// Where an element is now.
    pub fn of(element: &HtmlElement) -> Self {
        let place = element.get_bounding_client_rect();
        Self { top: place.top(), bottom: place.bottom(), right: place.right() }
    }
}

/// The handle of a menu. Copying is cheap.
#[derive(Clone, Copy, Default)]
pub struct MenuHandle {
    node: NodeRef<MenuElement>,
}

impl MenuHandle {
    /// A menu that is closed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the menu below `anchor`, or above it where there is no room below.
    pub fn open_at(self, anchor: Anchor) {
        let Some(menu) = self.node.get_untracked() else { return };
        let _shown = menu.show_popover();
        let size = menu.get_bounding_client_rect();
        let height = inner(window().inner_height());
        let below = anchor.bottom + 4.0;
        let is_tight = below + size.height() + EDGE_PX > height;
        let top = if is_tight { (anchor.top - size.height() - 4.0).max(EDGE_PX) } else { below };
        let left = (anchor.right - size.width()).max(EDGE_PX);
        let _placed = menu.set_attribute("style", &format!("top:{}px;left:{}px", top as i64, left as i64));
        focus(menu.query_selector(ITEM).ok().flatten());
    }

    /// Closes the menu.
    pub fn close(self) {
        if let Some(menu) = self.node.get_untracked() {
            let _hidden = menu.hide_popover();
        }
    }

    fn walk(self, press: &KeyboardEvent) {
        let Some(menu) = self.node.get_untracked() else { return };
        let here = document().active_element();
        let item = here.and_then(|here| here.closest("li").ok().flatten());
        let (first, last) = (menu.first_element_child(), menu.last_element_child());
        let target = match press.key().as_str() {
            "ArrowDown" => item.and_then(|item| item.next_element_sibling()).or(first),
            "ArrowUp" => item.and_then(|item| item.previous_element_sibling()).or(last),
            "Home" => first,
            "End" => last,
            _ => return,
        };
        press.prevent_default();
        focus(target.and_then(|target| target.query_selector(ITEM).ok().flatten()));
    }
}

/// A menu; its items are [`MenuItem`]s. Closed, and therefore unseen, on the server.
#[component]
pub fn Menu(
    /// Opens and closes it.
    handle: MenuHandle,
    /// What it is about.
    label: &'static str,
    /// Its items.
    children: Children,
) -> impl IntoView {
    view! {
        <menu
            class="menu"
            popover="auto"
            role="menu"
            aria-label=label
            node_ref=handle.node
            on:keydown=key(move |press| handle.walk(&press))
        >
            {children()}
        </menu>
    }
}

fn focus(element: Option<web_sys::Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _focused = element.focus();
    }
}

fn inner(value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>) -> f64 {
    value.ok().and_then(|value| value.as_f64()).unwrap_or_default()
}
