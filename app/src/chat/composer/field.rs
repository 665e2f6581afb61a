//! The field of the composer: what is typed, its draft, and how tall it stands.

use super::{COMPOSER_ID, ComposerDeeds};
use crate::browser;
use crate::chat::composer_state::message_of;
use leptos::html::Textarea;
use leptos::prelude::*;

/// A field never grows above this part of the window.
const TALLEST: f64 = 0.4;

/// A longer text fills the field without being measured.
const MEASURED_MAX_BYTES: usize = 6_000;

/// The field in which a person types. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Field {
    /// The element.
    pub node: NodeRef<Textarea>,
    /// Whether there is anything to send.
    pub has_text: RwSignal<bool>,
    /// Where the draft is kept.
    pub draft_key: StoredValue<String>,
}

impl Field {
    /// What is typed.
    pub fn text(self) -> String {
        self.area().map(|area| area.value()).unwrap_or_default()
    }

    /// The field; none once it has left the screen.
    fn area(self) -> Option<web_sys::HtmlTextAreaElement> {
        self.node.try_get_untracked().flatten()
    }

    /// Puts a text in, which is not a draft yet.
    pub fn set(self, text: &str) {
        if let Some(area) = self.area() {
            area.set_value(text);
        }
        self.fit(text);
        self.notice(text);
    }

    /// Something was typed.
    pub fn typed(self) {
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
    pub fn fit(self, text: &str) {
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
    pub fn wake(self) {
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

    /// Sends what is typed, if it is anything.
    pub fn send(self, deeds: &ComposerDeeds) {
        let Some(text) = message_of(&self.text()) else { return };
        if (deeds.send)(text) {
            self.set("");
        }
    }
}

fn nobody_has_focus() -> bool {
    let here = document().active_element();
    here.is_none_or(|here| matches!(here.tag_name().as_str(), "BODY" | "A"))
}
