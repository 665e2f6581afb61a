//! Where the box stands, and what moves it: a person, what arrives, and what is put above.

use crate::chat::follow::{Follow, Position};
use leptos::html::Div;
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlDivElement, HtmlElement, ResizeObserver, TouchEvent};

/// The box, its content, and whether it follows. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Scroller {
    /// The box.
    pub outer: NodeRef<Div>,
    /// Its content.
    pub inner: NodeRef<Div>,
    /// Whether it follows.
    pub follow: RwSignal<Follow>,
    /// Where the finger was last, from the top of the window.
    pub finger: StoredValue<i32>,
    /// How much room is kept below all that was said, in pixels.
    pub room: StoredValue<f64>,
    /// Whether the beginning of what is here is near.
    pub is_near_start: RwSignal<bool>,
}

impl Default for Scroller {
    /// A box that is not on the screen yet.
    fn default() -> Self {
        Self {
            outer: NodeRef::new(),
            inner: NodeRef::new(),
            follow: RwSignal::new(Follow::default()),
            finger: StoredValue::new(0),
            room: StoredValue::new(0.0),
            is_near_start: RwSignal::new(false),
        }
    }
}

impl Scroller {
    fn outer(self) -> Option<HtmlDivElement> {
        self.outer.try_get_untracked().flatten()
    }

    /// Where it stands; none once it has left the screen.
    pub fn position(self) -> Option<Position> {
        let outer = self.outer()?;
        Some(Position {
            top: f64::from(outer.scroll_top()),
            content: f64::from(outer.scroll_height()),
            view: f64::from(outer.client_height()),
        })
    }

    /// It was scrolled.
    pub fn scrolled(self) {
        if let Some(position) = self.position() {
            let is_near_start = position.is_near_start();
            if self.is_near_start.get_untracked() != is_near_start {
                self.is_near_start.set(is_near_start);
            }
            let mut after = self.follow.get_untracked();
            after.scrolled(position);
            self.take(after);
        }
    }

    /// A person moves upward.
    pub fn pulled_up(self) {
        if let Some(position) = self.position() {
            self.follow.update(|follow| follow.pulled_up(position));
        }
    }

    /// A finger is put down.
    pub fn touched(self, touch: &TouchEvent) {
        if let Some(finger) = touch.touches().get(0) {
            self.finger.set_value(finger.client_y());
        }
    }

    /// A finger moves: down pulls what is above into view, before the browser has scrolled anything.
    pub fn dragged(self, touch: &TouchEvent) {
        let Some(finger) = touch.touches().get(0) else { return };
        if finger.client_y() > self.finger.get_value() {
            self.pulled_up();
        }
        self.finger.set_value(finger.client_y());
    }

    /// Something changed its size.
    pub fn resized(self) {
        if self.follow.with_untracked(Follow::is_pinned) {
            self.to_end();
        } else {
            self.keep_question();
        }
        if let Some(position) = self.position() {
            self.follow.update_untracked(|follow| follow.laid_out(position));
        }
    }

    fn keep_question(self) {
        let Some(position) = self.position() else { return };
        let mut after = self.follow.get_untracked();
        if let Some((room, top)) = after.room_below(position, self.room.get_value()) {
            self.take(after);
            self.keep_room(room);
            // What shrinks below the question lets the browser push it down.
            if position.top < top {
                self.scroll_to(top);
            }
        }
    }

    /// How far an element stands from the beginning, and where the box stands.
    pub fn place_in(self, id: &str) -> Option<(f64, Position)> {
        let (outer, position) = (self.outer()?, self.position()?);
        let element = document().get_element_by_id(id)?;
        let way = element.get_bounding_client_rect().top() - outer.get_bounding_client_rect().top();
        Some((way + position.top, position))
    }

    /// Goes to a place.
    pub fn scroll_to(self, top: f64) {
        self.outer().into_iter().for_each(|outer| outer.set_scroll_top(top as i32));
    }

    /// Keeps some room below all that was said.
    pub fn keep_room(self, room: f64) {
        if let Some(inner) = self.inner.get_untracked().filter(|_| self.room.get_value() != room) {
            self.room.set_value(room);
            let _set = HtmlElement::style(&inner).set_property("--room", &format!("{room}px"));
        }
    }

    /// Takes over what came of a move; whoever shows it is told only where it shows.
    fn take(self, after: Follow) {
        if self.follow.with_untracked(Follow::is_away) == after.is_away() {
            self.follow.update_untracked(|follow| *follow = after);
        } else {
            self.follow.set(after);
        }
    }

    fn to_end(self) {
        if let Some(outer) = self.outer() {
            outer.set_scroll_top(outer.scroll_height());
        }
    }

    /// A person wants the end.
    pub fn jump(self) {
        self.follow.update(Follow::jump);
        self.to_end();
    }

    /// Turns the box that style had laid out from its end into an ordinary one, without a visible move.
    pub fn wake(self) {
        let Some(outer) = self.outer() else { return };
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

    /// Keeps what is being read where it is, after something was put above it and before that is painted; `before` is
    /// where the box stood. Browsers do the same by themselves, but not all, and none at the very beginning.
    pub fn keep_place(self, before: Option<Position>) {
        let (Some(before), Some(outer), Some(now)) = (before, self.outer(), self.position()) else { return };
        outer.set_scroll_top((before.top + now.content - before.content) as i32);
    }
}
