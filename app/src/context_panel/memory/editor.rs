//! The text of a block in a field: save, cancel, and what stands in the way of saving.

use super::conflict::Conflict;
use super::deeds::Memory;
use super::edit::{Edit, EditState};
use crate::browser;
use crate::ui::when::{click, follow, key, live};
use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;

/// The field. Ctrl or Command with S saves, Escape cancels; an input method's own keys mean nothing here.
#[component]
pub fn Editor(memory: Memory, label: StoredValue<String>, edit: RwSignal<Option<Edit>>) -> impl IntoView {
    let node = NodeRef::<Textarea>::new();
    follow(move || {
        if let Some(field) = node.get() {
            field.set_value(
                &edit.with_untracked(|edit| edit.as_ref().map(|edit| edit.text.clone())).unwrap_or_default(),
            );
            let _focused = field.focus();
        }
    });
    let save = move || memory.save(label.get_value(), edit);
    let typed = move |_| {
        let text = node.get_untracked().map(|field| field.value()).unwrap_or_default();
        edit.update(|edit| {
            if let Some(edit) = edit {
                edit.type_text(text);
            }
        });
    };
    let on_key = move |press: KeyboardEvent| {
        let pressed = press.key();
        let what = browser::key_press(&press, &pressed);
        if what.is_input_method() {
            return;
        }
        match pressed.as_str() {
            "s" | "S" if what.command => save(),
            "Escape" => edit.set(None),
            _ => return,
        }
        press.prevent_default();
        press.stop_propagation();
    };
    let state = Memo::new(move |_| edit.read().as_ref().map(|edit| edit.state.clone()));
    view! {
        <textarea
            class="block-text is-edited"
            node_ref=node
            dir="auto"
            spellcheck="true"
            aria-label=format!("Text of {}", label.get_value())
            on:input=typed
            on:keydown=key(on_key)
        ></textarea>
        {live(move || notice(state.get()?, edit, save))}
        <div class="block-deeds">
            <button
                type="button"
                class="button is-main"
                disabled=move || matches!(state.get(), Some(EditState::Saving | EditState::Conflict { .. }))
                on:click=click(move |_| save())
            >
                "Save"
            </button>
            <button type="button" class="button" on:click=click(move |_| edit.set(None))>"Cancel"</button>
        </div>
    }
}

/// What stands in the way of saving.
fn notice(
    state: EditState,
    edit: RwSignal<Option<Edit>>,
    save: impl Fn() + Copy + 'static,
) -> Option<AnyView> {
    match state {
        EditState::Open | EditState::Saving => None,
        EditState::Refused(why) => Some(view! { <p class="refused" role="alert" dir="auto">{why}</p> }.into_any()),
        EditState::Overtaken => Some(
            view! { <p class="overtaken" role="status">"This block was changed meanwhile. Save to compare."</p> }.into_any(),
        ),
        EditState::Conflict { theirs } => Some(view! { <Conflict theirs edit save/> }.into_any()),
    }
}
