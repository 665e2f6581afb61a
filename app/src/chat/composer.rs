//! Where a person types. What is typed and attached is kept in the browser until the server has it; the field stays
//! usable while an answer is written, and an input method is never interrupted.

mod attach;
mod buttons;
pub mod field;
pub mod intake;
pub mod recalled;
pub mod suggest;
pub mod tray;
pub mod trigger;

use super::composer_state::{Intent, Keyboard};
use super::later::{Extra, extra};
use super::transcript::{Activity, Words};
use crate::boot::prefs::SendKey;
use crate::browser;
use crate::client::Client;
use crate::ui::when::{When, follow, key, live, memo};
use attach::{AttachButton, receive};
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
    /// Sends words. Whether they were taken; otherwise they stay.
    pub send: Arc<dyn Fn(Words) -> bool + Send + Sync>,
    /// Stops what runs.
    pub stop: Arc<dyn Fn() + Send + Sync>,
    /// What was said before, the latest first.
    pub said: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    /// Opens one of these in its place, with other words. Whether it can be edited there.
    pub edit: Arc<dyn Fn((usize, String), String) -> bool + Send + Sync>,
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
    /// Words that come back to be typed again.
    #[prop(into)]
    returned: Signal<Option<Words>>,
) -> impl IntoView {
    let field = Field::new(draft_key);
    keep(field, is_unconfirmed, returned);
    receive(field);
    let prefs = Client::expect().prefs();
    let send_key = memo(move || prefs.read().send);
    let on_key = {
        let deeds = deeds.clone();
        move |press: KeyboardEvent| {
            if field.suggests(&press) {
                return press.prevent_default();
            }
            let is_done = match intent_of(&press, send_key.get_untracked()) {
                Intent::Send => {
                    field.send(&deeds);
                    true
                }
                Intent::Recall(way) => field.recall(way, &deeds),
                Intent::Stop => field.leave_recall(),
                Intent::Type => false,
            };
            if is_done {
                press.prevent_default();
            }
        }
    };
    let has_tray = Memo::new(move |_| field.has_tray());
    let is_recalled = Memo::new(move |_| field.recalled.with(Option::is_some));
    let recalling = deeds.clone();
    let is_suggesting = Memo::new(move |_| field.trigger.with(Option::is_some));
    view! {
        <div class="composer">
            <div class="composer-box" class:is-target=live(move || field.is_target.get())>
                <When is=is_suggesting>{extra(Extra::Suggest(field))}</When>
                <When is=is_recalled>{extra(Extra::Recalled(field, recalling.clone()))}</When>
                <When is=has_tray>{extra(Extra::Tray(field))}</When>
                <AttachButton field/>
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
                    on:paste=move |paste| intake::paste(field, &paste)
                ></textarea>
                <ComposerButtons field deeds activity/>
            </div>
            <p class="hint">{live(move || hint(send_key.get()))}</p>
        </div>
    }
}

/// Keeps the draft until the server has what was sent, and takes back what comes back.
fn keep(field: Field, is_unconfirmed: Signal<bool>, returned: Signal<Option<Words>>) {
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
        if was_unconfirmed == Some(true) && !is_unconfirmed && field.is_empty() {
            field.forget_draft();
        }
        is_unconfirmed
    });
    follow(move || {
        if let Some(words) = returned.get() {
            field.put_back(words);
            browser::focus(COMPOSER_ID);
        }
    });
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
