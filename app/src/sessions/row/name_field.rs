//! The name of a session in a field, to be changed in its place.

use crate::browser;
use crate::chat::composer::COMPOSER_ID;
use crate::client::Client;
use crate::sessions::deeds::ListDeeds;
use crate::ui::when::{follow, key};
use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;
use protocol::SessionId;

/// The name in a field. Enter and leaving keep it, Escape does not; an input method's own keys mean nothing here.
#[component]
pub fn NameField(id: SessionId, name: Memo<String>, deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let node = NodeRef::<Input>::new();
    follow(move || {
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
        if browser::key_press(&press, &pressed).is_input_method() {
            return;
        }
        match pressed.as_str() {
            "Enter" => keep(),
            "Escape" => drop(close()),
            _ => return,
        }
        browser::focus(COMPOSER_ID);
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
