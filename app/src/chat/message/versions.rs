//! Which version of a message this is, and the way to its neighbours.

use crate::chat::compare::Compared;
use crate::chat::signals::Chat;
use crate::chat::transcript::{Head, Versions};
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use protocol::MessageId;

/// The version before.
pub fn before(versions: Versions) -> Option<MessageId> {
    versions.previous()
}

/// The version after.
pub fn after(versions: Versions) -> Option<MessageId> {
    versions.next()
}

/// The switch between versions. Nothing where there is one; at an end the button there is disabled and nothing wraps.
#[component]
pub fn VersionSwitch(chat: Chat, head: Signal<Head>) -> impl IntoView {
    let client = Client::expect();
    let has_versions = Memo::new(move |_| head.with(|head| head.versions.is_some()));
    let chat = StoredValue::new(chat);
    let step = move |side: fn(Versions) -> Option<MessageId>| {
        click(move |_| chat.with_value(|chat| client.step_version(chat, head, side)))
    };
    let compare = move |_| {
        let id = head.with_untracked(|head| head.id.clone());
        chat.with_value(|chat| chat.compared().set(Some(Compared::Versions(id))));
    };
    let is_end = move |side: fn(Versions) -> Option<MessageId>| {
        live(move || head.with(|head| head.versions.clone()).and_then(side).is_none())
    };
    view! {
        <When is=has_versions>
            <span class="versions" role="group" aria-label=live(move || words(head, "Version ", " of "))>
                <button type="button" class="icon-button is-back" aria-label="Previous version" disabled=is_end(before) on:click=step(before)>
                    <Icon shape=Shape::Chevron/>
                </button>
                <button type="button" class="version-count" aria-label="Compare the versions" title="Compare the versions" on:click=click(compare)>
                    {live(move || words(head, "", " / "))}
                </button>
                <button type="button" class="icon-button" aria-label="Next version" disabled=is_end(after) on:click=step(after)>
                    <Icon shape=Shape::Chevron/>
                </button>
            </span>
        </When>
    }
}

fn words(head: Signal<Head>, lead: &str, of: &str) -> String {
    head.with(|head| head.versions.as_ref().map(|it| format!("{lead}{}{of}{}", it.number, it.ids.len())))
        .unwrap_or_default()
}
