//! What can be done with a message. The place is always there, so nothing moves when the buttons come.

use super::editing::Editing;
use super::more::MoreButton;
use super::next_step::NextStep;
use super::versions::VersionSwitch;
use crate::chat::transcript::{Delivery, Pin, Speaker};
use crate::client::Client;
use crate::ui::copy::CopyButton;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

const PIN_TITLE: &str = "A pinned message is never folded into a summary";

/// What can be done with a row.
#[component]
pub fn Actions(editing: Editing) -> impl IntoView {
    let head = editing.head;
    let is_still = Memo::new(move |_| {
        head.with(|head| head.progress.is_none() && head.delivery == Delivery::Settled && head.fold.is_none())
    });
    let this = StoredValue::new(editing.clone());
    let source = Callback::new(move |()| this.with_value(Editing::source));
    view! {
        <div class="actions">
            <VersionSwitch chat=editing.chat.clone() head/>
            <NextStep editing/>
            <When is=is_still>
                <CopyButton what="message" text=source/>
                {edit_button(this)}
                {head.with_untracked(|head| head.speaker == Speaker::Model).then(|| again_button(this))}
                {fork_button(this)}
                {pin_button(this)}
                <MoreButton editing=this.get_value()/>
            </When>
        </div>
    }
}

/// A narrow screen has room for the sign only.
fn button(class: &'static str, label: &'static str, shape: Shape, act: impl Fn() + 'static) -> AnyView {
    view! {
        <button type="button" class=class on:click=click(move |_| act())>
            <Icon shape/>
            <span>{label}</span>
        </button>
    }
    .into_any()
}

/// Has a name by which the focus finds its way back (`EDIT_BUTTON`).
fn edit_button(this: StoredValue<Editing>) -> AnyView {
    button("text-button edit-button", "Edit", Shape::Pencil, move || this.with_value(Editing::open))
}

fn again_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    button("text-button", "Regenerate", Shape::Retry, move || {
        this.with_value(|editing| client.retry(&editing.chat, &editing.key));
    })
}

fn fork_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let navigate = use_navigate();
    let go = Callback::new(move |address: String| navigate(&address, NavigateOptions::default()));
    button("text-button wide-only", "Fork", Shape::Fork, move || this.with_value(|it| it.fork(client, go)))
}

fn pin_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let head = this.with_value(|editing| editing.head);
    let is_pinned = Memo::new(move |_| head.with(|head| head.pin == Pin::Pinned));
    view! {
        <button
            type="button"
            class="text-button wide-only"
            title=PIN_TITLE
            aria-pressed=live(move || is_pinned.get().to_string())
            on:click=click(move |_| this.with_value(|it| it.toggle_pin(client)))
        >
            <Icon shape=Shape::Pin/>
            {live(move || if is_pinned.get() { "Pinned" } else { "Pin" })}
        </button>
    }
    .into_any()
}
