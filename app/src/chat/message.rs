//! One row of the transcript: rail, who speaks, what is said, how it ended, what can be done.

use super::ending::{Arrived, EndingNote, words};
use super::part::PartView;
use super::rail::Rail;
use super::signals::{Chat, RowSignals};
use super::time::TimeOfDay;
use super::transcript::{Delivery, Head, Progress, RowKey, Speaker};
use crate::client::Client;
use crate::format;
use crate::ui::copy::CopyButton;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click};
use leptos::prelude::*;
use protocol::Part;

/// One row.
#[component]
pub fn MessageRow(
    /// Its session.
    chat: Chat,
    /// Its name.
    key: RowKey,
    /// Its signals.
    row: RowSignals,
) -> impl IntoView {
    let head: Signal<Head> = row.head.clone().into();
    let class = move || match head.with(|head| head.speaker) {
        Speaker::Person => "row is-person",
        Speaker::Model => "row is-model",
        Speaker::Note => "row is-note",
    };
    let parts = row.parts.clone();
    let is_waiting = Memo::new(move |_| head.with(|head| head.progress == Some(Progress::Waiting)));
    view! {
        <li class=move || class()>
            <Rail head/>
            <article class="message">
                <Who head/>
                <div class="said">
                    <For each=move || parts.get() key=|slot| slot.key.clone() let:slot>
                        <PartView head part=slot.part/>
                    </For>
                </div>
                <When is=is_waiting>
                    <Pulse/>
                </When>
                <Outcome head parts=row.parts/>
                <Actions chat key head/>
            </article>
        </li>
    }
}

/// Who speaks, when, by which model, at what cost.
#[component]
fn Who(head: Signal<Head>) -> impl IntoView {
    let name = move || match head.with(|head| head.speaker) {
        Speaker::Person => "You",
        Speaker::Model => "Bough",
        Speaker::Note => "Note",
    };
    let said_at = move || head.with(|head| head.said_at.or(head.turn.as_ref().map(|turn| turn.started_at)));
    let versions = move || {
        let versions = head.with(|head| head.versions)?;
        let label = format!("Version {} of {}", versions.number, versions.count);
        let text = format!("{} / {}", versions.number, versions.count);
        Some(view! { <span class="versions" role="img" aria-label=label>{text}</span> }.into_any())
    };
    view! {
        <header class="who">
            <h2>{move || name()}</h2>
            {move || said_at().map(|moment| view! { <TimeOfDay moment/> }.into_any())}
            <span class="facts">{move || head.with(facts)}</span>
            {move || versions()}
        </header>
    }
}

fn facts(head: &Head) -> String {
    let mut facts = Vec::new();
    if let Some(turn) = &head.turn {
        facts.push(format::model(&turn.model).to_owned());
        if let Some(usage) = turn.usage {
            facts.push(format::tokens(usage.output_tokens));
        }
        if let Some(end) = turn.finished_at {
            facts.push(format::duration(end.saturating_sub(turn.started_at)));
        }
    }
    match head.progress {
        Some(Progress::Waiting | Progress::Writing) => facts.push("writing…".to_owned()),
        Some(Progress::Stopping) => facts.push("stopping…".to_owned()),
        None => {}
    }
    facts.join(" · ")
}

/// The sign of life before the first word.
#[component]
pub fn Pulse() -> impl IntoView {
    view! { <p class="pulse"><span class="sr-only">"The answer is on its way"</span></p> }
}

/// How far a message of a person has come, or how an answer ended.
#[component]
fn Outcome(head: Signal<Head>, parts: ArcRwSignal<Vec<super::signals::PartSlot>>) -> impl IntoView {
    let delivery = move || match head.with(|head| head.delivery.clone()) {
        Delivery::Settled => None,
        Delivery::Unsent => Some(("delivery", "Waits for the connection".to_owned())),
        Delivery::Waiting => Some(("delivery", "Waits for the answer before it".to_owned())),
        Delivery::Refused(reason) => Some(("delivery is-failure", format!("Not sent. {reason}"))),
    };
    let ending = move || {
        let arrived = if parts.with(Vec::is_empty) { Arrived::Nothing } else { Arrived::Something };
        head.with(|head| head.ending.as_ref().and_then(|ending| words(ending, arrived)))
    };
    view! {
        {move || delivery().map(|(class, text)| view! { <p class=class dir="auto">{text}</p> }.into_any())}
        {move || ending().map(|(gravity, text)| view! { <EndingNote gravity text/> }.into_any())}
    }
}

/// What can be done with a row. The place is always there, so nothing moves when the buttons come.
#[component]
fn Actions(chat: Chat, key: RowKey, head: Signal<Head>) -> impl IntoView {
    let client = Client::expect();
    let is_still = Memo::new(move |_| head.with(|head| head.progress.is_none()));
    let retry = {
        let chat = chat.clone();
        move || {
            let row = head.with(|head| head.retry.clone())?;
            let chat = chat.clone();
            let again = move |_| client.retry(&chat, &row);
            Some(
                view! {
                    <button type="button" class="text-button is-strong" on:click=click(again)>
                        <Icon shape=Shape::Retry/>
                        "Retry"
                    </button>
                }
                .into_any(),
            )
        }
    };
    let refused = {
        let (chat, key) = (chat.clone(), key.clone());
        move || {
            let is_refused = head.with(|head| matches!(head.delivery, Delivery::Refused(_)));
            is_refused.then(|| refusal_actions(client, chat.clone(), key.clone()))
        }
    };
    let source = Callback::new(move |()| chat.read(|transcript| source_of(transcript.parts(&key))));
    view! {
        <div class="actions">
            <When is=is_still>
                <CopyButton what="message" text=source/>
            </When>
            {move || retry()}
            {move || refused()}
        </div>
    }
}

fn refusal_actions(client: Client, chat: Chat, key: RowKey) -> AnyView {
    let again = {
        let (chat, key) = (chat.clone(), key.clone());
        move |_| client.send_again(&chat, &key)
    };
    view! {
        <button type="button" class="text-button is-strong" on:click=click(again)>
            <Icon shape=Shape::Retry/>
            "Send again"
        </button>
        <button type="button" class="text-button" on:click=click(move |_| client.take_back(&chat, &key))>
            <Icon shape=Shape::Pencil/>
            "Edit"
        </button>
    }
    .into_any()
}

/// What was said, as it was written.
fn source_of(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n\n")
}
