//! The menu of a session; one for the whole list.

use crate::client::Client;
use crate::client::shelves::Shelving;
use crate::routes;
use crate::sessions::deeds::ListDeeds;
use crate::ui::icon::{Icon, Shape};
use crate::ui::menu::{Menu, MenuHandle, MenuItem, MenuLink};
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use protocol::{SessionId, SessionInfo};

/// The menu. It opens where a session's button asks for it.
#[component]
pub fn SessionMenu(deeds: ListDeeds, go: Callback<String>) -> impl IntoView {
    let client = Client::expect();
    let handle = MenuHandle::new();
    let about = RwSignal::new(None::<SessionInfo>);
    follow(move || {
        let Some((id, anchor)) = deeds.chosen.get() else { return };
        about.set(client.sessions().with_untracked(|list| list.get(&id).cloned()));
        // The items stand there with the next frame; only then it is known how much room they need.
        request_animation_frame(move || handle.open_at(anchor));
    });
    view! {
        <Menu handle label="Actions for the chat">
            {live(move || about.get().map(|session| items(handle, session, deeds, go)))}
        </Menu>
    }
}

fn items(handle: MenuHandle, session: SessionInfo, deeds: ListDeeds, go: Callback<String>) -> AnyView {
    let client = Client::expect();
    let id = StoredValue::new(session.id.clone());
    let export = |format: &str| {
        let session = routes::encode(session.id.as_str());
        format!("{}/export?session={session}&format={format}", client.api())
    };
    let (json, markdown) = (export("json"), export("markdown"));
    let pin = if session.pinned_at.is_some() { Shelving::Unpin } else { Shelving::Pin };
    let is_chosen = deeds.selection.with_untracked(|selection| selection.has(&session.id));
    let choose = if is_chosen { "Do not choose" } else { "Choose" };
    let delete = move || {
        if deeds.current.get_untracked() == Some(id.get_value()) {
            go.run("/".to_owned());
        }
        client.delete(&id.get_value());
    };
    let fork =
        move || client.fork_whole(&id.get_value(), move |id: SessionId| go.run(routes::session("", &id)));
    view! {
        <MenuItem handle act=move || deeds.selection.update(|it| it.toggle(&id.get_value()))><Icon shape=Shape::Tick/>{choose}</MenuItem>
        <MenuItem handle act=move || deeds.renamed.set(Some(id.get_value()))><Icon shape=Shape::Pencil/>"Rename"</MenuItem>
        <MenuItem handle act=move || client.shelve(&id.get_value(), pin)><Icon shape=Shape::Pin/>{pin.label()}</MenuItem>
        <MenuItem handle act=fork><Icon shape=Shape::Fork/>"Fork"</MenuItem>
        <MenuLink handle href=markdown><Icon shape=Shape::Down/>"Export as Markdown"</MenuLink>
        <MenuLink handle href=json><Icon shape=Shape::Down/>"Export as JSON"</MenuLink>
        <MenuItem handle act=move || client.shelve(&id.get_value(), Shelving::Archive)><Icon shape=Shape::Box/>"Archive"</MenuItem>
        <MenuItem handle act=delete><Icon shape=Shape::Bin/>"Delete"</MenuItem>
    }
    .into_any()
}
