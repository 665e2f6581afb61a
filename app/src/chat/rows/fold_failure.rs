//! Says that older messages could not be folded, with a way to try again.

use crate::chat::ending::{EndingNote, Gravity};
use crate::chat::signals::Chat;
use crate::chat::transcript::Folding;
use crate::client::Client;
use crate::ui::when::click;
use leptos::prelude::*;

/// What went wrong, and what can be done.
#[component]
pub fn FoldFailure(chat: Chat, reason: String) -> impl IntoView {
    let client = Client::expect();
    let again = chat.clone();
    view! {
        <div class="fold-failure" role="alert">
            <EndingNote gravity=Gravity::Failure text=format!("The older messages were not folded. {reason}")/>
            <button type="button" class="text-button is-strong" on:click=click(move |_| client.fold_now(again.clone()))>"Try again"</button>
            <button
                type="button"
                class="text-button"
                on:click=click(move |_| chat.act(|transcript| transcript.set_folding(Folding::Idle)))
            >
                "Dismiss"
            </button>
        </div>
    }
}
