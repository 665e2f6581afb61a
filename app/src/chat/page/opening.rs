//! While a session is on its way.

use crate::chat::header::ChatHeader;
use leptos::prelude::*;

/// While a session is on its way. Never on the server.
#[component]
pub fn Opening() -> impl IntoView {
    view! {
        <ChatHeader title=String::new()/>
        <div class="empty" role="status">
            <p class="sr-only">"Opening the chat"</p>
        </div>
    }
}
