//! Looks through the store for damage, and mends what can be mended.

use super::findings::{Finding, Findings};
use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::json;

/// What the doctor says; none before it is asked.
type Told = Option<Result<Findings, String>>;

#[component]
pub fn Doctor() -> impl IntoView {
    let client = Client::expect();
    let told = RwSignal::new(None);
    let is_busy = RwSignal::new(false);
    let ask = move |ask: Ask| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = ask.send(client).await.map_err(|refusal| refusal.error.message);
            let _left =
                told.try_set(Some(answer.map(|text| told::read::<Findings>(&text).unwrap_or_default())));
            let _left = is_busy.try_set(false);
        });
    };
    let can_mend = Memo::new(move |_| matches!(&*told.read(), Some(Ok(found)) if found.can_be_mended()));
    view! {
        <section class="setting" aria-labelledby="data-doctor">
            <h3 id="data-doctor">"Doctor"</h3>
            <p class="panel-note">"Reads everything and names what is wrong. Repair throws nothing away."</p>
            <div class="setting-row">
                <button
                    type="button"
                    class="quiet-button"
                    disabled=live(move || is_busy.get())
                    on:click=click(move |_| ask(Ask::get("/doctor".to_owned())))
                >
                    "Examine"
                </button>
                <When is=can_mend>
                    <button
                        type="button"
                        class="quiet-button"
                        on:click=click(move |_| ask(Ask::post("/doctor/repair".to_owned(), json!({}))))
                    >
                        "Repair"
                    </button>
                </When>
            </div>
            <div role="status">{live(move || shown(&told.read()))}</div>
        </section>
    }
}

fn shown(told: &Told) -> Option<AnyView> {
    let row = |finding: &Finding| {
        view! { <li><span class="tag">{finding.code.clone()}</span>" "<span dir="auto">{finding.text()}</span></li> }.into_any()
    };
    match told {
        None => None,
        Some(Err(problem)) => Some(view! { <p class="form-problem">{problem.clone()}</p> }.into_any()),
        Some(Ok(found)) => {
            let rows: Vec<_> = found.findings.iter().map(row).collect();
            Some(view! { <p>{found.summary()}</p><ul class="import-report">{rows}</ul> }.into_any())
        }
    }
}
