//! The line above a message: who speaks, when, by which model, at what cost.

use crate::chat::time::TimeOfDay;
use crate::chat::transcript::{Head, Progress};
use crate::client::Client;
use crate::format;
use crate::ui::when::live;
use leptos::prelude::*;

/// Who speaks, when, by which model, at what cost.
#[component]
pub fn Who(head: Signal<Head>) -> impl IntoView {
    let client = Client::expect();
    let name = move || head.with(|head| head.speaker.name());
    let said_at = move || head.with(|head| head.said_at.or(head.turn.as_ref().map(|turn| turn.started_at)));
    view! {
        <header class="who">
            <h2>{live(name)}</h2>
            {live(move || said_at().map(|moment| view! { <TimeOfDay moment/> }.into_any()))}
            <span class="facts">{live(move || head.with(|head| facts(head, client)))}</span>
        </header>
    }
}

fn facts(head: &Head, client: Client) -> String {
    let mut facts = Vec::new();
    if let Some(turn) = &head.turn {
        facts.push(client.model_name(&turn.model));
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
