//! More to say to a tool that asks: other arguments, yes for good, or no with a reason.

use crate::chat::approval_state::{arguments_of, reason_of};
use crate::ui::when::{click, live};
use leptos::html::{Input, Textarea};
use leptos::prelude::*;
use protocol::{Answered, Part, ToolVerdict};

/// The arguments in a field, a box for good, and a field for a reason.
#[component]
pub fn ApprovalOptions(part: Signal<Part>, send: Callback<ToolVerdict>) -> impl IntoView {
    let (input, always, reason) =
        (NodeRef::<Textarea>::new(), NodeRef::<Input>::new(), NodeRef::<Input>::new());
    let problem = RwSignal::new(None::<String>);
    let tool = part.with_untracked(|part| part.as_tool().cloned());
    let old = tool.as_ref().and_then(|tool| tool.call.input.clone());
    let name = tool.as_ref().map(|tool| tool.name.clone()).unwrap_or_default();
    let call = tool.map(|tool| tool.call.tool_call_id);
    let text =
        old.as_ref().map(|old| serde_json::to_string_pretty(old).unwrap_or_default()).unwrap_or_default();
    let (asked, refused) = (call.clone(), call);
    let approve = move |_| {
        let typed = input.get_untracked().map(|field| field.value()).unwrap_or_default();
        let always = always.get_untracked().is_some_and(|field| field.checked());
        match (arguments_of(&typed, old.as_ref()), asked.clone()) {
            (Ok(input), Some(call)) => {
                send.run(ToolVerdict { input, always, ..ToolVerdict::new(call, Answered::Yes) });
            }
            (Ok(_), None) => {}
            (Err(text), _) => problem.set(Some(text)),
        }
    };
    let reject = move |_| {
        let typed = reason.get_untracked().map(|field| field.value()).unwrap_or_default();
        if let Some(call) = refused.clone() {
            send.run(ToolVerdict { reason: reason_of(&typed), ..ToolVerdict::new(call, Answered::No) });
        }
    };
    view! {
        <div class="approval-options">
            <label class="approval-field">
                "Arguments"
                <textarea node_ref=input rows="4" spellcheck="false">{text}</textarea>
            </label>
            {live(move || problem.get().map(|text| view! { <p class="approval-problem" role="alert">{text}</p> }.into_any()))}
            <label class="approval-always">
                <input type="checkbox" node_ref=always/>
                {format!("Always allow {name} in this chat")}
            </label>
            <button type="button" class="button is-small is-main" on:click=click(approve)>"Approve these arguments"</button>
            <label class="approval-field">
                "Reason, which the model reads"
                <input type="text" dir="auto" node_ref=reason/>
            </label>
            <button type="button" class="button is-small is-plain" on:click=click(reject)>"Reject with the reason"</button>
        </div>
    }
}
