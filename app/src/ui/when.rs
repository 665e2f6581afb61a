//! Small pieces that give every place of the page the same types: each closure and each handler of its own type would
//! bring its own copy of the rendering code into the browser. In a box they all share one.
//!
//! A signal never forgets who has read it, also when that has left the page. What is made by [`live`],
//! [`follow`] and [`memo()`] takes its leave; other memos may read only what leaves the page together with them.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use leptos::reactive::graph::{Observer, Subscriber};

/// What a view asks for again whenever something it read has changed.
pub type Live<T> = Box<dyn FnMut() -> T + Send>;

/// Shows its children while something holds.
#[component]
pub fn When(
    /// What must hold.
    #[prop(into)]
    is: Signal<bool>,
    /// What is shown.
    children: ChildrenFn,
) -> impl IntoView {
    let is = memo(move || is.get());
    view! { {live(move || is.get().then(|| children()))} }
}

/// A value that changes, for a place in a view: a text, an attribute, a view that may be absent. Few kinds of values
/// are worth most here: `String`, `&'static str`, `bool`, `Option<AnyView>`.
pub fn live<T>(mut value: impl FnMut() -> T + Send + 'static) -> Live<T> {
    Box::new(move || {
        take_leave();
        value()
    })
}

/// A value that is made of others, and counts as new only where it differs.
pub fn memo<T: PartialEq + Send + Sync + 'static>(value: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    Memo::new(move |_| {
        take_leave();
        value()
    })
}

/// Does something now, and again whenever something it read has changed; in the browser only.
pub fn follow(mut act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(move || {
        take_leave();
        act();
    });
    let _runs_by_itself = Effect::new(act);
}

/// Lets the signals that are read here forget it when its place in the page goes. A page that the server makes
/// goes as a whole.
fn take_leave() {
    if !cfg!(target_family = "wasm") {
        return;
    }
    if let Some(reader) = Observer::get() {
        on_cleanup(move || reader.clear_sources(&reader));
    }
}

/// What a click does.
pub fn click(act: impl FnMut(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

/// What a key does.
pub fn key(act: impl FnMut(KeyboardEvent) + 'static) -> Box<dyn FnMut(KeyboardEvent)> {
    Box::new(act)
}
