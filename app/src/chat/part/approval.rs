//! A tool that asks before it does something, and the two answers.

use crate::client::Client;
use crate::client::messages::Verdict;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::Part;

/// The question and its two answers. The server shows the same.
#[component]
pub fn Approval(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let client = Client::expect();
    let is_answered = RwSignal::new(false);
    let answer = move |verdict: Verdict| {
        click(move |_| {
            let call = part.with_untracked(|part| part.as_tool().map(|tool| tool.call.tool_call_id.clone()));
            if let Some(call) = call {
                is_answered.set(true);
                client.answer_tool(call, verdict);
            }
        })
    };
    let is_over = move || live(move || is_answered.get());
    view! {
        <div class="approval" role="group" aria-label="Approval">
            <Icon shape=Shape::Warning/>
            <span>"This waits for you"</span>
            <button type="button" class="button is-small" disabled=is_over() on:click=answer(Verdict::Approve)>"Approve"</button>
            <button type="button" class="button is-small is-plain" disabled=is_over() on:click=answer(Verdict::Reject)>"Reject"</button>
        </div>
    }
}
