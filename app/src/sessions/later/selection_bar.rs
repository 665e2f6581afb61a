//! What can be done with the chosen chats, in the place of the sidebar's foot.

use crate::browser;
use crate::client::Client;
use crate::client::several::Away;
use crate::format::counted;
use crate::routes;
use crate::sessions::deeds::ListDeeds;
use crate::sessions::selection::Selection;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, key, live};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use protocol::{SessionId, limits};

/// Id of the bar.
pub const BAR_ID: &str = "selection";

/// Where the focus goes when the bar goes.
const LIST: &str = ".session-list .session-link";

/// The bar. Part of what comes late.
#[component]
pub fn SelectionBar(deeds: ListDeeds, go: Callback<String>) -> impl IntoView {
    let client = Client::expect();
    let count = Memo::new(move |_| deeds.selection.with(|selection| selection.ids().len()));
    let leave = move || {
        browser::leave(BAR_ID, LIST);
        deeds.selection.update(Selection::clear);
    };
    let away = move |away: Away| click(move |_| put_away(client, deeds, go, away));
    let on_key = move |press: KeyboardEvent| {
        if press.key() == "Escape" {
            press.prevent_default();
            leave();
        }
    };
    let check_count = move |click: MouseEvent| {
        if count.get_untracked() > limits::EXPORT_NAMED_MAX {
            click.prevent_default();
            let most = limits::EXPORT_NAMED_MAX;
            client
                .toasts()
                .fail(&format!("At most {most} chats are exported together; the settings export all."));
        }
    };
    let export = move || deeds.selection.with(|selection| export_path(client, selection.ids()));
    view! {
        <p class="sr-only" role="status">{live(move || told(count.get()))}</p>
        <When is=Memo::new(move |_| count.get() > 0)>
            <div id=BAR_ID class="selection-bar" role="toolbar" aria-label="Chosen chats" on:keydown=key(on_key)>
                <span aria-hidden="true">{live(move || told(count.get()))}</span>
                {button("Archive", Shape::Box, away(Away::Archive))}
                <a class="icon-button" download="" rel="external" href=live(export) on:click=click(check_count) aria-label="Export" title="Export">
                    <Icon shape=Shape::Down/>
                </a>
                {button("Delete", Shape::Bin, away(Away::Trash))}
                {button("Choose none", Shape::Close, click(move |_| leave()))}
            </div>
        </When>
    }
}

/// Puts the chosen chats away. Whoever looks at one that goes to the trash looks at a new chat then.
pub fn put_away(client: Client, deeds: ListDeeds, go: Callback<String>, away: Away) {
    browser::leave(BAR_ID, LIST);
    let chosen = deeds.selection.try_update(std::mem::take).unwrap_or_default();
    let is_here = deeds.current.get_untracked().is_some_and(|here| chosen.has(&here));
    if is_here && away == Away::Trash {
        go.run("/".to_owned());
    }
    client.put_away(chosen.ids().to_vec(), away);
}

fn button(label: &'static str, shape: Shape, act: Box<dyn FnMut(MouseEvent)>) -> AnyView {
    view! {
        <button type="button" class="icon-button" aria-label=label title=label on:click=act>
            <Icon shape/>
        </button>
    }
    .into_any()
}

fn told(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!("{} chosen", counted(count as u64, "chat")),
    }
}

fn export_path(client: Client, ids: &[SessionId]) -> String {
    let named: Vec<String> = ids.iter().map(|id| format!("session={}", routes::segment(id))).collect();
    format!("{}/export?{}", client.api(), named.join("&"))
}
