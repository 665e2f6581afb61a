//! How long a model has been thinking, and at last how long it took.

use crate::browser;
use crate::chat::part::growing;
use crate::format;
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use protocol::Part;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The time. Part of what comes late.
#[component]
pub fn Timer(
    /// The reasoning.
    part: Signal<Part>,
) -> impl IntoView {
    let began = browser::now_ms();
    let passed = RwSignal::new(0);
    let is_growing = Memo::new(move |_| part.with(|part| growing(part).1));
    let tick = move || {
        if is_growing.try_get_untracked() == Some(true) {
            passed.set(browser::now_ms().saturating_sub(began));
        }
    };
    if let Ok(ticking) = set_interval_with_handle(tick, SECOND) {
        on_cleanup(move || ticking.clear());
    }
    follow(move || {
        if !is_growing.get() {
            passed.set(browser::now_ms().saturating_sub(began));
        }
    });
    let text = move || match (is_growing.get(), passed.get()) {
        (true, ms) => format!("{} s", ms / 1_000),
        (false, ms) => format::duration(ms),
    };
    view! { <span class="fold-state">{live(text)}</span> }
}
