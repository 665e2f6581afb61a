//! The foot of the sidebar: who answers, and how the page looks.

use crate::boot::Theme;
use crate::client::Client;
use crate::routes;
use crate::settings::section::Section;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;

#[component]
pub fn Foot() -> impl IntoView {
    let client = Client::expect();
    let theme = client.theme();
    let model = client.model();
    let shape = move || match theme.get() {
        Theme::System => Shape::Screen,
        Theme::Light => Shape::Sun,
        Theme::Dark => Shape::Moon,
    };
    let settings = routes::settings(&client.base(), Section::default());
    let label = move || format!("Theme: {}", theme.get().as_str());
    view! {
        <div class="sidebar-foot">
            <span class="foot-model" title=live(move || client.whole_model_name(model.get()))>{live(move || client.model_name(&model.get()))}</span>
            <a class="icon-button" href=settings aria-label="Settings" title="Settings">
                <Icon shape=Shape::Slides/>
            </a>
            <button
                type="button"
                class="icon-button"
                aria-label=live(label)
                title=live(label)
                on:click=click(move |_| client.choose_theme(theme.get_untracked().next()))
            >
                {live(move || Some(view! { <Icon shape=shape()/> }.into_any()))}
            </button>
        </div>
    }
}
