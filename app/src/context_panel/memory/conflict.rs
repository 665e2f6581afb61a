//! Two people wrote at the same time: what the other wrote, and the choice.

use super::edit::Edit;
use crate::ui::when::click;
use leptos::prelude::*;

/// The choice. Nothing is lost by either: the other text is in the history.
#[component]
pub fn Conflict(
    theirs: String,
    edit: RwSignal<Option<Edit>>,
    save: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let keep = move |_| {
        edit.update(|edit| {
            if let Some(edit) = edit {
                edit.keep_mine();
            }
        });
        save();
    };
    view! {
        <section class="conflict" role="alert" aria-label="Conflict">
            <p>"This block was changed while you wrote. It says now:"</p>
            <div class="block-text" dir="auto">{theirs}</div>
            <div class="block-deeds">
                <button type="button" class="button" on:click=click(keep)>"Keep mine"</button>
                <button type="button" class="button" on:click=click(move |_| edit.set(None))>"Take theirs"</button>
            </div>
        </section>
    }
}
