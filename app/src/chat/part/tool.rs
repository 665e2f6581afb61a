//! A call of a tool: one line that says what was done and how it went, open to arguments and result.

use super::approval::Approval;
use crate::chat::later::{Extra, extra};
use crate::chat::memory_write::MemoryWrite;
use crate::chat::sub_agent::is_agent;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, live};
use leptos::prelude::*;
use protocol::{Part, ToolPart, ToolState};
use serde_json::Value;

/// A tool call. The server shows it folded.
#[component]
pub fn ToolCard(
    /// The part.
    part: Signal<Part>,
    /// Whether no turn runs with it, so that only somebody outside can take it further.
    is_held: Signal<bool>,
) -> impl IntoView {
    let state = Memo::new(move |_| part.with(|part| part.as_tool().map(shown_state)));
    let class = move || match state.get() {
        Some(ToolState::OutputError) => "fold-card is-failure",
        Some(ToolState::ApprovalRequested) => "fold-card is-asking",
        Some(ToolState::InputAvailable) if is_held.get() => "fold-card is-held",
        Some(
            ToolState::InputStreaming
            | ToolState::InputAvailable
            | ToolState::ApprovalResponded
            | ToolState::OutputAvailable
            | ToolState::OutputDenied,
        )
        | None => "fold-card",
    };
    let shape = move || match state.get() {
        Some(ToolState::OutputAvailable) => Shape::Tick,
        Some(ToolState::OutputError | ToolState::OutputDenied) => Shape::Warning,
        Some(
            ToolState::InputStreaming
            | ToolState::InputAvailable
            | ToolState::ApprovalRequested
            | ToolState::ApprovalResponded,
        )
        | None => Shape::Tool,
    };
    let write = Memo::new(move |_| part.with(|part| part.as_tool().and_then(MemoryWrite::of)));
    let is_agent = Memo::new(move |_| part.with(|part| part.as_tool().is_some_and(is_agent)));
    let is_asked = Memo::new(move |_| state.get() == Some(ToolState::ApprovalRequested));
    view! {
        <details class=live(class) open=is_asked.get_untracked()>
            <summary>
                {live(move || Some(view! { <Icon shape=shape()/> }.into_any()))}
                <strong>{live(move || read(part, name))}</strong>
                <span class="fold-brief">{live(move || read(part, brief))}</span>
                <span class="fold-state">{live(move || state.get().map_or("", |state| words(state, is_held)))}</span>
            </summary>
            {live(move || Some(if is_agent.get() { extra(Extra::AgentBody(part)) } else { facts(part) }))}
        </details>
        <When is=is_agent>{extra(Extra::AgentFoot(part))}</When>
        <When is=is_asked>
            <Approval part/>
        </When>
        {live(move || write.get().map(|write| extra(Extra::Memory(write))))}
    }
}

/// A result that a better one will follow is shown, and the call goes on.
fn shown_state(tool: &ToolPart) -> ToolState {
    if tool.call.is_preliminary() { ToolState::ApprovalResponded } else { tool.call.state }
}

fn read(part: Signal<Part>, look: fn(&ToolPart) -> String) -> String {
    part.with(|part| part.as_tool().map(look).unwrap_or_default())
}

fn facts(part: Signal<Part>) -> AnyView {
    view! {
        <dl class="tool-facts">
            <dt>"Arguments"</dt>
            <dd><pre tabindex="0">{live(move || read(part, arguments))}</pre></dd>
            <When is=Memo::new(move |_| part.with(has_result))>
                <dt>"Result"</dt>
                <dd><pre tabindex="0">{live(move || read(part, result))}</pre></dd>
            </When>
        </dl>
    }
    .into_any()
}

fn has_result(part: &Part) -> bool {
    part.as_tool().is_some_and(|tool| tool.call.error_text.is_some() || tool.call.output.is_some())
}

fn name(tool: &ToolPart) -> String {
    if let Some(write) = MemoryWrite::of(tool) {
        return format!("Memory updated: {}", write.label);
    }
    tool.call.title.clone().unwrap_or_else(|| tool.name.clone())
}

/// The arguments in one short line; nothing where the name says it all.
fn brief(tool: &ToolPart) -> String {
    if MemoryWrite::of(tool).is_some() {
        return String::new();
    }
    let Some(Value::Object(input)) = &tool.call.input else { return String::new() };
    let values = input.values().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    values.collect::<Vec<_>>().join(", ").chars().take(120).collect()
}

fn arguments(tool: &ToolPart) -> String {
    tool.call.input.as_ref().map(pretty).unwrap_or_default()
}

fn result(tool: &ToolPart) -> String {
    match (&tool.call.error_text, &tool.call.output) {
        (Some(error), _) => error.clone(),
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(output)) => pretty(output),
        (None, None) => String::new(),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn words(state: ToolState, is_held: Signal<bool>) -> &'static str {
    match state {
        ToolState::InputAvailable if is_held.get() => "waits for a program",
        ToolState::InputStreaming => "preparing…",
        ToolState::InputAvailable | ToolState::ApprovalResponded => "running…",
        ToolState::ApprovalRequested => "waits for approval",
        ToolState::OutputAvailable => "done",
        ToolState::OutputError => "failed",
        ToolState::OutputDenied => "refused",
    }
}
