//! A page that says that a session cannot be opened.

use crate::chat::header::ChatHeader;
use leptos::prelude::*;
use leptos_meta::Title;

/// What went wrong, and a way on.
#[component]
pub fn Broken(text: String) -> impl IntoView {
    view! {
        <Title text="Not available"/>
        <ChatHeader title="Not available".to_owned()/>
        <div class="empty">
            <p class="empty-lead">"This chat cannot be opened right now."</p>
            <p dir="auto">{text}</p>
            <a class="button" href="" rel="external">"Try again"</a>
        </div>
    }
}
