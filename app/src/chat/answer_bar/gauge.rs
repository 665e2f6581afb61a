//! How full the context of a session is, as a ring with a number; behind it what the session has used so far.

mod details;
mod fill;

use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::client::Client;
use crate::client::shelves::path;
use crate::ui::when::{follow, live, memo};
use details::ContextDetails;
use fill::Fill;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{PromptReport, SessionId};

/// Id of the details, a native popover.
pub const CONTEXT_ID: &str = "context";
const BUTTON_ID: &str = "context-button";

/// The gauge of one session. Nothing is shown before it is known.
#[component]
pub fn Gauge(session: SessionId) -> impl IntoView {
    let client = Client::expect();
    let fill = RwSignal::new(None::<Fill>);
    let ask = path(&session, "prompt?brief=true");
    let (here, news) = (session.clone(), client.panel().message_news);
    let model = memo(move || client.sessions().read().get(&here).map(|session| session.model.clone()));
    follow(move || {
        news.track();
        model.track();
        let answer = Ask::get(ask.clone()).send(client);
        spawn_local(async move {
            // What cannot be told is not shown; whatever hinders it is said where it matters.
            let Ok(text) = answer.await else { return };
            let told = told::read::<PromptReport>(&text).map(|report| Fill::of(&report));
            let _left = fill.try_set(told);
        });
    });
    let session = StoredValue::new(session);
    let ring = move |fill: Fill| {
        let drawn = format!("{} 100", fill.percent().unwrap_or_default());
        view! {
            <button
                type="button"
                id=BUTTON_ID
                class=fill.class()
                popovertarget=CONTEXT_ID
                aria-haspopup="dialog"
                aria-label=format!("Context: {}", fill.label())
            >
                <svg viewBox="0 0 20 20" aria-hidden="true">
                    <circle cx="10" cy="10" r="7"></circle>
                    <circle class="context-fill" cx="10" cy="10" r="7" pathLength="100" stroke-dasharray=drawn></circle>
                </svg>
                <span>{fill.label()}</span>
            </button>
            <div
                id=CONTEXT_ID
                class="sheet is-narrow"
                popover="auto"
                role="dialog"
                aria-label="Context"
                on:toggle=move |_| browser::place_above(CONTEXT_ID, BUTTON_ID)
            >
                <ContextDetails session=session.get_value() fill/>
            </div>
        }
        .into_any()
    };
    view! { {live(move || fill.get().map(ring))} }
}
