//! Small pieces that give every place of the page the same types: each closure and each handler of its own type would
//! bring its own copy of the rendering code into the browser. In a box they all share one.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

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
    let is = Memo::new(move |_| is.get());
    view! { {live(move || is.get().then(|| children()))} }
}

/// A value that changes, for a place in a view: a text, an attribute, a view that may be absent. Few kinds of values
/// are worth most here: `String`, `&'static str`, `bool`, `Option<AnyView>`.
pub fn live<T>(value: impl FnMut() -> T + Send + 'static) -> Live<T> {
    Box::new(value)
}

/// Does something now, and again whenever something it read has changed; in the browser only.
pub fn follow(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    let _runs_by_itself = Effect::new(act);
}

/// What a click does.
pub fn click(act: impl FnMut(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

/// What a key does.
pub fn key(act: impl FnMut(KeyboardEvent) + 'static) -> Box<dyn FnMut(KeyboardEvent)> {
    Box::new(act)
}
