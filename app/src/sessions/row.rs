//! One session in the list: a link to it, its name in a field while it is renamed, and the button of its menu.

use super::sidebar::ListDeeds;
use super::state::title;
use crate::browser;
use crate::chat::composer::key_press;
use crate::client::Client;
use crate::routes;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, key};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;
use protocol::SessionId;

/// One session.
#[component]
pub fn SessionRow(
    /// Its id.
    id: SessionId,
    /// What the list can do with it.
    deeds: ListDeeds,
) -> impl IntoView {
    let client = Client::expect();
    let here = id.clone();
    let session = Memo::new(move |_| client.sessions().with(|sessions| sessions.get(&here).cloned()));
    let name = Memo::new(move |_| title(session.read().as_ref()));
    let is_running = Memo::new(move |_| session.read().as_ref().is_some_and(|session| session.is_running));
    let (this, shown) = (id.clone(), id.clone());
    let is_renamed = Memo::new(move |_| deeds.renamed.with(|renamed| renamed.as_ref() == Some(&this)));
    let is_current = Memo::new(move |_| deeds.current.with(|current| current.as_ref() == Some(&shown)));
    let id = StoredValue::new(id);
    view! {
        <li class="session-row" class:is-current=move || is_current.get()>
            {move || {
                let id = id.get_value();
                if is_renamed.get() {
                    view! { <NameField id name deeds/> }.into_any()
                } else {
                    view! { <SessionLink id name is_current deeds/> }.into_any()
                }
            }}
            <When is=is_running>
                <span class="running" role="img" aria-label="An answer is being written"></span>
            </When>
        </li>
    }
}

#[component]
fn SessionLink(id: SessionId, name: Memo<String>, is_current: Memo<bool>, deeds: ListDeeds) -> impl IntoView {
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
            title=move || name.get()
            on:keydown=key(on_key)
            on:dblclick=click(on_double)
        >
            {move || name.get()}
        </a>
        <button
            type="button"
            class="icon-button row-menu"
            aria-haspopup="menu"
            aria-label=move || format!("Actions for {}", name.get())
            on:click=click(open_menu)
        >
            <Icon shape=Shape::More/>
        </button>
    }
}

/// The name in a field. Enter and leaving keep it, Escape does not; an input method's own keys mean nothing here.
#[component]
fn NameField(id: SessionId, name: Memo<String>, deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let node = NodeRef::<Input>::new();
    Effect::new(move || {
        if let Some(input) = node.get() {
            input.set_value(&name.get_untracked());
            let _focused = input.focus();
            input.select();
        }
    });
    let close = move || {
        let was_open = deeds.renamed.get_untracked().is_some();
        deeds.renamed.set(None);
        was_open
    };
    let keep = move || {
        let typed = node.get_untracked().map(|input| input.value()).unwrap_or_default();
        if close() {
            client.rename(id.clone(), &typed);
        }
    };
    let keep_on_leave = keep.clone();
    let on_key = move |press: KeyboardEvent| {
        let pressed = press.key();
        press.stop_propagation();
        if key_press(&press, &pressed).is_input_method() {
            return;
        }
        match pressed.as_str() {
            "Enter" => keep(),
            "Escape" => drop(close()),
            _ => return,
        }
        browser::focus(crate::chat::composer::COMPOSER_ID);
    };
    view! {
        <input
            class="name-field"
            node_ref=node
            type="text"
            dir="auto"
            aria-label="Name of the chat"
            maxlength=protocol::limits::SESSION_NAME_MAX_CHARS.to_string()
            on:keydown=key(on_key)
            on:blur=move |_| keep_on_leave()
        />
    }
}
