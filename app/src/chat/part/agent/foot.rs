//! Below the card of another agent: what it is doing, the way to its chat, and what it has used.

use crate::chat::sub_agent::{Step, SubAgent, Work, usage};
use crate::client::Client;
use crate::routes;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, follow, live, memo};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Awaited, Part, SessionId, SessionInfo};

/// The lines. Part of what comes late.
#[component]
pub fn AgentFoot(
    /// The call.
    part: Signal<Part>,
) -> impl IntoView {
    let agent = Memo::new(move |_| part.with(|part| part.as_tool().and_then(SubAgent::of)));
    let session = Memo::new(move |_| agent.with(|agent| agent.as_ref().map(|agent| agent.session.clone())));
    let steps = move || match agent.get()?.state {
        Work::Running(steps) if !steps.is_empty() => {
            let steps: Vec<_> = steps.into_iter().map(step).collect();
            Some(view! { <ol class="agent-steps" aria-label="What it does">{steps}</ol> }.into_any())
        }
        Work::Running(_) | Work::Done(_) | Work::Failed(_) => None,
    };
    view! {
        <div class="agent-foot">
            {live(steps)}
            {live(move || session.get().map(chat_of))}
        </div>
    }
}

fn step(step: Step) -> AnyView {
    match step {
        Step::Call(tool) => view! { <li class="is-call"><Icon shape=Shape::Tool/>{tool}</li> }.into_any(),
        Step::Line(line) => view! { <li dir="auto">{line}</li> }.into_any(),
    }
}

/// The way to the chat of an agent, and what it has used.
fn chat_of(session: SessionId) -> AnyView {
    let client = Client::expect();
    let href = routes::session(&client.base(), &session);
    let wanted = session.clone();
    follow(move || {
        let wanted = wanted.clone();
        spawn_local(async move { client.know(&wanted).await });
    });
    let info: Memo<Option<SessionInfo>> = memo(move || client.sessions().read().get(&session).cloned());
    let used = move || info.read().as_ref().map(usage).unwrap_or_default();
    let waits_for = Memo::new(move |_| info.read().as_ref().and_then(|info| info.waiting));
    let is_waiting = Memo::new(move |_| waits_for.get() == Some(Awaited::Approval));
    let is_held = Memo::new(move |_| waits_for.get() == Some(Awaited::Tool));
    view! {
        <p class="agent-chat">
            <a class="text-button is-strong" href=href><Icon shape=Shape::Fork/>"Open its chat"</a>
            <When is=is_waiting><strong class="agent-waits">"It waits for you there"</strong></When>
            <When is=is_held><span>"It waits for a program"</span></When>
            <span>{live(used)}</span>
        </p>
    }
    .into_any()
}
