//! The tabs of the panel. One of them is in the order of focus; arrows walk to the others and show them.

use super::BODY_ID;
use crate::browser;
use crate::client::Client;
use crate::context_panel::layout::Tab;
use crate::ui::when::{click, key};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// Id of a tab's button.
pub fn id_of(tab: Tab) -> String {
    format!("panel-tab-{}", tab.label())
}

#[component]
pub fn Tabs() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let shown = Memo::new(move |_| panel.layout.read().tab);
    let walk = move |press: KeyboardEvent| {
        if let Some(tab) = shown.get_untracked().after_key(&press.key()) {
            press.prevent_default();
            panel.show(tab, &client.base());
            browser::focus(&id_of(tab));
        }
    };
    let button = move |tab: Tab| {
        let is_shown = move || shown.get() == tab;
        view! {
            <button
                type="button"
                id=id_of(tab)
                class="panel-tab"
                role="tab"
                aria-selected=move || is_shown().to_string()
                aria-controls=BODY_ID
                tabindex=move || if is_shown() { "0" } else { "-1" }
                on:click=click(move |_| panel.show(tab, &client.base()))
            >
                {tab.label()}
            </button>
        }
        .into_any()
    };
    view! {
        <div class="panel-tabs" role="tablist" aria-label="What the panel shows" on:keydown=key(walk)>
            {Vec::from(Tab::ALL.map(button))}
        </div>
    }
}
