//! The box in which the transcript is read: it opens at its end, follows while it stands there, and never moves what
//! is being read.
//!
//! Before the page is alive the box is laid out from its end, by style alone, so that also a page without a script
//! opens at the last message. After hydration it is an ordinary box and [`Follow`] decides.

mod earlier;
mod jump;
pub mod place;
pub mod seek;
mod sought;
pub mod top;
pub mod way;

use super::follow::Follow;
use super::later::put_at_top;
use super::signals::Chat;
use crate::boot::prefs::QuestionPlace;
use crate::client::Client;
use crate::ui::when::{follow, key, live};
use earlier::Earlier;
use jump::Jump;
use leptos::ev::{KeyboardEvent, WheelEvent};
use leptos::prelude::*;
use place::Scroller;
use sought::Sought;

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
    let scroller = Scroller::default();
    follow(move || scroller.wake());
    let (own_words, prefs, asked) = (chat.own_words(), Client::expect().prefs(), chat.clone());
    follow(move || {
        if own_words.get() == 0 {
            return;
        }
        match prefs.read_untracked().question {
            QuestionPlace::Top => put_at_top(scroller, asked.clone()),
            QuestionPlace::End => {
                scroller.follow.update(Follow::jump);
                scroller.resized();
            }
        }
    });
    let status = chat.status();
    let news = chat.news();
    follow(move || {
        if news.get().is_some() {
            scroller.follow.update(Follow::arrived);
        }
    });
    let on_wheel = move |wheel: WheelEvent| {
        if wheel.delta_y() < 0.0 {
            scroller.pulled_up();
        }
    };
    let on_key = move |press: KeyboardEvent| {
        let key = press.key();
        if UPWARD_KEYS.contains(&key.as_str()) || key == " " && press.shift_key() {
            scroller.pulled_up();
        }
    };
    let is_away = move || scroller.follow.with(Follow::is_away);
    view! {
        <div class="scroller-frame">
            <div
                class="scroller"
                class:is-away=live(is_away)
                node_ref=scroller.outer
                tabindex="0"
                role="region"
                aria-label="Conversation"
                on:scroll=move |_| scroller.scrolled()
                on:wheel=on_wheel
                on:keydown=key(on_key)
                on:touchstart=move |touch| scroller.touched(&touch)
                on:touchmove=move |touch| scroller.dragged(&touch)
            >
                <div class="column" node_ref=scroller.inner>
                    <Earlier chat=chat.clone() scroller/>
                    {children()}
                </div>
            </div>
            <Sought chat scroller/>
            <Jump scroller status/>
        </div>
    }
}
