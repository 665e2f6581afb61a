//! A message in a field, to be said in other words.

use super::editing::Editing;
use crate::browser;
use crate::chat::editor_state::{EditIntent, intent};
use crate::chat::transcript::Speaker;
use crate::client::Client;
use crate::ui::when::{click, follow, key};
use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;

/// The field with its buttons. Ctrl/Cmd+S keeps the words, Ctrl/Cmd+Enter asks again, Escape leaves.
#[component]
pub fn Editor(editing: Editing) -> impl IntoView {
    let client = Client::expect();
    let node = NodeRef::<Textarea>::new();
    let words = editing.words.get_untracked().unwrap_or_default();
    follow(move || {
        if let Some(area) = node.get() {
            area.set_value(&words);
            let _tall =
                area.set_attribute("style", &format!("height:{}px", area.scroll_height().clamp(68, 420)));
            let _focused = area.focus();
        }
    });
    let speaker = editing.head.with_untracked(|head| head.speaker);
    let is_person = speaker == Speaker::Person;
    let act = StoredValue::new(move |intent: EditIntent| {
        let text = node.get_untracked().map(|area| area.value()).unwrap_or_default();
        editing.finish(client, intent, &text);
    });
    let on_key = move |press: KeyboardEvent| {
        press.stop_propagation();
        if let Some(intent) = intent(browser::key_press(&press, &press.key()), speaker) {
            press.prevent_default();
            act.with_value(|act| act(intent));
        }
    };
    let button = move |class: &'static str, label: &'static str, intent: EditIntent| {
        let act = click(move |_| act.with_value(|act| act(intent)));
        view! { <button type="button" class=class on:click=act>{label}</button> }.into_any()
    };
    view! {
        <div class="editor">
            <textarea node_ref=node dir="auto" aria-label="Edit the message" on:keydown=key(on_key)></textarea>
            <div class="editor-foot">
                {is_person.then(|| button("text-button is-strong", "Save and ask again", EditIntent::Rerun))}
                {button("text-button is-strong", "Save", EditIntent::Save)}
                {button("text-button", "Cancel", EditIntent::Cancel)}
                <span class="hint">"The old version stays"</span>
            </div>
        </div>
    }
}
