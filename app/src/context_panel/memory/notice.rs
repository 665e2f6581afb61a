//! What waits: the prompt is frozen, so that providers can keep it; changes come in by a refresh.

use super::deeds::Memory;
use crate::ui::when::click;
use leptos::prelude::*;

/// The notice; nothing where nothing waits.
#[component]
pub fn FrozenNotice(memory: Memory) -> impl IntoView {
    let count = Memo::new(move |_| memory.waiting());
    view! {
        {move || {
            let text = text(count.get())?;
            Some(view! {
                <div class="frozen" role="status">
                    <span>{text}</span>
                    <button type="button" class="text-button" on:click=click(move |_| memory.refresh())>"Refresh"</button>
                </div>
            }.into_any())
        }}
    }
}

fn text(waiting: usize) -> Option<String> {
    match waiting {
        0 => None,
        1 => Some("The prompt is frozen for caching. 1 change waits.".to_owned()),
        count => Some(format!("The prompt is frozen for caching. {count} changes wait.")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_notice_counts_what_waits() {
        assert_eq!(super::text(0), None);
        assert_eq!(super::text(1).as_deref(), Some("The prompt is frozen for caching. 1 change waits."));
        assert_eq!(super::text(2).as_deref(), Some("The prompt is frozen for caching. 2 changes wait."));
    }
}
