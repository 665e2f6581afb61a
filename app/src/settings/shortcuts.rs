//! The keys that work everywhere, and a switch that turns them off.

use super::choice::Choice;
use crate::app::key_list::KeyList;
use crate::boot::prefs::Shortcuts;
use crate::client::Client;
use leptos::prelude::*;

#[component]
pub fn ShortcutsSection() -> impl IntoView {
    let client = Client::expect();
    let prefs = client.prefs();
    view! {
        <h2>"Shortcuts"</h2>
        <Choice
            legend="Keys that work everywhere"
            answers=vec![(Shortcuts::On, "On"), (Shortcuts::Off, "Off, except Escape")]
            chosen=Signal::derive(move || prefs.read().shortcuts)
            choose=Callback::new(move |shortcuts| client.prefer(&|prefs| prefs.shortcuts = shortcuts))
        />
        <KeyList/>
    }
}
