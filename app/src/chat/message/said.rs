//! What a message says: its parts, its words in a field while they are edited, or a line where it is a summary.

use super::editing::Editing;
use super::editor::Editor;
use super::fold::FoldLine;
use crate::chat::part::PartView;
use crate::chat::signals::PartSlot;
use crate::ui::lazy::{Fetched, Later, fetch};
use crate::ui::list::{List, item, items};
use crate::ui::when::live;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

/// What a message says.
#[component]
pub fn Said(editing: Editing, parts: ArcRwSignal<Vec<PartSlot>>) -> impl IntoView {
    let (head, is_open) = (editing.head, editing.is_open);
    let fold = Memo::new(move |_| head.with(|head| head.fold.clone()));
    let this = StoredValue::new(editing);
    let parts = StoredValue::new(parts);
    view! {
        <div class="said">
            {live(move || Some(match (fold.get(), is_open.get()) {
                (Some(fold), _) => view! { <FoldLine editing=this.get_value() fold/> }.into_any(),
                (None, true) => view! { <Later fetch=fetch(move || editor(this.get_value()))/> }.into_any(),
                (None, false) => list(head, parts.get_value()),
            }))}
        </div>
    }
}

fn list(head: Signal<crate::chat::transcript::Head>, parts: ArcRwSignal<Vec<PartSlot>>) -> AnyView {
    let row = move |slot: PartSlot| item(&slot.key, move || view! { <PartView head part=slot.part/> });
    view! { <List each=items(move || parts.get().into_iter().map(row).collect())/> }.into_any()
}

/// Few messages are edited, so the code for it comes with the first.
#[wasm_split(editor, wasm_split_path = leptos::wasm_split, fallible)]
fn editor(editing: Editing) -> Fetched {
    Ok(ViewFn::from(move || view! { <Editor editing=editing.clone()/> }))
}
