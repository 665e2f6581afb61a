//! A summary in a field, to say something else to the model.

use crate::browser;
use crate::chat::composer_state::message_of;
use crate::chat::editor_state::{EditIntent, intent};
use crate::chat::message::editing::Editing;
use crate::chat::transcript::Speaker;
use crate::client::Client;
use crate::ui::when::{click, follow, key};
use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;
use protocol::OverlayInfo;

/// The summary in a field.
#[component]
pub fn SummaryField(editing: Editing, fold: Signal<Option<OverlayInfo>>) -> impl IntoView {
    let client = Client::expect();
    let node = NodeRef::<Textarea>::new();
    let (source, this) = (editing.source(), StoredValue::new(editing));
    follow(move || {
        if let Some(area) = node.get() {
            area.set_value(&source);
            let height = area.scroll_height().clamp(68, 420);
            let _tall = area.set_attribute("style", &format!("height:{height}px"));
            let _focused = area.focus();
        }
    });
    let end = move |intent: EditIntent| {
        let editing = this.get_value();
        editing.words.set(None);
        let typed = node.get_untracked().map(|area| area.value()).unwrap_or_default();
        let words = message_of(&typed).filter(|text| *text != editing.source());
        if let (true, Some(text), Some(fold)) = (intent != EditIntent::Cancel, words, fold.get_untracked()) {
            client.rewrite_fold(&editing.chat, &fold.id, &text);
        }
    };
    let on_key = move |press: KeyboardEvent| {
        press.stop_propagation();
        if let Some(intent) = intent(browser::key_press(&press, &press.key()), Speaker::Note) {
            press.prevent_default();
            end(intent);
        }
    };
    view! {
        <div class="editor fold-editor">
            <textarea node_ref=node dir="auto" aria-label="Edit the summary" on:keydown=key(on_key)></textarea>
            <div class="editor-foot">
                <button type="button" class="text-button is-strong" on:click=click(move |_| end(EditIntent::Save))>"Save"</button>
                <button type="button" class="text-button" on:click=click(move |_| end(EditIntent::Cancel))>"Cancel"</button>
                <span class="hint">"The model reads this instead of the messages"</span>
            </div>
        </div>
    }
}
