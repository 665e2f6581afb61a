//! The sidebar: a new chat, all chats by day, who answers, and how the page looks. Where there is no room it is a native
//! popover, which opens, closes and gives the focus back without a script.

use super::row::SessionRow;
use super::state::{Group, SessionList};
use crate::app::SessionsResource;
use crate::boot::Theme;
use crate::browser;
use crate::chat::header::SIDEBAR_ID;
use crate::client::Client;
use crate::format;
use crate::routes;
use crate::ui::icon::{Icon, Shape};
use crate::ui::logo::Logo;
use crate::ui::menu::{Menu, MenuHandle, MenuItem};
use crate::ui::when::{When, click};
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_navigate};
use protocol::SessionId;

/// What the list can do, for its rows.
#[derive(Clone, Copy)]
pub struct ListDeeds {
    /// The session on the screen.
    pub current: Memo<Option<SessionId>>,
    /// The session whose name is in a field.
    pub renamed: RwSignal<Option<SessionId>>,
    /// The session whose menu is open.
    pub chosen: RwSignal<Option<SessionId>>,
    /// The menu.
    pub menu: MenuHandle,
}

/// The sidebar. The server shows it whole.
#[component]
pub fn Sidebar() -> impl IntoView {
    let client = Client::expect();
    let home = routes::new_chat(&client.base());
    let path = use_location().pathname;
    let deeds = ListDeeds {
        current: Memo::new(move |_| session_at(&path.read(), &client.base())),
        renamed: RwSignal::new(None),
        chosen: RwSignal::new(None),
        menu: MenuHandle::new(),
    };
    // Where it lies over the page, it goes when the page changes, and when a link leads to where one is already.
    Effect::new(move || {
        path.track();
        browser::hide_popover(SIDEBAR_ID);
    });
    let on_click = move |click: MouseEvent| {
        if browser::is_in_link(&click) {
            browser::hide_popover(SIDEBAR_ID);
        }
    };
    view! {
        <nav id=SIDEBAR_ID class="sidebar" popover="auto" aria-label="Chats" on:click=click(on_click)>
            <a class="brand" href=home.clone()>
                <Logo/>
                "Bough"
            </a>
            <a class="new-chat" href=home>
                <Icon shape=Shape::Plus/>
                "New chat"
                <NewChatKeys/>
            </a>
            <div class="session-list">
                <SessionGroups deeds/>
            </div>
            <Foot/>
            <SessionMenu deeds/>
        </nav>
    }
}

/// The keys for a new chat, in the signs of the reader's keyboard; unknown on the server.
#[component]
fn NewChatKeys() -> impl IntoView {
    let keys = RwSignal::new(None);
    Effect::new(move || keys.set(Some(if browser::is_apple() { "⇧⌘O" } else { "Ctrl ⇧ O" })));
    view! { {move || keys.get().map(|keys| view! { <kbd aria-hidden="true">{keys}</kbd> }.into_any())} }
}

#[component]
fn SessionGroups(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let sessions = SessionsResource::expect();
    let (list, now, offset) = (client.sessions(), client.now(), client.utc_offset_minutes());
    let groups = Memo::new(move |_| list.with(|list| list.groups(now.get(), offset.get())));
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let failure = sessions.load(client).await;
                let empty_note = failure.unwrap_or_else(|| "Your chats will stand here.".to_owned());
                view! {
                    <For each=move || groups.get() key=|group| group.age let:group>
                        <SessionGroup group groups deeds/>
                    </For>
                    <ListEnd empty_note/>
                }
                .into_any()
            })}
        </Transition>
    }
}

/// The sessions of one heading. The heading is the key, so the ids are looked up anew when they change.
#[component]
fn SessionGroup(group: Group, groups: Memo<Vec<Group>>, deeds: ListDeeds) -> impl IntoView {
    let age = group.age;
    let ids = Memo::new(move |_| {
        groups.with(|groups| groups.iter().find(|group| group.age == age).map(|group| group.ids.clone()))
    });
    let heading = format!("group-{age:?}");
    let labelled_by = heading.clone();
    view! {
        <section class="session-group" aria-labelledby=labelled_by>
            <h2 id=heading>{age.label()}</h2>
            <ul>
                <For each=move || ids.get().unwrap_or_default() key=|id| id.clone() let:id>
                    <SessionRow id deeds/>
                </For>
            </ul>
        </section>
    }
}

/// What stands below the list: a way to older chats, or a word where there are none.
#[component]
fn ListEnd(empty_note: String) -> impl IntoView {
    let client = Client::expect();
    let list = client.sessions();
    let has_older = Memo::new(move |_| list.with(|list| list.cursor().is_some()));
    let is_empty = Memo::new(move |_| list.with(SessionList::is_empty));
    view! {
        <When is=has_older>
            <button type="button" class="text-button" on:click=click(move |_| client.load_older())>"Show older chats"</button>
        </When>
        <When is=is_empty>
            <p class="list-note" dir="auto">{empty_note.clone()}</p>
        </When>
    }
}

#[component]
fn Foot() -> impl IntoView {
    let client = Client::expect();
    let theme = client.theme();
    let model = client.model();
    let shown = format::model(&model).to_owned();
    let shape = move || match theme.get() {
        Theme::System => Shape::Screen,
        Theme::Light => Shape::Sun,
        Theme::Dark => Shape::Moon,
    };
    let label = move || format!("Theme: {}", theme.get().as_str());
    view! {
        <div class="sidebar-foot">
            <span class="foot-model" title=model>{shown}</span>
            <button
                type="button"
                class="icon-button"
                aria-label=move || label()
                title=move || label()
                on:click=click(move |_| client.choose_theme(theme.get_untracked().next()))
            >
                {move || view! { <Icon shape=shape()/> }.into_any()}
            </button>
        </div>
    }
}

#[component]
fn SessionMenu(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let navigate = use_navigate();
    let rename = move || deeds.renamed.set(deeds.chosen.get_untracked());
    let delete = move || {
        let Some(id) = deeds.chosen.get_untracked() else { return };
        if deeds.current.get_untracked().as_ref() == Some(&id) {
            navigate("/", leptos_router::NavigateOptions::default());
        }
        client.delete(&id);
    };
    view! {
        <Menu handle=deeds.menu label="Actions for the chat">
            <MenuItem handle=deeds.menu act=rename>
                <Icon shape=Shape::Pencil/>
                "Rename"
            </MenuItem>
            <MenuItem handle=deeds.menu act=delete>
                <Icon shape=Shape::Bin/>
                "Delete"
            </MenuItem>
        </Menu>
    }
}

/// The session that an address names.
fn session_at(path: &str, base: &str) -> Option<SessionId> {
    let segment = path.strip_prefix(base)?.strip_prefix("/s/")?;
    let decoded = leptos_router::location::Url::unescape(segment);
    Some(routes::session_of(&decoded))
}
