//! The way back to the end, for whoever reads above it.

use super::place::Scroller;
use crate::chat::follow::{Follow, News};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;

/// The button; it says whether something new is at the end.
#[component]
pub fn Jump(scroller: Scroller) -> impl IntoView {
    let is_away = move || !scroller.follow.with(Follow::is_pinned);
    let has_news = move || scroller.follow.with(Follow::news) == News::Unseen;
    let label = move || if has_news() { "Jump to latest, something new is there" } else { "Jump to latest" };
    view! {
        <button
            type="button"
            class="jump"
            class:is-shown=live(is_away)
            class:has-news=live(has_news)
            aria-label=live(label)
            inert=live(move || !is_away())
            on:click=click(move |_| scroller.jump())
        >
            <Icon shape=Shape::Down/>
        </button>
    }
}
