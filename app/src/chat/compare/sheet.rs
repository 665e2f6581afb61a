//! The sheet on which versions stand side by side. Left and Right walk through them, a digit goes to one, Enter keeps
//! it, Escape leaves everything as it was.

use super::column::Column;
use super::{COMPARE_ID, column_after, heading};
use crate::browser;
use crate::chat::signals::Chat;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::list::{List, item, items};
use crate::ui::when::{click, follow, key, live, memo};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use protocol::MessageId;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// What has the focus on the way.
const COLUMN: &str = ".version-column";

/// The sheet.
#[component]
pub fn CompareSheet(
    /// Its chat.
    chat: Chat,
    /// One of the versions.
    known: MessageId,
) -> impl IntoView {
    let client = Client::expect();
    let (order, status, looked) = (chat.order(), chat.status(), chat.clone());
    let seen = StoredValue::new(vec![known]);
    let ids = memo(move || {
        order.track();
        status.track();
        let beside = seen.with_value(|seen| looked.read(|transcript| transcript.versions_beside(seen)));
        seen.set_value(beside.clone());
        beside
    });
    let (status, asked) = (chat.status(), chat.clone());
    let to_come = memo(move || {
        status.track();
        asked.read(|transcript| transcript.versions_to_come())
    });
    open_once();
    let (closed, kept) = (chat.compared(), chat.clone());
    let keep = Callback::new(move |id: MessageId| {
        browser::hide_popover(COMPARE_ID);
        let is_shown = kept.read(|transcript| transcript.row_of(&id).is_some());
        if !is_shown {
            client.show_version(&kept, id);
        }
    });
    let column = move |(at, id): (usize, MessageId)| {
        let chat = chat.clone();
        item(id.clone(), move || view! { <Column chat id number=at + 1 keep/> })
    };
    let each = items(move || ids.get().into_iter().enumerate().map(column.clone()).collect());
    let walk = move |press: KeyboardEvent| step(&press, ids, keep);
    view! {
        <div
            id=COMPARE_ID
            class="compare"
            popover="auto"
            role="dialog"
            aria-label="Versions side by side"
            on:toggle=move |_| leave(&closed)
            on:keydown=key(walk)
        >
            <header class="compare-head">
                <h2>{live(move || heading(ids.read().len(), to_come.get()))}</h2>
                <span class="hint wide-only">"← → walk · Enter keeps"</span>
                <button type="button" class="icon-button" aria-label="Close" on:click=click(|_| browser::hide_popover(COMPARE_ID))>
                    <Icon shape=Shape::Close/>
                </button>
            </header>
            <div class="versions-beside">
                <List each/>
            </div>
        </div>
    }
}

/// Opens it when it is on the page.
fn open_once() {
    follow(|| {
        request_animation_frame(|| {
            browser::raise_popover(COMPARE_ID);
            browser::focus_in(COMPARE_ID, COLUMN);
        });
    });
}

/// It is gone as soon as it is closed.
fn leave(compared: &ArcRwSignal<Option<super::Compared>>) {
    if !browser::is_open_popover(COMPARE_ID) {
        compared.set(None);
    }
}

fn step(press: &KeyboardEvent, ids: Memo<Vec<MessageId>>, keep: Callback<MessageId>) {
    let Some(here) = column_of(press) else { return };
    let pressed = press.key();
    let ids = ids.read_untracked();
    if let Some(next) = column_after(&pressed, here, ids.len()) {
        press.prevent_default();
        browser::focus_in(COMPARE_ID, &format!("[data-version='{}']", next + 1));
    } else if let (true, Some(id)) = (pressed == "Enter", ids.get(here)) {
        press.prevent_default();
        keep.run(id.clone());
    }
}

/// The column that has the focus itself, and not something in it.
fn column_of(press: &KeyboardEvent) -> Option<usize> {
    let target: Element = press.target()?.dyn_into().ok()?;
    target.get_attribute("data-version")?.parse::<usize>().ok()?.checked_sub(1)
}
