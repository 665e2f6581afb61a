//! One row of the transcript: rail, who speaks, what is said, how it ended, what can be done.

mod actions;
pub mod editing;
pub mod editor;
pub mod fold;
pub mod more;
mod next_step;
mod outcome;
mod said;
mod versions;
pub mod waiting;
mod who;

use super::later::{Extra, extra};
use super::pulse::Pulse;
use super::rail::Rail;
use super::signals::{Chat, RowSignals};
use super::transcript::{Head, Progress, RowKey, Speaker};
use crate::browser;
use crate::client::Client;
use crate::ui::when::{When, key as on_key, live};
use actions::Actions;
use editing::Editing;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use outcome::Outcome;
use said::Said;
use who::Who;

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
    let client = Client::expect();
    let class = move || match head.with(|head| (head.fold.is_some(), head.speaker)) {
        (true, _) => "row is-fold",
        (false, Speaker::Person) => "row is-person",
        (false, Speaker::Model) => "row is-model",
        (false, Speaker::Note) => "row is-note",
    };
    let editing = Editing { chat: chat.clone(), key, head, words: row.edited.clone().into() };
    let is_waiting = Memo::new(move |_| head.with(|head| head.progress == Some(Progress::Waiting)));
    let is_held = Memo::new(move |_| head.with(|head| head.waits_for.is_some()));
    let held = editing.clone();
    let step = move |press: KeyboardEvent| {
        if browser::is_in_field(&press) {
            return;
        }
        match press.key().as_str() {
            "ArrowLeft" => client.step_version(&chat, head, versions::before),
            "ArrowRight" => client.step_version(&chat, head, versions::after),
            _ => {}
        }
    };
    view! {
        <li class=live(class) id=live(move || head.with(|head| browser::row_id(head.id.as_str())))>
            <Rail head/>
            <article class="message" on:keydown=on_key(step)>
                <Who head/>
                <Said editing=editing.clone() parts=row.parts.clone()/>
                <When is=is_waiting>
                    <Pulse/>
                </When>
                <Outcome head parts=row.parts/>
                <When is=is_held>{extra(Extra::Waiting(held.clone()))}</When>
                <Actions editing/>
            </article>
        </li>
    }
}
