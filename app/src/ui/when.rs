//! Small pieces that give every place of the page the same types: each closure and each handler of its own type would
//! bring its own copy of the rendering code into the browser.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

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
    view! { {move || is.get().then(|| children())} }
}

/// What a click does.
pub fn click(act: impl FnMut(MouseEvent) + 'static) -> Box<dyn FnMut(MouseEvent)> {
    Box::new(act)
}

/// What a key does.
pub fn key(act: impl FnMut(KeyboardEvent) + 'static) -> Box<dyn FnMut(KeyboardEvent)> {
    Box::new(act)
}
