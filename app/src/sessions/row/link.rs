//! The link to a session, and the button of its menu.

use crate::browser;
use crate::client::Client;
use crate::routes;
use crate::sessions::deeds::ListDeeds;
use crate::ui::icon::{Icon, Shape};
use crate::ui::menu::Anchor;
use crate::ui::when::{click, key, live};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use protocol::{SessionId, SessionInfo};

#[component]
pub fn SessionLink(
    id: SessionId,
    session: Memo<Option<SessionInfo>>,
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
        let anchor = browser::button_of(&click).map(|button| Anchor::of(&button));
        deeds.chosen.set(anchor.map(|anchor| (by_menu.clone(), anchor)));
    };
    let count = move || {
        let count = session.read().as_ref().map_or(0, |session| session.message_count);
        if count == 0 { String::new() } else { count.to_string() }
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
        <span class="row-count" aria-hidden="true">{live(count)}</span>
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
