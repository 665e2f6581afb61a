//! The button for all else that can be done with a message. Its menu comes with the first press.

pub mod menu;
pub mod usage;

use super::editing::Editing;
use crate::chat::later::{Extra, extra};
use crate::ui::icon::{Icon, Shape};
use crate::ui::menu::{Anchor, MenuHandle};
use crate::ui::when::{When, click};
use leptos::html::Button;
use leptos::prelude::*;

/// The button. The server shows it without its menu.
#[component]
pub fn MoreButton(editing: Editing) -> impl IntoView {
    let (menu, node) = (MenuHandle::new(), NodeRef::<Button>::new());
    let is_wanted = RwSignal::new(false);
    let this = StoredValue::new(editing);
    let open = move |_| {
        if is_wanted.get_untracked() {
            let _open = node.get_untracked().map(|button| menu.open_at(Anchor::of(&button)));
        }
        is_wanted.set(true);
    };
    view! {
        <button type="button" class="icon-button" node_ref=node aria-label="More actions" aria-haspopup="menu" on:click=click(open)>
            <Icon shape=Shape::More/>
        </button>
        <When is=is_wanted>{extra(Extra::More(this.get_value(), menu))}</When>
    }
}
