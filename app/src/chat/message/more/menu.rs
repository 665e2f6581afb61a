//! What else can be done with a message, and what it cost.

use super::usage::usage_lines;
use crate::browser;
use crate::chat::compare::Compared;
use crate::chat::message::editing::Editing;
use crate::chat::transcript::{Pin, Speaker};
use crate::client::Client;
use crate::client::messages::Reach;
use crate::routes;
use crate::ui::icon::{Icon, Shape};
use crate::ui::menu::{Anchor, Menu, MenuHandle, MenuItem};
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

/// The menu. It opens as soon as it is there.
#[component]
pub fn MoreMenu(editing: Editing, menu: MenuHandle) -> impl IntoView {
    let client = Client::expect();
    let head = editing.head;
    let this = StoredValue::new(editing);
    follow(move || {
        let row = head.with_untracked(|head| head.id.clone());
        request_animation_frame(move || {
            if let Some(button) = browser::find_in_row(row.as_str(), "[aria-haspopup=menu]") {
                menu.open_at(Anchor::of(&button));
            }
        });
    });
    let delete = move |reach: Reach| {
        move || {
            let id = head.with_untracked(|head| head.id.clone());
            this.with_value(|editing| client.delete_message(&editing.chat, &id, reach));
        }
    };
    let link = move || {
        let id = head.with_untracked(|head| head.id.clone());
        let session = this.with_value(|editing| editing.chat.session().clone());
        let address = routes::message(&client.base(), &session, &id);
        if browser::copy(&browser::whole_address(&address)) {
            client.toasts().note("Link copied");
        }
    };
    let versions = version_items(menu, this);
    let narrow = browser::is_phone().then(|| narrow_items(menu, this));
    let fold = move || this.with_value(|editing| client.fold_now(editing.chat.clone()));
    let usage = move || {
        let lines = this.with_value(|editing| usage_lines(head.read().turn.as_ref(), &editing.source()));
        let line = |text: String| view! { <span>{text}</span> };
        Some(lines.into_iter().map(line).collect::<Vec<_>>().into_any())
    };
    view! {
        <Menu handle=menu label="More actions">
            {versions}
            {narrow}
            <MenuItem handle=menu act=link>
                <Icon shape=Shape::Link/>
                "Copy link"
            </MenuItem>
            <MenuItem handle=menu act=fold>
                <Icon shape=Shape::Fold/>
                "Fold older messages now"
            </MenuItem>
            <MenuItem handle=menu act=delete(Reach::Message)>
                <Icon shape=Shape::Bin/>
                "Delete message"
            </MenuItem>
            <MenuItem handle=menu act=delete(Reach::Subtree)>
                <Icon shape=Shape::Bin/>
                "Delete with all that follows"
            </MenuItem>
            <li role="none" class="menu-facts">{live(usage)}</li>
        </Menu>
    }
}

/// Other versions: made by other models, and side by side.
fn version_items(menu: MenuHandle, this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let head = this.with_value(|editing| editing.head);
    let another = move || this.with_value(|editing| client.ask_another_model(&editing.chat, &editing.key));
    let compare = move |what: Compared| this.with_value(|editing| editing.chat.compared().set(Some(what)));
    let several = move || compare(Compared::Models(this.with_value(|editing| editing.key.clone())));
    let beside = move || compare(Compared::Versions(head.with_untracked(|head| head.id.clone())));
    let is_answer = head.with_untracked(|head| head.speaker == Speaker::Model);
    let has_versions = head.with_untracked(|head| head.versions.is_some());
    let of_answers = is_answer.then(|| {
        view! {
            <MenuItem handle=menu act=another><Icon shape=Shape::Retry/>"Regenerate with another model"</MenuItem>
            <MenuItem handle=menu act=several><Icon shape=Shape::Columns/>"Try with several models"</MenuItem>
        }
    });
    let of_versions = has_versions.then(|| {
        view! { <MenuItem handle=menu act=beside><Icon shape=Shape::Columns/>"Compare the versions"</MenuItem> }
    });
    (of_answers, of_versions).into_any()
}

/// What stands beside the message where there is room for it.
fn narrow_items(menu: MenuHandle, this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let navigate = use_navigate();
    let go = Callback::new(move |address: String| navigate(&address, NavigateOptions::default()));
    let head = this.with_value(|editing| editing.head);
    let pin = move || if head.with(|head| head.pin == Pin::Pinned) { "Unpin" } else { "Pin" };
    view! {
        <MenuItem handle=menu act=move || this.with_value(|it| it.fork(client, go))>
            <Icon shape=Shape::Fork/>
            "Fork"
        </MenuItem>
        <MenuItem handle=menu act=move || this.with_value(|it| it.toggle_pin(client))>
            <Icon shape=Shape::Pin/>
            {live(pin)}
        </MenuItem>
    }
    .into_any()
}
