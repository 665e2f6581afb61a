//! The Prompt tab: exactly what the next call would send, piece by piece, and what each piece costs.

mod changed;
mod look;
mod piece;
mod report;
mod shares;

use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::client::Client;
use crate::routes;
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use look::Look;
use protocol::{PromptReport, SessionId};
use report::Report;

/// The Prompt tab of one session.
#[component]
pub fn PromptTab(session: SessionId) -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let read = RwSignal::new(None);
    let path = format!("/sessions/{}/prompt", routes::segment(&session));
    let key = format!("bough-look-{}-{}", client.instance(), session);
    let before = StoredValue::new(None::<Look>);
    follow(move || {
        panel.message_news.track();
        panel.block_news.track();
        let (ask, key) = (Ask::get(path.clone()), key.clone());
        spawn_local(async move {
            let answer = ask.send(client).await.map_err(|refusal| refusal.error.message);
            let report = answer.map(|text| told::read::<PromptReport>(&text).unwrap_or_default());
            // The look before this visit stays the measure for as long as the tab is open.
            if report.is_ok() && before.try_get_value() == Some(None) {
                let kept = browser::load(&key).unwrap_or_default();
                let _left = before.try_set_value(Some(Look::parse(&kept)));
            }
            if let Ok(report) = &report {
                browser::store(&key, &Look::of(report).to_text());
            }
            let _left = read.try_set(Some(report));
        });
    });
    let shown = move || match read.get() {
        None => Some(view! { <p class="panel-note" role="status">"Reading the prompt…"</p> }.into_any()),
        Some(Err(failure)) => {
            Some(view! { <p class="panel-note" role="alert" dir="auto">{failure}</p> }.into_any())
        }
        Some(Ok(report)) => {
            let before = before.get_value().unwrap_or_default();
            Some(view! { <Report report before/> }.into_any())
        }
    };
    view! { {live(shown)} }
}
