//! The way to each section of the settings.

use super::section::Section;
use crate::client::Client;
use crate::routes;
use leptos::prelude::*;

#[component]
pub fn SettingsNav(section: Memo<Section>) -> impl IntoView {
    let base = Client::expect().base();
    let link = move |to: Section| {
        view! {
            <a
                class="settings-tab"
                href=routes::settings(&base, to)
                aria-current=move || (section.get() == to).then_some("page")
            >
                {to.label()}
            </a>
        }
        .into_any()
    };
    view! { <nav class="settings-nav" aria-label="Settings">{Section::ALL.map(link).into_iter().collect::<Vec<_>>()}</nav> }
}
