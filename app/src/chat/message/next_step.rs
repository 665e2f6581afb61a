//! The way on from a turn that did not end well, or from a message that was not taken.

use super::editing::Editing;
use crate::chat::transcript::{Delivery, Head, Words};
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::TurnStatus;

/// What is said to a model whose answer was stopped or cut off.
const GO_ON: &str = "Continue exactly where you stopped.";

/// What can be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Nothing,
    /// Another try.
    Retry,
    /// More of the same answer, or another try.
    Continue,
    /// Send again what was refused, or change it.
    Resend,
}

fn next(head: &Head) -> Next {
    let may_go_on = head.ending.as_ref().is_some_and(|ending| match ending.status {
        TurnStatus::Stopped | TurnStatus::CutOff | TurnStatus::StepLimit | TurnStatus::Interrupted => true,
        TurnStatus::Running | TurnStatus::Complete | TurnStatus::Failed | TurnStatus::Refused => false,
    });
    match (&head.delivery, &head.retry) {
        (Delivery::Refused(_), _) => Next::Resend,
        (_, Some(_)) if may_go_on => Next::Continue,
        (_, Some(_)) => Next::Retry,
        (_, None) => Next::Nothing,
    }
}

/// The way on, where there is one.
#[component]
pub fn NextStep(editing: Editing) -> impl IntoView {
    let head = editing.head;
    let step = Memo::new(move |_| head.with(next));
    let client = Client::expect();
    let this = StoredValue::new(editing);
    let retry = move || this.with_value(|editing| client.retry(&editing.chat, &editing.key));
    let go_on = move || this.with_value(|editing| client.send(&editing.chat, Words::text(GO_ON)));
    let again = move || this.with_value(|editing| client.send_again(&editing.chat, &editing.key));
    let take_back = move || this.with_value(|editing| client.take_back(&editing.chat, &editing.key));
    view! {
        {live(move || match step.get() {
            Next::Nothing => None,
            Next::Retry => Some(button("Retry", Shape::Retry, retry)),
            Next::Continue => Some(
                view! {
                    {button("Continue", Shape::Chevron, go_on)}
                    {button("Retry", Shape::Retry, retry)}
                }
                .into_any(),
            ),
            Next::Resend => Some(
                view! {
                    {button("Send again", Shape::Retry, again)}
                    {button("Edit", Shape::Pencil, take_back)}
                }
                .into_any(),
            ),
        })}
    }
}

fn button(label: &'static str, shape: Shape, act: impl Fn() + 'static) -> AnyView {
    view! {
        <button type="button" class="text-button is-strong" on:click=click(move |_| act())>
            <Icon shape/>
            {label}
        </button>
    }
    .into_any()
}
