//! The link to a session, and the button of its menu.

use crate::browser;
use crate::client::Client;
use crate::routes;
use crate::sessions::deeds::ListDeeds;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, key, live};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use protocol::SessionId;

#[component]
pub fn SessionLink(
    id: SessionId,
    name: Memo<String>,
    is_current: Memo<bool>,
    deeds: ListDeeds,
) -> impl IntoView {
    let href = routes::session(&Client::expect().base(), &id);
    let (by_key, by_click, by_menu) = (id.clone(), id.clone(), id);
    let on_key = move |press: KeyboardEvent| {
        if press.key() == "F2" {
            press.prevent_default();
            deeds.renamed.set(Some(by_key.clone()));
        }
    };
    let on_double = move |click: MouseEvent| {
        click.prevent_default();
        deeds.renamed.set(Some(by_click.clone()));
    };
    let open_menu = move |click: MouseEvent| {
        deeds.chosen.set(Some(by_menu.clone()));
        if let Some(button) = browser::button_of(&click) {
            deeds.menu.open_at(&button);
        }
    };
    view! {
        <a
            class="session-link"
            href=href
            dir="auto"
            aria-current=move || is_current.get().then_some("page")
            title=live(move || name.get())
            on:keydown=key(on_key)
            on:dblclick=click(on_double)
        >
            {live(move || name.get())}
        </a>
        <button
            type="button"
            class="icon-button row-menu"
            aria-haspopup="menu"
            aria-label=live(move || format!("Actions for {}", name.get()))
            on:click=click(open_menu)
        >
            <Icon shape=Shape::More/>
        </button>
    }
}
