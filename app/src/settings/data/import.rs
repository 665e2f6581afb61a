//! Reads an exported file back, and says of each of its chats what became of it.

use super::report::{Line, Report};
use crate::api::upload;
use crate::backend::told;
use crate::client::Client;
use crate::ui::when::live;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What the browser offers to choose from.
const ACCEPTED: &str = "application/json,.json,application/zip,.zip";

/// How far an import has come.
#[derive(Clone)]
enum Import {
    Idle,
    Reading,
    Done(Report),
    Failed(String),
}

#[component]
pub fn Import() -> impl IntoView {
    let client = Client::expect();
    let node = NodeRef::<Input>::new();
    let state = RwSignal::new(Import::Idle);
    let read = move |_| {
        let Some(input) = node.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        input.set_value("");
        state.set(Import::Reading);
        let answer = upload(client, "/import", file.into());
        spawn_local(async move {
            let next = match answer.await.map(|text| told::read::<Report>(&text)) {
                Ok(Some(report)) => Import::Done(report),
                Ok(None) => Import::Failed("The server's report cannot be read.".to_owned()),
                Err(refusal) => Import::Failed(refusal.error.message),
            };
            let _left = state.try_set(next);
        });
    };
    let line = |line: &Line| {
        let is_failure = line.problem.is_some();
        view! { <li class:form-problem=is_failure dir="auto">{line.text()}</li> }.into_any()
    };
    let shown = move || match &*state.read() {
        Import::Idle => None,
        Import::Reading => Some(view! { <p class="panel-note">"Reading the file…"</p> }.into_any()),
        Import::Failed(problem) => {
            Some(view! { <p class="form-problem" dir="auto">{problem.clone()}</p> }.into_any())
        }
        Import::Done(report) => {
            let lines: Vec<_> = report.sessions.iter().map(line).collect();
            Some(view! { <p>{report.summary()}</p><ul class="import-report">{lines}</ul> }.into_any())
        }
    };
    view! {
        <section class="setting" aria-labelledby="data-import">
            <h3 id="data-import">"Import"</h3>
            <p class="panel-note">"A file that was exported here, or the archive that ChatGPT, Claude or Open WebUI export. What is here already stays as it is."</p>
            <label class="quiet-button file-button">
                "Choose a file"
                <input node_ref=node type="file" accept=ACCEPTED class="sr-only" on:change=read/>
            </label>
            <div role="status">{live(shown)}</div>
        </section>
    }
}
