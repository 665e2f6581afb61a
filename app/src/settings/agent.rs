//! What the agent is: its model, its limits, its tools and blocks, its tool servers. As the server tells it;
//! nothing here can be changed, since an agent is defined in the server's configuration.

mod facts;

use super::answer::answer;
use facts::{Fact, Part, parts};
use leptos::prelude::*;
use serde_json::Value;

#[component]
pub fn AgentSection() -> impl IntoView {
    view! {
        <h2>"Agent"</h2>
        {answer("/agent", "Asking the server…", shown)}
    }
}

fn shown(agent: &Value) -> AnyView {
    parts(agent).into_iter().map(part).collect::<Vec<_>>().into_any()
}

fn part(Part { heading, facts, note }: Part) -> AnyView {
    let fact = |Fact { name, mark, text }: Fact| {
        let mark = mark.map(|mark| view! { <span class="tag">{mark}</span> }.into_any());
        view! { <div class="fact"><dt dir="auto">{name}{mark}</dt><dd dir="auto">{text}</dd></div> }
            .into_any()
    };
    let facts: Vec<_> = facts.into_iter().map(fact).collect();
    let shown = if facts.is_empty() {
        view! { <p class="panel-note">{note}</p> }.into_any()
    } else {
        view! { <dl class="facts">{facts}</dl> }.into_any()
    };
    view! { <section class="setting"><h3>{heading}</h3>{shown}</section> }.into_any()
}
