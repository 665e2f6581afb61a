//! A tool that asks before it does something, and the answers.

pub mod options;

use crate::chat::later::{Extra, extra};
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use protocol::{Answered, Part, ToolVerdict};
use std::time::Duration;

/// How long the buttons rest after an answer; the card goes when the server has taken it.
const REST: Duration = Duration::from_secs(4);

/// The question and its answers. The server shows the same, without what else may be said.
#[component]
pub fn Approval(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let client = Client::expect();
    let (is_answered, has_more) = (RwSignal::new(false), RwSignal::new(false));
    let send = Callback::new(move |verdict: ToolVerdict| {
        is_answered.set(true);
        client.answer_tool(verdict);
        set_timeout(
            move || {
                let _left = is_answered.try_set(false);
            },
            REST,
        );
    });
    let answer = move |answer: Answered| {
        click(move |_| {
            let call = part.with_untracked(|part| part.as_tool().map(|tool| tool.call.tool_call_id.clone()));
            if let Some(call) = call {
                send.run(ToolVerdict::new(call, answer));
            }
        })
    };
    let is_over = move || live(move || is_answered.get());
    view! {
        <div class="approval" role="group" aria-label="Approval">
            <Icon shape=Shape::Warning/>
            <span>"May it run?"</span>
            <button type="button" class="button is-small is-main" disabled=is_over() on:click=answer(Answered::Yes)>"Approve"</button>
            <button type="button" class="button is-small is-plain" disabled=is_over() on:click=answer(Answered::No)>"Reject"</button>
            <button
                type="button"
                class="text-button is-strong"
                aria-expanded=live(move || has_more.get().to_string())
                on:click=click(move |_| has_more.update(|open| *open = !*open))
            >
                "Options"
            </button>
            <When is=has_more>{extra(Extra::Approval(part, send))}</When>
        </div>
    }
}
