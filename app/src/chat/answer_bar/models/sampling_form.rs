//! How the model of a session chooses its words: a few numbers, each left to the provider while its field is empty.

use super::sampling::{KNOBS, Knob, sampling_of};
use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::client::shelves::path;
use crate::ui::when::live;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::SessionId;
use serde_json::{Value, json};

/// The form; what is typed counts when the field is left.
#[component]
pub fn SamplingForm(session: SessionId) -> impl IntoView {
    let client = Client::expect();
    let typed = RwSignal::new(Vec::from(KNOBS.map(|_| String::new())));
    let problem = RwSignal::new(None::<String>);
    let address = StoredValue::new(path(&session, ""));
    let answer = Ask::get(address.get_value()).send(client);
    spawn_local(async move {
        let Ok(text) = answer.await else { return };
        let session = told::read::<Value>(&text).unwrap_or_default();
        let sampling = session.get("sampling").cloned().unwrap_or_default();
        let _left = typed.try_set(Vec::from(KNOBS.map(|knob| knob.shown(&sampling))));
    });
    let keep = move || match sampling_of(&typed.read_untracked()) {
        Err(told) => problem.set(Some(told)),
        Ok(sampling) => {
            problem.set(None);
            let change = json!({ "sampling": sampling });
            let answer = Ask::patch(address.get_value(), change).send(client);
            spawn_local(async move {
                if let Err(refusal) = answer.await {
                    let _left = problem.try_set(Some(refusal.error.message));
                }
            });
        }
    };
    let field = move |(place, knob): (usize, Knob)| {
        let shown = move || typed.read().get(place).cloned().unwrap_or_default();
        let change = move |event| {
            let text = event_target_value(&event);
            typed
                .update(|typed| typed.iter_mut().skip(place).take(1).for_each(|slot| slot.clone_from(&text)));
            keep();
        };
        view! {
            <label>
                <span>{knob.label}</span>
                <input type="text" inputmode="decimal" placeholder="provider’s own" prop:value=shown on:change=change/>
            </label>
        }
        .into_any()
    };
    let told = move || {
        problem.get().map(|told| view! { <p class="form-problem" role="alert">{told}</p> }.into_any())
    };
    view! {
        <details class="sampling">
            <summary>"Sampling"</summary>
            <div class="sampling-fields">{KNOBS.into_iter().enumerate().map(field).collect::<Vec<_>>()}</div>
            {live(told)}
        </details>
    }
}
