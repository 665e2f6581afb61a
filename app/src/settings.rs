//! The settings: which models there are, what the agent is, how the page looks, its keys, and the data. What stands
//! below the heading comes when it is first wanted.

mod agent;
mod alerts;
mod answer;
mod appearance;
mod body;
mod choice;
mod data;
mod models;
mod nav;
pub mod section;
mod shortcuts;

use crate::chat::header::ChatHeader;
use crate::client::Client;
use crate::ui::lazy::{Fetched, Later, fetch};
use crate::ui::when::follow;
use body::SettingsBody;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use leptos_meta::Title;
use nav::SettingsNav;
use section::Section;

/// The page of the settings. The server shows its heading and the way to each section.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let client = Client::expect();
    let params = leptos_router::hooks::use_params_map();
    let section = Memo::new(move |_| Section::parse(&params.read().get("section").unwrap_or_default()));
    follow(move || client.listen_to_none());
    view! {
        <Title text="Settings"/>
        <ChatHeader title="Settings".to_owned()/>
        <div class="settings">
            <SettingsNav section/>
            <Later fetch=fetch(move || settings_body(section))/>
        </div>
    }
}

#[wasm_split(settings, wasm_split_path = leptos::wasm_split, fallible)]
fn settings_body(section: Memo<Section>) -> Fetched {
    Ok(ViewFn::from(move || view! { <SettingsBody section/> }))
}
