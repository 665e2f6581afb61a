//! The way back to the end, for whoever reads above it.

use super::place::Scroller;
use crate::chat::follow::{Follow, News};
use crate::chat::signals::ChatStatus;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;
use protocol::Awaited;

/// The button; it says whether something new is at the end.
#[component]
pub fn Jump(scroller: Scroller, status: ArcRwSignal<ChatStatus>) -> impl IntoView {
    let is_away = move || scroller.follow.with(Follow::is_away);
    let has_news = move || scroller.follow.with(Follow::news) == News::Unseen;
    let is_asking = Memo::new(move |_| status.with(|status| status.waits_for == Some(Awaited::Approval)));
    let label = move || match (is_asking.get(), has_news()) {
        (true, _) => "Jump to what waits for you",
        (false, true) => "Jump to latest, something new is there",
        (false, false) => "Jump to latest",
    };
    view! {
        <button
            type="button"
            class="jump"
            class:is-shown=live(is_away)
            class:has-news=live(has_news)
            class:is-asking=live(move || is_asking.get())
            aria-label=live(label)
            inert=live(move || !is_away())
            on:click=click(move |_| scroller.jump())
        >
            <Icon shape=Shape::Down/>
        </button>
    }
}
