//! What a session's context holds and what the session has used so far, with what can be done about it.

use super::{CONTEXT_ID, fill::Fill};
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::client::Client;
use crate::client::shelves::path;
use crate::context_panel::layout::Tab;
use crate::format;
use crate::ui::when::{click, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo};
use serde_json::{Value, json};

#[component]
pub fn ContextDetails(session: SessionId, fill: Fill) -> impl IntoView {
    let client = Client::expect();
    let here = session.clone();
    let used = move || client.sessions().read().get(&here).map(used).unwrap_or_default();
    let look = move |_| {
        browser::hide_popover(CONTEXT_ID);
        client.panel().reveal(Tab::Prompt, &client.base());
    };
    let compact = move |_| {
        browser::hide_popover(CONTEXT_ID);
        compact(client, &session);
    };
    view! {
        <div class="sheet-body">
            <h3>"Context"</h3>
            <p>{fill.sentence()}</p>
            <h3>"Used so far"</h3>
            <p>{live(used)}</p>
        </div>
        <div class="sheet-foot">
            <button type="button" class="text-button" on:click=click(look)>"What the model sees"</button>
            <button type="button" class="text-button" on:click=click(compact)>"Summarise older messages now"</button>
        </div>
    }
}

/// What a session has used. What no provider told is not shown as nothing.
fn used(session: &SessionInfo) -> String {
    if session.input_tokens + session.output_tokens == 0 {
        return "No provider has told what was used.".to_owned();
    }
    let cost = match session.estimated_cost {
        cost if cost > 0.0 => format!(" About ${cost:.4}."),
        _ => String::new(),
    };
    let (read, wrote) = (format::tokens(session.input_tokens), format::tokens(session.output_tokens));
    format!("Models read {read} and wrote {wrote}.{cost}")
}

fn compact(client: Client, session: &SessionId) {
    let answer = Ask::post(path(session, "compact"), json!({})).send(client);
    spawn_local(async move {
        match answer.await.map(|text| told::read::<Value>(&text).unwrap_or_default()) {
            Ok(told) if told.get("status").and_then(Value::as_str) == Some("compacted") => {}
            Ok(told) => {
                let reason = told.get("reason").and_then(Value::as_str);
                client.toasts().fail(reason.unwrap_or("There is nothing to summarise yet."));
            }
            Err(refusal) => client.toasts().fail(&refusal.error.message),
        }
    });
}
