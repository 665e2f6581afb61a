//! The words of the banner, and the seconds that it counts.

use crate::browser;
use crate::client::Client;
use crate::connection::link::LinkState;
use crate::routes;
use crate::ui::when::{click, live};
use leptos::prelude::*;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[component]
pub fn Banner() -> impl IntoView {
    let client = Client::expect();
    let link = client.link();
    let now = RwSignal::new(browser::now_ms());
    let ticking = set_interval_with_handle(move || now.set(browser::now_ms()), SECOND).ok();
    on_cleanup(move || {
        if let Some(ticking) = ticking {
            ticking.clear();
        }
    });
    let what = move || match link.get() {
        LinkState::SignedOut => "You are signed out. Nothing you wrote is lost.",
        LinkState::Starting | LinkState::Connecting | LinkState::Waiting { .. } | LinkState::Live { .. } => {
            if browser::is_offline() {
                "You are offline."
            } else {
                "Connection lost."
            }
        }
    };
    let next = move || match link.get() {
        LinkState::Waiting { until } => {
            let seconds = until.saturating_sub(now.get()).div_ceil(1_000).max(1);
            format!("Trying again in {seconds} s")
        }
        LinkState::SignedOut => String::new(),
        LinkState::Starting | LinkState::Connecting | LinkState::Live { .. } => "Connecting…".to_owned(),
    };
    let is_out = Memo::new(move |_| link.get() == LinkState::SignedOut);
    let deed = move || {
        Some(if is_out.get() {
            let address = routes::login(&client.base(), &browser::address());
            view! { <a class="text-button is-strong" href=address rel="external">"Sign in again"</a> }
                .into_any()
        } else {
            let retry = click(move |_| client.reconnect());
            view! { <button type="button" class="text-button is-strong" on:click=retry>"Try now"</button> }
                .into_any()
        })
    };
    view! {
        <p class="banner">
            <span>{live(what)}</span>
            // A count of seconds is not worth saying aloud.
            <span class="banner-next" aria-hidden="true">{live(next)}</span>
            {live(deed)}
        </p>
    }
}
