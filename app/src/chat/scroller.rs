//! The box in which the transcript is read: it opens at its end, follows while it stands there, and never moves what
//! is being read.
//!
//! Before the page is alive the box is laid out from its end, by style alone, so that also a page without a script
//! opens at the last message. After hydration it is an ordinary box and [`Follow`] decides.

use super::follow::{Follow, Position};
use super::signals::Chat;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, key};
use leptos::ev::{KeyboardEvent, WheelEvent};
use leptos::html::Div;
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlDivElement, ResizeObserver};

/// Keys that move the view upward.
const UPWARD_KEYS: [&str; 3] = ["PageUp", "ArrowUp", "Home"];

#[derive(Clone, Copy)]
struct Scroller {
    outer: NodeRef<Div>,
    inner: NodeRef<Div>,
    follow: RwSignal<Follow>,
}

impl Scroller {
    fn position(self) -> Option<Position> {
        let outer = self.outer.get_untracked()?;
        Some(Position {
            top: f64::from(outer.scroll_top()),
            content: f64::from(outer.scroll_height()),
            view: f64::from(outer.client_height()),
        })
    }

    fn scrolled(self) {
        if let Some(position) = self.position() {
            let before = self.follow.get_untracked();
            let mut after = before;
            after.scrolled(position);
            if after.is_pinned() == before.is_pinned() {
                self.follow.update_untracked(|follow| *follow = after);
            } else {
                self.follow.set(after);
            }
        }
    }

    fn pulled_up(self) {
        if let Some(position) = self.position() {
            self.follow.update(|follow| follow.pulled_up(position));
        }
    }

    /// Something changed its size.
    fn resized(self) {
        if self.follow.with_untracked(Follow::is_pinned) {
            self.to_end();
        }
    }

    fn to_end(self) {
        if let Some(outer) = self.outer.get_untracked() {
            outer.set_scroll_top(outer.scroll_height());
        }
    }

    fn jump(self) {
        self.follow.update(Follow::jump);
        self.to_end();
    }

    /// Turns the box that style had laid out from its end into an ordinary one, without a visible move.
    fn wake(self) {
        let Some(outer) = self.outer.get_untracked() else { return };
        // Negative while the box is laid out from its end: the distance to the end.
        let to_end = -outer.scroll_top();
        let _awake = outer.class_list().add_1("is-awake");
        outer.set_scroll_top(outer.scroll_height() - outer.client_height() - to_end);
        self.scrolled();
        self.watch_size(&outer);
    }

    fn watch_size(self, outer: &HtmlDivElement) {
        let resized = Closure::<dyn FnMut()>::new(move || self.resized());
        let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return };
        observer.observe(outer);
        if let Some(inner) = self.inner.get_untracked() {
            observer.observe(&inner);
        }
        let kept = SendWrapper::new((observer, resized));
        on_cleanup(move || kept.0.disconnect());
    }

    /// Keeps what is being read where it is while `change` puts something above it.
    fn keep_place(self, outer_before: Option<Position>) {
        let Some(before) = outer_before else { return };
        request_animation_frame(move || {
            let (Some(outer), Some(now)) = (self.outer.get_untracked(), self.position()) else { return };
            outer.set_scroll_top((before.top + now.content - before.content) as i32);
        });
    }
}

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
    Effect::new(move || scroller.wake());
    let own_words = chat.own_words();
    Effect::new(move || {
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
                class:is-shown=move || is_away()
                aria-label="Jump to latest"
                inert=move || !is_away()
                on:click=click(move |_| scroller.jump())
            >
                <Icon shape=Shape::Down/>
            </button>
        </div>
    }
}

/// The way to older messages, where there are any.
#[component]
fn Earlier(chat: Chat, scroller: Scroller) -> impl IntoView {
    let client = Client::expect();
    let status = chat.status();
    let is_loading = RwSignal::new(false);
    let count = Memo::new(move |_| status.with(|status| status.earlier));
    let load = move |_| {
        if is_loading.get_untracked() {
            return;
        }
        is_loading.set(true);
        let before = scroller.position();
        client.load_earlier(chat.clone(), move || {
            let _still_there = is_loading.try_set(false);
            scroller.keep_place(before);
        });
    };
    let label = move || {
        let noun = if count.get() == 1 { "message" } else { "messages" };
        if is_loading.get() {
            "Loading…".to_owned()
        } else {
            format!("Show earlier · {} {noun}", count.get())
        }
    };
    view! {
        <When is=Memo::new(move |_| count.get() > 0)>
            <button type="button" class="earlier" on:click=click(load.clone())>
                {move || label()}
            </button>
        </When>
    }
}
