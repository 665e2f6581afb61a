//! A form for a new block.

use crate::context_panel::memory::deeds::Memory;
use crate::ui::when::{click, follow};
use leptos::ev::SubmitEvent;
use leptos::html::Input;
use leptos::prelude::*;
use protocol::limits::{BLOCK_DESCRIPTION_MAX_CHARS, BLOCK_LABEL_MAX_BYTES};
use serde_json::json;

#[component]
pub fn Form(memory: Memory, is_open: RwSignal<bool>) -> impl IntoView {
    let (label, description) = (NodeRef::<Input>::new(), NodeRef::<Input>::new());
    let failure = RwSignal::new(None);
    let text = |field: NodeRef<Input>| field.get_untracked().map(|input| input.value()).unwrap_or_default();
    follow(move || {
        if let Some(input) = label.get() {
            let _focused = input.focus();
        }
    });
    let create = move |submit: SubmitEvent| {
        submit.prevent_default();
        let body = json!({ "label": text(label).trim(), "description": text(description).trim() });
        memory.create(body, move |refused| {
            let is_done = refused.is_none();
            let _left = failure.try_set(refused);
            if is_done {
                let _left = is_open.try_set(false);
            }
        });
    };
    view! {
        <form class="block block-form" aria-label="New block" on:submit=create>
            <label>"Label" <input node_ref=label type="text" required maxlength=BLOCK_LABEL_MAX_BYTES.to_string()/></label>
            <label>"What it is for" <input node_ref=description type="text" maxlength=BLOCK_DESCRIPTION_MAX_CHARS.to_string()/></label>
            {move || failure.get().map(|text: String| view! { <p class="refused" role="alert" dir="auto">{text}</p> }.into_any())}
            <div class="block-deeds">
                <button type="submit" class="button is-main">"Create"</button>
                <button type="button" class="button" on:click=click(move |_| is_open.set(false))>"Cancel"</button>
            </div>
        </form>
    }
}
