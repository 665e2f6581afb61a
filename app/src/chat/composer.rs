//! Where a person types. What is typed is kept in the browser until the server has it; the field stays usable while an
//! answer is written, and an input method is never interrupted.

use super::composer_state::{Intent, KeyPress, Keyboard, message_of};
use super::transcript::Activity;
use crate::browser;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, key};
use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;
use std::sync::Arc;

/// Id of the field.
pub const COMPOSER_ID: &str = "composer";
/// A field never grows above this part of the window.
const TALLEST: f64 = 0.4;
/// A longer text fills the field without being measured.
const MEASURED_MAX_BYTES: usize = 6_000;

/// What a composer does with what is typed.
#[derive(Clone)]
pub struct ComposerDeeds {
    /// Sends a text. Whether it was taken; otherwise it stays.
    pub send: Arc<dyn Fn(String) -> bool + Send + Sync>,
    /// Stops what runs.
    pub stop: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Field {
    node: NodeRef<Textarea>,
    has_text: RwSignal<bool>,
    draft_key: StoredValue<String>,
}

impl Field {
    fn text(self) -> String {
        self.area().map(|area| area.value()).unwrap_or_default()
    }

    /// The field; none once it has left the screen.
    fn area(self) -> Option<web_sys::HtmlTextAreaElement> {
        self.node.try_get_untracked().flatten()
    }

    fn set(self, text: &str) {
        if let Some(area) = self.area() {
            area.set_value(text);
        }
        self.fit(text);
        self.notice(text);
    }

    fn typed(self) {
        let text = self.text();
        self.notice(&text);
        self.draft_key.with_value(|key| browser::store(key, &text));
        self.fit(&text);
    }

    fn notice(self, text: &str) {
        let has_text = !text.trim().is_empty();
        if self.has_text.get_untracked() != has_text {
            self.has_text.set(has_text);
        }
    }

    /// Makes the field as tall as its text. Measuring lays the whole text out, so a long one is not measured.
    fn fit(self, text: &str) {
        let Some(area) = self.area() else { return };
        let tallest =
            window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(900.0) * TALLEST;
        let height = if text.len() > MEASURED_MAX_BYTES {
            tallest
        } else {
            let _shrunk = area.set_attribute("style", "height:auto");
            f64::from(area.scroll_height()).min(tallest)
        };
        if height > 0.0 {
            let _grown = area.set_attribute("style", &format!("height:{height}px"));
        }
    }

    /// Wakes the field up: what was typed before the page was alive wins over the kept draft.
    fn wake(self) {
        let draft = self.draft_key.with_value(|key| browser::load(key)).unwrap_or_default();
        if self.text().is_empty() && !draft.is_empty() {
            self.set(&draft);
        } else {
            self.typed();
        }
        if !browser::is_touch() && nobody_has_focus() {
            browser::focus(COMPOSER_ID);
        }
    }

    fn send(self, deeds: &ComposerDeeds) {
        let Some(text) = message_of(&self.text()) else { return };
        if (deeds.send)(text) {
            self.set("");
        }
    }
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
    Effect::new(move || {
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
    Effect::new(move || {
        if let Some(text) = returned.get() {
            let typed = field.text();
            field.set(&if typed.is_empty() { text } else { format!("{text}\n\n{typed}") });
            field.typed();
            browser::focus(COMPOSER_ID);
        }
    });
    let on_key = {
        let deeds = deeds.clone();
        move |press: KeyboardEvent| match intent_of(&press) {
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
            <p class="hint">"Enter sends · Shift+Enter breaks the line"</p>
        </div>
    }
}

/// Send, and in the same place Stop while an answer is written and nothing is typed.
#[component]
fn ComposerButtons(
    field: Field,
    deeds: ComposerDeeds,
    #[prop(into)] activity: Signal<Activity>,
) -> impl IntoView {
    let is_stop_shown = Memo::new(move |_| activity.get() != Activity::Idle && !field.has_text.get());
    view! {
        {move || {
            if is_stop_shown.get() { stop_button(&deeds, activity) } else { send_button(&deeds, field) }
        }}
    }
}

fn stop_button(deeds: &ComposerDeeds, activity: Signal<Activity>) -> AnyView {
    let stop = deeds.stop.clone();
    let label = move || if activity.get() == Activity::Stopping { "Stopping" } else { "Stop" };
    view! {
        <button
            type="button"
            class="send is-stop"
            aria-label=move || label()
            title="Stop (Esc)"
            on:click=click(move |_| stop())
        >
            <Icon shape=Shape::Stop/>
        </button>
    }
    .into_any()
}

fn send_button(deeds: &ComposerDeeds, field: Field) -> AnyView {
    let deeds = deeds.clone();
    view! {
        <button
            type="button"
            class="send"
            aria-label="Send"
            disabled=move || !field.has_text.get()
            on:click=click(move |_| field.send(&deeds))
        >
            <Icon shape=Shape::Up/>
        </button>
    }
    .into_any()
}

fn intent_of(press: &KeyboardEvent) -> Intent {
    let keyboard = if browser::is_touch() { Keyboard::Touch } else { Keyboard::Keys };
    key_press(press, &press.key()).intent(keyboard)
}

/// A key press as data.
pub fn key_press<'a>(press: &KeyboardEvent, key: &'a str) -> KeyPress<'a> {
    KeyPress {
        key,
        key_code: press.key_code(),
        shift: press.shift_key(),
        command: press.ctrl_key() || press.meta_key(),
        alt: press.alt_key(),
        is_composing: press.is_composing(),
    }
}

fn nobody_has_focus() -> bool {
    let here = document().active_element();
    here.is_none_or(|here| matches!(here.tag_name().as_str(), "BODY" | "A"))
}
