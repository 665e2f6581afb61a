//! What can be done with a block.

use super::deeds::Memory;
use super::edit::Edit;
use crate::ui::copy::CopyButton;
use crate::ui::when::{When, click};
use leptos::prelude::*;
use protocol::{BlockKind, BlockOrigin, ContextBlock};

#[component]
pub fn BlockDeeds(
    memory: Memory,
    block: Memo<Option<ContextBlock>>,
    edit: RwSignal<Option<Edit>>,
    is_history_open: RwSignal<bool>,
) -> impl IntoView {
    let known = move || block.get_untracked();
    let begin = move |_| edit.set(known().map(|block| Edit::of(&block.content, block.version)));
    let delete = move |_| known().into_iter().for_each(|block| memory.delete(block));
    let may_edit = Memo::new(move |_| {
        block.get().is_some_and(|block| block.is_writable && block.kind == BlockKind::Text)
    });
    let may_delete = Memo::new(move |_| block.get().is_some_and(|block| block.origin == BlockOrigin::Added));
    let text = Callback::new(move |()| known().map(|block| block.content).unwrap_or_default());
    view! {
        <div class="block-deeds">
            <When is=may_edit>
                <button type="button" class="text-button" on:click=click(begin)>"Edit"</button>
            </When>
            <CopyButton what="the text" text/>
            <button
                type="button"
                class="text-button"
                aria-expanded=move || is_history_open.get().to_string()
                on:click=click(move |_| is_history_open.update(|open| *open = !*open))
            >
                "History"
            </button>
            <When is=may_delete>
                <button type="button" class="text-button" on:click=click(delete)>"Delete"</button>
            </When>
        </div>
    }
}
