//! Where a person types. What is typed is kept in the browser until the server has it; the field stays usable while an
//! answer is written, and an input method is never interrupted.

mod buttons;
mod field;

use super::composer_state::{Intent, Keyboard};
use super::transcript::Activity;
use crate::boot::prefs::SendKey;
use crate::browser;
use crate::client::Client;
use crate::ui::when::{follow, key, live};
use buttons::ComposerButtons;
use field::Field;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use std::sync::Arc;

/// Id of the field.
pub const COMPOSER_ID: &str = "composer";

/// What a composer does with what is typed.
#[derive(Clone)]
pub struct ComposerDeeds {
    /// Sends a text. Whether it was taken; otherwise it stays.
    pub send: Arc<dyn Fn(String) -> bool + Send + Sync>,
    /// Stops what runs.
    pub stop: Arc<dyn Fn() + Send + Sync>,
}

/// The composer. The server shows it empty.
#[component]
pub fn Composer(
    /// What it does.
    deeds: ComposerDeeds,
    /// What the session is busy with.
    #[prop(into)]
    activity: Signal<Activity>,
    /// Where the draft is kept.
    draft_key: String,
    /// Whether something sent is not known to have arrived: the draft is kept until it is.
    #[prop(into)]
    is_unconfirmed: Signal<bool>,
    /// A text that comes back to be typed again.
    #[prop(into)]
    returned: Signal<Option<String>>,
) -> impl IntoView {
    let field = Field {
        node: NodeRef::new(),
        has_text: RwSignal::new(false),
        draft_key: StoredValue::new(draft_key),
    };
    let prefs = Client::expect().prefs();
    let send_key = Memo::new(move |_| prefs.read().send);
    follow(move || {
        // Where another session takes this place, the field is there only once the new view is.
        if field.node.get().is_none() {
            return;
        }
        field.wake();
        // A field that has just been made may not be laid out yet.
        request_animation_frame(move || field.fit(&field.text()));
    });
    Effect::new(move |was_unconfirmed: Option<bool>| {
        let is_unconfirmed = is_unconfirmed.get();
        if was_unconfirmed == Some(true) && !is_unconfirmed && field.text().is_empty() {
            field.draft_key.with_value(|key| browser::store(key, ""));
        }
        is_unconfirmed
    });
    follow(move || {
        if let Some(text) = returned.get() {
            let typed = field.text();
            field.set(&if typed.is_empty() { text } else { format!("{text}\n\n{typed}") });
            field.typed();
            browser::focus(COMPOSER_ID);
        }
    });
    let on_key = {
        let deeds = deeds.clone();
        move |press: KeyboardEvent| match intent_of(&press, send_key.get_untracked()) {
            Intent::Send => {
                press.prevent_default();
                field.send(&deeds);
            }
            Intent::Stop | Intent::Type => {}
        }
    };
    view! {
        <div class="composer">
            <div class="composer-box">
                <label class="sr-only" for=COMPOSER_ID>"Message"</label>
                <textarea
                    id=COMPOSER_ID
                    node_ref=field.node
                    rows="1"
                    dir="auto"
                    placeholder="Write a message"
                    autocomplete="off"
                    enterkeyhint="enter"
                    on:keydown=key(on_key)
                    on:input=move |_| field.typed()
                ></textarea>
                <ComposerButtons field deeds activity/>
            </div>
            <p class="hint">{live(move || hint(send_key.get()))}</p>
        </div>
    }
}

fn intent_of(press: &KeyboardEvent, send_key: SendKey) -> Intent {
    let is_line_key = browser::is_touch() || send_key == SendKey::CommandEnter;
    let keyboard = if is_line_key { Keyboard::Touch } else { Keyboard::Keys };
    browser::key_press(press, &press.key()).intent(keyboard)
}

fn hint(send_key: SendKey) -> &'static str {
    match send_key {
        SendKey::Enter => "Enter sends · Shift+Enter breaks the line",
        SendKey::CommandEnter => "Ctrl+Enter sends · Enter breaks the line",
    }
}
