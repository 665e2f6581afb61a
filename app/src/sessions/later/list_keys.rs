//! Walking through the list of sessions by arrow keys, choosing several, and older chats that come as one
//! scrolls.

use super::selecting;
use crate::browser;
use crate::client::Client;
use crate::sessions::deeds::ListDeeds;
use crate::sessions::state::SessionList;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// This close to the end of the list, in pixels, older chats are asked for.
const NEAR_END_PX: i32 = 600;

/// What has the focus on the way.
const LINKS: &str = ".session-list .session-link";

/// Listens to the list for as long as the sidebar stands.
pub fn listen(client: Client, deeds: ListDeeds, go: Callback<String>) {
    let Ok(Some(list)) = document().query_selector(".session-list") else { return };
    let is_asking = StoredValue::new(false);
    let scrolled = {
        let list = list.clone();
        move |_: ev::Event| bring_older(client, &list, is_asking)
    };
    browser::listen_to(&list, "scroll", scrolled);
    let walked = move |event: ev::Event| {
        if let Some(press) = event.dyn_ref::<ev::KeyboardEvent>() {
            walk(client, deeds, press);
        }
    };
    browser::listen_to(&list, "keydown", walked);
    selecting::listen(client, deeds, go, &list);
}

/// Asks for older chats where the end is near, and again once they are here: whoever has scrolled to the end
/// meanwhile cannot scroll further.
fn bring_older(client: Client, list: &Element, is_asking: StoredValue<bool>) {
    let rest = list.scroll_height() - list.scroll_top() - list.client_height();
    if rest >= NEAR_END_PX || is_asking.get_value() {
        return;
    }
    let cursor = move || client.sessions().with_untracked(SessionList::cursor);
    let (before, list) = (cursor(), list.clone());
    is_asking.set_value(true);
    client.load_older(move || {
        let is_gone = is_asking.try_set_value(false).is_some();
        // Where nothing came there is no more, or no answer.
        if !is_gone && cursor() != before {
            bring_older(client, &list, is_asking);
        }
    });
}

/// Up and Down go to the neighbour of the link that has the focus; with Shift they choose what lies between.
fn walk(client: Client, deeds: ListDeeds, press: &ev::KeyboardEvent) {
    let here = press.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(here) = here.filter(|here| here.matches(LINKS).unwrap_or(false)) else { return };
    let Ok(links) = document().query_selector_all(LINKS) else { return };
    let place = (0..links.length())
        .find(|at: &u32| links.item(*at).is_some_and(|link| link.is_same_node(Some(&here))));
    let next = match (press.key().as_str(), place) {
        ("ArrowDown", Some(at)) => at + 1,
        ("ArrowUp", Some(at)) => at.wrapping_sub(1),
        _ => return,
    };
    if let Some(link) = links.item(next).and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        press.prevent_default();
        if press.shift_key() {
            selecting::stretch(client, deeds, &here, &link);
        }
        let _focused = link.focus();
    }
}
