//! One row of the transcript: rail, who speaks, what is said, how it ended, what can be done.

mod actions;
mod outcome;
mod who;

use super::part::PartView;
use super::pulse::Pulse;
use super::rail::Rail;
use super::signals::{Chat, PartSlot, RowSignals};
use super::transcript::{Head, Progress, RowKey, Speaker};
use crate::ui::list::{List, item, items};
use crate::ui::when::{When, live};
use actions::Actions;
use leptos::prelude::*;
use outcome::Outcome;
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
    let class = move || match head.with(|head| head.speaker) {
        Speaker::Person => "row is-person",
        Speaker::Model => "row is-model",
        Speaker::Note => "row is-note",
    };
    let parts = row.parts.clone();
    let each = items(move || {
        let row = |slot: PartSlot| item(&slot.key, move || view! { <PartView head part=slot.part/> });
        parts.get().into_iter().map(row).collect()
    });
    let is_waiting = Memo::new(move |_| head.with(|head| head.progress == Some(Progress::Waiting)));
    view! {
        <li class=live(class)>
            <Rail head/>
            <article class="message">
                <Who head/>
                <div class="said">
                    <List each=each/>
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
