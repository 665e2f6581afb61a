//! What can be done with a message. The place is always there, so nothing moves when the buttons come.

use super::editing::Editing;
use super::more::MoreButton;
use super::next_step::NextStep;
use super::versions::VersionSwitch;
use crate::chat::transcript::{Delivery, Pin, Speaker};
use crate::client::Client;
use crate::routes;
use crate::ui::copy::CopyButton;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

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
            <When is=is_still>
                <CopyButton what="message" text=source/>
                {button("Edit", Shape::Pencil, move || editing_open(this))}
                {head.with_untracked(|head| head.speaker == Speaker::Model).then(|| again_button(this))}
                {fork_button(this)}
                {pin_button(this)}
                <MoreButton editing=this.get_value()/>
            </When>
            <NextStep editing/>
        </div>
    }
}

fn button(label: &'static str, shape: Shape, act: impl Fn() + 'static) -> AnyView {
    view! {
        <button type="button" class="text-button" on:click=click(move |_| act())>
            <Icon shape/>
            {label}
        </button>
    }
    .into_any()
}

fn editing_open(this: StoredValue<Editing>) {
    this.with_value(|editing| editing.is_open.set(true));
}

fn again_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    button("Regenerate", Shape::Retry, move || {
        this.with_value(|editing| client.retry(&editing.chat, &editing.key));
    })
}

fn fork_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let navigate = StoredValue::new(use_navigate());
    button("Fork", Shape::Fork, move || {
        let editing = this.get_value();
        let id = editing.head.with_untracked(|head| head.id.clone());
        client.fork(&editing.chat, &id, move |session| {
            let address = routes::session("", &session);
            navigate.with_value(|navigate| navigate(&address, leptos_router::NavigateOptions::default()));
        });
    })
}

fn pin_button(this: StoredValue<Editing>) -> AnyView {
    let client = Client::expect();
    let head = this.with_value(|editing| editing.head);
    let is_pinned = Memo::new(move |_| head.with(|head| head.pin == Pin::Pinned));
    let toggle = move |_| {
        let editing = this.get_value();
        let id = head.with_untracked(|head| head.id.clone());
        let pin = if is_pinned.get_untracked() { Pin::Loose } else { Pin::Pinned };
        client.pin(&editing.chat, &editing.key, &id, pin);
    };
    view! {
        <button
            type="button"
            class="text-button"
            title="A pinned message is never folded into a summary"
            aria-pressed=live(move || is_pinned.get().to_string())
            on:click=click(toggle)
        >
            <Icon shape=Shape::Pin/>
            {live(move || if is_pinned.get() { "Pinned" } else { "Pin" })}
        </button>
    }
    .into_any()
}
