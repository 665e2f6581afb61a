//! The box in which the transcript is read: it opens at its end, follows while it stands there, and never moves what
//! is being read.
//!
//! Before the page is alive the box is laid out from its end, by style alone, so that also a page without a script
//! opens at the last message. After hydration it is an ordinary box and [`Follow`] decides.

mod earlier;
mod place;

use super::follow::Follow;
use super::signals::Chat;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, follow, key, live};
use earlier::Earlier;
use leptos::ev::{KeyboardEvent, WheelEvent};
use leptos::prelude::*;
use place::Scroller;

/// Keys that move the view upward.
const UPWARD_KEYS: [&str; 3] = ["PageUp", "ArrowUp", "Home"];

/// The box around the rows.
#[component]
pub fn TranscriptScroller(
    /// The session.
    chat: Chat,
    /// The rows.
    children: Children,
) -> impl IntoView {
    let scroller =
        Scroller { outer: NodeRef::new(), inner: NodeRef::new(), follow: RwSignal::new(Follow::default()) };
    follow(move || scroller.wake());
    let own_words = chat.own_words();
    follow(move || {
        if own_words.get() > 0 {
            scroller.follow.update(Follow::jump);
            scroller.resized();
        }
    });
    let on_wheel = move |wheel: WheelEvent| {
        if wheel.delta_y() < 0.0 {
            scroller.pulled_up();
        }
    };
    let on_key = move |press: KeyboardEvent| {
        if UPWARD_KEYS.contains(&press.key().as_str()) {
            scroller.pulled_up();
        }
    };
    let is_away = move || !scroller.follow.with(Follow::is_pinned);
    view! {
        <div class="scroller-frame">
            <div
                class="scroller"
                node_ref=scroller.outer
                tabindex="0"
                role="region"
                aria-label="Conversation"
                on:scroll=move |_| scroller.scrolled()
                on:wheel=on_wheel
                on:keydown=key(on_key)
            >
                <div class="column" node_ref=scroller.inner>
                    <Earlier chat scroller/>
                    {children()}
                </div>
            </div>
            <button
                type="button"
                class="jump"
                class:is-shown=live(is_away)
                aria-label="Jump to latest"
                inert=live(move || !is_away())
                on:click=click(move |_| scroller.jump())
            >
                <Icon shape=Shape::Down/>
            </button>
        </div>
    }
}
