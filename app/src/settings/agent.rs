//! What the agent is: its model, its limits, its tools and blocks, its tool servers. As the server tells it;
//! nothing here can be changed, since an agent is defined in the server's configuration.

mod facts;

use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::ui::when::live;
use facts::{Fact, Part, parts};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

#[component]
pub fn AgentSection() -> impl IntoView {
    let client = Client::expect();
    let agent = RwSignal::new(None::<Result<Value, String>>);
    let answer = Ask::get("/agent".to_owned()).send(client);
    spawn_local(async move {
        let told = answer.await.map_err(|refusal| refusal.error.message);
        let _left = agent.try_set(Some(told.map(|text| told::read(&text).unwrap_or_default())));
    });
    let shown = move || {
        Some(match &*agent.read() {
            None => view! { <p class="panel-note" role="status">"Asking the server…"</p> }.into_any(),
            Some(Err(problem)) => {
                view! { <p class="panel-note" role="alert">{problem.clone()}</p> }.into_any()
            }
            Some(Ok(agent)) => parts(agent).into_iter().map(part).collect::<Vec<_>>().into_any(),
        })
    };
    view! {
        <h2>"Agent"</h2>
        {live(shown)}
    }
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
