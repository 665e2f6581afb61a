//! The models of which several shall answer the same question.

use super::COMPARE_ID;
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::chat::answer_bar::models::offered::{Offer, offers};
use crate::chat::signals::Chat;
use crate::chat::transcript::RowKey;
use crate::client::Client;
use crate::ui::when::{click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ModelList, limits};

/// The list, each model with a box.
#[component]
pub fn SeveralModels(
    /// The chat.
    chat: Chat,
    /// The answer of which there shall be more.
    row: RowKey,
) -> impl IntoView {
    let client = Client::expect();
    let list = models(client);
    let chosen = RwSignal::new(Vec::<String>::new());
    follow(|| {
        request_animation_frame(|| {
            browser::raise_popover(COMPARE_ID);
            browser::focus_in(COMPARE_ID, "input, button");
        });
    });
    let closed = chat.compared();
    let leave = move |_| {
        if !browser::is_open_popover(COMPARE_ID) {
            closed.set(None);
        }
    };
    let ask = move |_| client.try_models(&chat, &row, chosen.get_untracked());
    let shown = move || {
        Some(match list.get() {
            None => view! { <p class="panel-note" role="status">"Asking the providers…"</p> }.into_any(),
            Some(Err(problem)) => view! { <p class="panel-note" role="alert">{problem}</p> }.into_any(),
            Some(Ok(list)) => boxes(&list, chosen),
        })
    };
    let label = move || match chosen.read().len() {
        0 => "Choose some models".to_owned(),
        1 => "Ask 1 model".to_owned(),
        count => format!("Ask {count} models"),
    };
    view! {
        <div id=COMPARE_ID class="compare is-choice" popover="auto" role="dialog" aria-label="Try with several models" on:toggle=leave>
            <header class="compare-head">
                <h2>"Try with several models"</h2>
            </header>
            <div class="model-boxes">{live(shown)}</div>
            <footer class="compare-foot">
                <span class="hint">{format!("At most {}; they answer one after another", limits::COMPARED_MODELS_MAX)}</span>
                <button type="button" class="button is-main" disabled=live(move || chosen.read().is_empty()) on:click=click(ask)>
                    {live(label)}
                </button>
            </footer>
        </div>
    }
}

/// What there is, or why that is not known; none while it is on its way.
fn models(client: Client) -> RwSignal<Option<Result<ModelList, String>>> {
    let list = RwSignal::new(None);
    let answer = Ask::get("/models".to_owned()).send(client);
    spawn_local(async move {
        let told = answer.await.map_err(|refusal| refusal.error.message);
        let told = told.map(|text| told::read::<ModelList>(&text).unwrap_or_default());
        let _left = list.try_set(Some(told));
    });
    list
}

fn boxes(list: &ModelList, chosen: RwSignal<Vec<String>>) -> AnyView {
    let named = offers(list, "", "").into_iter().filter(|offer| offer.name.is_some());
    named.map(|offer| one(offer, chosen)).collect::<Vec<_>>().into_any()
}

fn one(Offer { name, label, heading }: Offer, chosen: RwSignal<Vec<String>>) -> AnyView {
    let name = StoredValue::new(name.unwrap_or_default());
    let is_chosen = move || name.with_value(|name| chosen.read().contains(name));
    let is_full = move || chosen.read().len() >= limits::COMPARED_MODELS_MAX && !is_chosen();
    let toggle = move |_| {
        chosen.update(|chosen| {
            let name = name.get_value();
            let count = chosen.len();
            chosen.retain(|known| *known != name);
            if chosen.len() == count {
                chosen.push(name);
            }
        });
    };
    view! {
        {heading.map(|text| view! { <p class="option-heading">{text}</p> })}
        <label class="model-box">
            <input type="checkbox" prop:checked=live(is_chosen) disabled=live(is_full) on:change=toggle/>
            <span dir="auto">{label}</span>
        </label>
    }
    .into_any()
}
