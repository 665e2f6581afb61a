//! What a session's context holds and what the session has used so far, with what can be done about it.

use super::{CONTEXT_ID, fill::Fill};
use crate::browser;
use crate::client::Client;
use crate::context_panel::layout::Tab;
use crate::format;
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::{SessionId, SessionInfo};

#[component]
pub fn ContextDetails(session: SessionId, fill: Fill) -> impl IntoView {
    let client = Client::expect();
    let used = move || client.sessions().read().get(&session).map(used).unwrap_or_default();
    let look = move |_| {
        browser::hide_popover(CONTEXT_ID);
        client.panel().reveal(Tab::Prompt, &client.base());
    };
    let compact = move |_| {
        browser::hide_popover(CONTEXT_ID);
        client.current().into_iter().for_each(|chat| client.fold_now(chat));
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
            <button type="button" class="text-button" on:click=click(compact)>"Fold older messages now"</button>
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
