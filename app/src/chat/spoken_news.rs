//! What is said aloud of a session, to whoever does not see it.

use super::ending::announcement;
use super::signals::Chat;
use super::transcript::News;
use crate::ui::when::live;
use leptos::prelude::*;

/// Says aloud that an answer began and how it ended, and not one word of it.
#[component]
pub fn SpokenNews(
    /// The session.
    chat: Chat,
) -> impl IntoView {
    let news = chat.news();
    let text = move || match news.get() {
        None => "",
        Some(News::Began) => "Answer begins",
        Some(News::Ended(status)) => announcement(status),
    };
    view! { <p class="sr-only" aria-live="polite">{live(text)}</p> }
}
