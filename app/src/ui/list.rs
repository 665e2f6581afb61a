//! A list whose rows come, go and move, with one set of rendering code for all lists of the page.

use leptos::prelude::*;

/// One row: its name within its list, and what builds it when it comes.
pub struct Item {
    key: String,
    build: Box<dyn FnOnce() -> AnyView + Send>,
}

/// A row of a list. A row that stays is never built again, so `build` must read what changes from signals.
pub fn item<V: IntoView + 'static>(key: impl ToString, build: impl FnOnce() -> V + Send + 'static) -> Item {
    Item { key: key.to_string(), build: Box::new(move || build().into_any()) }
}

/// What gives the rows, in their order.
pub type Items = Box<dyn Fn() -> Vec<Item> + Send + Sync>;

/// Boxes what gives the rows.
pub fn items(rows: impl Fn() -> Vec<Item> + Send + Sync + 'static) -> Items {
    Box::new(rows)
}

/// The rows. The server shows them all.
#[component]
pub fn List(
    /// What gives them.
    each: Items,
) -> impl IntoView {
    view! { <For each=move || each() key=|item| item.key.clone() children=|item| (item.build)()/> }
}
