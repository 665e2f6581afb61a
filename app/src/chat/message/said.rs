//! What a message says: its parts, its words in a field while they are edited, or a line where it is a summary.

use super::editing::Editing;
use super::fold::FoldLine;
use crate::chat::later::{Extra, extra};
use crate::chat::part::PartView;
use crate::chat::signals::PartSlot;
use crate::chat::transcript::Head;
use crate::ui::list::{List, item, items};
use crate::ui::when::live;
use leptos::prelude::*;

/// What a message says.
#[component]
pub fn Said(editing: Editing, parts: ArcRwSignal<Vec<PartSlot>>) -> impl IntoView {
    let (head, words) = (editing.head, editing.words);
    let is_open = Memo::new(move |_| words.with(Option::is_some));
    let fold = Memo::new(move |_| head.with(|head| head.fold.clone()));
    let is_fold = Memo::new(move |_| fold.with(Option::is_some));
    let this = StoredValue::new(editing);
    let parts = StoredValue::new(parts);
    view! {
        <div class="said">
            {live(move || Some(match is_fold.get() {
                true => {
                    view! { <FoldLine editing=this.get_value() fold=fold.into()>{list(head, parts.get_value())}</FoldLine> }
                        .into_any()
                }
                false if is_open.get() => extra(Extra::Editor(this.get_value())),
                false => list(head, parts.get_value()),
            }))}
        </div>
    }
}

fn list(head: Signal<Head>, parts: ArcRwSignal<Vec<PartSlot>>) -> AnyView {
    let row = move |slot: PartSlot| item(&slot.key, move || view! { <PartView head part=slot.part/> });
    view! { <List each=items(move || parts.get().into_iter().map(row).collect())/> }.into_any()
}
