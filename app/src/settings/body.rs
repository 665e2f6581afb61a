//! What the chosen section of the settings shows.

use super::agent::AgentSection;
use super::appearance::AppearanceSection;
use super::data::DataSection;
use super::models::ModelsSection;
use super::section::Section;
use super::shortcuts::ShortcutsSection;
use crate::ui::when::live;
use leptos::prelude::*;

#[component]
pub fn SettingsBody(section: Memo<Section>) -> impl IntoView {
    let shown = move || {
        Some(match section.get() {
            Section::Models => view! { <ModelsSection/> }.into_any(),
            Section::Agent => view! { <AgentSection/> }.into_any(),
            Section::Appearance => view! { <AppearanceSection/> }.into_any(),
            Section::Shortcuts => view! { <ShortcutsSection/> }.into_any(),
            Section::Data => view! { <DataSection/> }.into_any(),
        })
    };
    view! { <div class="settings-body" tabindex="-1">{live(shown)}</div> }
}
