//! Choosing several chats of the list: by clicks with Ctrl (or Command) and Shift, by Space, by arrows with
//! Shift. On a touch screen a tap chooses as soon as one is chosen.

use super::selection_bar::{BAR_ID, put_away};
use crate::browser;
use crate::client::Client;
use crate::client::several::Away;
use crate::routes;
use crate::sessions::deeds::ListDeeds;
use crate::sessions::outline::groups;
use crate::sessions::selection::Selection;
use crate::ui::when::follow;
use leptos::ev::{Event, KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use protocol::SessionId;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The link in which something happened.
const LINK: &str = ".session-link";

/// Listens to the list for as long as the sidebar stands.
pub fn listen(client: Client, deeds: ListDeeds, go: Callback<String>, list: &Element) {
    let clicked = move |event: Event| {
        if let Some(click) = event.dyn_ref::<MouseEvent>()
            && on_click(client, deeds, click)
        {
            event.prevent_default();
        }
    };
    browser::listen_to(list, "click", clicked);
    let pressed = move |event: Event| {
        if let Some(press) = event.dyn_ref::<KeyboardEvent>()
            && on_key(client, deeds, go, press)
        {
            event.prevent_default();
        }
    };
    browser::listen_to(list, "keydown", pressed);
    // What has left the list is no longer chosen.
    follow(move || {
        let list = client.sessions().read();
        let stands = |id: &SessionId| list.get(id).is_some_and(|it| it.archived_at.is_none());
        let _left = deeds.selection.try_maybe_update(|selection| (selection.keep(stands), ()));
    });
}

/// Chooses up to the neighbour that gets the focus.
pub fn stretch(client: Client, deeds: ListDeeds, from: &Element, to: &Element) {
    if let (Some(from), Some(to)) = (id_of(client, from), id_of(client, to)) {
        let order = order(client, deeds);
        deeds.selection.update(|selection| selection.stretch(&order, Some(&from), &to));
    }
}

/// Whether the click chose something instead of opening it.
fn on_click(client: Client, deeds: ListDeeds, click: &MouseEvent) -> bool {
    let Some(id) = link_of(click).and_then(|link| id_of(client, &link)) else { return false };
    let is_choosing = !deeds.selection.with_untracked(Selection::is_empty);
    if click.shift_key() {
        let (order, here) = (order(client, deeds), deeds.current.get_untracked());
        deeds.selection.update(|selection| selection.stretch(&order, here.as_ref(), &id));
    } else if click.ctrl_key() || click.meta_key() || (is_choosing && browser::is_touch()) {
        deeds.selection.update(|selection| selection.toggle(&id));
    } else {
        if is_choosing {
            deeds.selection.update(Selection::clear);
        }
        return false;
    }
    true
}

/// Whether the key meant something here.
fn on_key(client: Client, deeds: ListDeeds, go: Callback<String>, press: &KeyboardEvent) -> bool {
    let Some(link) = link_of(press) else { return false };
    let command = press.ctrl_key() || press.meta_key();
    let is_choosing = !deeds.selection.with_untracked(Selection::is_empty);
    match press.key().as_str() {
        " " => {
            let id = id_of(client, &link);
            id.into_iter().for_each(|id| deeds.selection.update(|selection| selection.toggle(&id)));
        }
        "a" | "A" if command => {
            let order = order(client, deeds);
            deeds.selection.update(|selection| selection.choose(&order));
        }
        "Escape" if is_choosing => deeds.selection.update(Selection::clear),
        "Delete" if is_choosing => put_away(client, deeds, go, Away::Trash),
        "Tab" if is_choosing && !press.shift_key() => browser::focus_in(BAR_ID, "button"),
        _ => return false,
    }
    true
}

/// The sessions as they stand in the list.
fn order(client: Client, deeds: ListDeeds) -> Vec<SessionId> {
    let (now, offset) = (client.now().get_untracked(), client.utc_offset_minutes().get_untracked());
    let folded = deeds.folded.read_untracked();
    let groups = client.sessions().with_untracked(|list| groups(list, &folded, now, offset));
    groups.into_iter().flat_map(|group| group.rows).map(|entry| entry.id).collect()
}

fn link_of(event: &Event) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(LINK).ok()?
}

fn id_of(client: Client, link: &Element) -> Option<SessionId> {
    routes::session_at(&link.get_attribute("href")?, &client.base())
}
