//! Short notes at the edge of the page, some with one thing to do about them.

mod card;

use super::list::{List, item, items};
use crate::browser;
use card::ToastCard;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long a note stays. Long enough to read it and to reach its button by keyboard.
const STAY: Duration = Duration::from_secs(10);

/// Id of the place where they stand.
const TOASTS_ID: &str = "toasts";

/// Notes that stand at the same time; an older one makes room.
const TOASTS_MAX: usize = 3;

/// The notes of a page. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Toasts {
    notes: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

/// One note.
#[derive(Clone)]
pub struct Toast {
    id: u64,
    text: String,
    is_failure: bool,
    action: Option<(String, Arc<dyn Fn() + Send + Sync>)>,
}

impl Toasts {
    /// No notes yet.
    pub fn new() -> Self {
        Self { notes: RwSignal::new(Vec::new()), next: StoredValue::new(0) }
    }

    /// Says that something did not work.
    pub fn fail(self, text: &str) {
        self.put(Toast { id: 0, text: text.to_owned(), is_failure: true, action: None });
    }

    /// Says something.
    pub fn note(self, text: &str) {
        self.put(Toast { id: 0, text: text.to_owned(), is_failure: false, action: None });
    }

    /// Says something and offers one thing to do about it.
    pub fn offer(self, text: &str, label: &str, act: impl Fn() + Send + Sync + 'static) {
        let action = Some((label.to_owned(), Arc::new(act) as Arc<dyn Fn() + Send + Sync>));
        self.put(Toast { id: 0, text: text.to_owned(), is_failure: false, action });
    }

    fn put(self, toast: Toast) {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        self.notes.update(|notes| {
            notes.push(Toast { id, ..toast });
            let surplus = notes.len().saturating_sub(TOASTS_MAX);
            let _old = notes.drain(..surplus);
        });
        // Above whatever lies over the page, also what was opened since the last note.
        browser::raise_popover(TOASTS_ID);
        set_timeout(move || self.dismiss(id), STAY);
    }

    fn dismiss(self, id: u64) {
        self.notes.update(|notes| notes.retain(|note| note.id != id));
    }
}

/// Where the notes stand. Empty on the server.
#[component]
pub fn ToastRegion(
    /// The notes.
    toasts: Toasts,
) -> impl IntoView {
    let row = move |note: Toast| item(note.id, move || view! { <ToastCard toasts note/> });
    let each = items(move || toasts.notes.get().into_iter().map(row).collect());
    view! {
        <div id=TOASTS_ID class="toasts" popover="manual" role="status" aria-live="polite">
            <List each/>
        </div>
    }
}
