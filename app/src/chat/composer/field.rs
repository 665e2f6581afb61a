//! The field of the composer: what is typed, its draft, and how tall it stands.

use super::intake::Incoming;
use super::trigger::{Trigger, trigger_of};
use super::{COMPOSER_ID, ComposerDeeds};
use crate::backend::told;
use crate::browser;
use crate::chat::composer_state::{Recall, Way, files_key, message_of};
use crate::chat::transcript::{Words, files_of};
use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;
use protocol::{FilePart, Part};

/// A field never grows above this part of the window.
const TALLEST: f64 = 0.4;

/// A longer text fills the field without being measured.
const MEASURED_MAX_BYTES: usize = 6_000;

/// The field in which a person types. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Field {
    /// The element.
    pub node: NodeRef<Textarea>,
    /// Whether there is text to send.
    pub has_text: RwSignal<bool>,
    /// What is attached.
    pub files: RwSignal<Vec<FilePart>>,
    /// What is to be attached once it is read.
    pub intake: RwSignal<Vec<Incoming>>,
    /// Whether files are dragged over the page.
    pub is_target: RwSignal<bool>,
    /// What was said before and was put in again: which it is, from the latest, and its words.
    pub recalled: RwSignal<Option<(usize, String)>>,
    /// What is being typed that asks for suggestions.
    pub trigger: RwSignal<Option<Trigger>>,
    /// Hears a key while there are suggestions; whether it meant something to them.
    pub keys: StoredValue<Option<Callback<String, bool>>>,
    draft_key: StoredValue<String>,
    recall: StoredValue<Recall>,
}

impl Field {
    /// An empty field whose draft is kept under a name.
    pub fn new(draft_key: String) -> Self {
        Self {
            node: NodeRef::new(),
            has_text: RwSignal::new(false),
            files: RwSignal::new(Vec::new()),
            intake: RwSignal::new(Vec::new()),
            is_target: RwSignal::new(false),
            recalled: RwSignal::new(None),
            trigger: RwSignal::new(None),
            keys: StoredValue::new(None),
            draft_key: StoredValue::new(draft_key),
            recall: StoredValue::new(Recall::default()),
        }
    }

    /// What is typed.
    pub fn text(self) -> String {
        self.area().map(|area| area.value()).unwrap_or_default()
    }

    /// Whether there is anything to send, and nothing on its way into it.
    pub fn can_send(self) -> bool {
        (self.has_text.get() || self.files.with(|files| !files.is_empty())) && self.intake.with(Vec::is_empty)
    }

    /// Whether something is attached or about to be.
    pub fn has_tray(self) -> bool {
        self.files.with(|files| !files.is_empty()) || self.intake.with(|intake| !intake.is_empty())
    }

    /// Whether nothing is typed and nothing attached.
    pub fn is_empty(self) -> bool {
        self.text().is_empty() && self.files.with_untracked(Vec::is_empty)
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
        self.suggest(trigger_of(&text).filter(|_| self.is_at_end()));
    }

    fn suggest(self, trigger: Option<Trigger>) {
        if self.trigger.with_untracked(|old| *old != trigger) {
            self.trigger.set(trigger);
        }
    }

    /// Whether a key meant something to the suggestions.
    pub fn suggests(self, press: &KeyboardEvent) -> bool {
        let key = press.key();
        let pressed = browser::key_press(press, &key);
        let is_plain = !(pressed.is_input_method() || pressed.shift || pressed.command || pressed.alt);
        let keys = self.keys.try_get_value().flatten().filter(|_| is_plain);
        keys.is_some_and(|keys| keys.run(key))
    }

    /// Puts something in the place of what is being typed.
    pub fn replace_typed(self, inserted: &str) {
        let text = self.text();
        let typed = self.trigger.get_untracked().map(|trigger| trigger.typed_len()).unwrap_or_default();
        let kept = text.get(..text.len().saturating_sub(typed)).unwrap_or_default();
        self.set(&format!("{kept}{inserted}"));
        self.typed();
    }

    fn is_at_end(self) -> bool {
        let area = self.area();
        area.is_some_and(|area| area.selection_end().ok().flatten() == Some(area.text_length()))
    }

    fn notice(self, text: &str) {
        let has_text = !text.trim().is_empty();
        if self.has_text.get_untracked() != has_text {
            self.has_text.set(has_text);
        }
        if text.is_empty() {
            self.forget_recall();
            self.suggest(None);
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
            // Whole pixels: the code that writes fractions is large and nothing else of the first file needs it.
            let _grown = area.set_attribute("style", &format!("height:{}px", height as i64));
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
        let files = self.draft_key.with_value(|key| browser::load(&files_key(key))).unwrap_or_default();
        if let Some(parts) = told::read::<Vec<Part>>(&files) {
            self.files.set(files_of(&parts));
        }
        if !browser::is_touch() && nobody_has_focus() {
            browser::focus(COMPOSER_ID);
        }
    }

    /// Something was attached or taken away.
    pub fn set_files(self, files: Vec<FilePart>) {
        let parts: Vec<Part> = files.iter().cloned().map(Part::File).collect();
        let text =
            if parts.is_empty() { String::new() } else { serde_json::to_string(&parts).unwrap_or_default() };
        self.draft_key.with_value(|key| browser::store(&files_key(key), &text));
        self.files.set(files);
    }

    /// The server has what was sent.
    pub fn forget_draft(self) {
        self.draft_key.with_value(|key| {
            browser::store(key, "");
            browser::store(&files_key(key), "");
        });
    }

    /// Puts words before what is typed.
    pub fn put_back(self, words: Words) {
        let typed = self.text();
        let text = if typed.is_empty() || words.text.is_empty() {
            words.text + &typed
        } else {
            format!("{}\n\n{typed}", words.text)
        };
        self.set(&text);
        self.typed();
        let mut files = words.files;
        files.extend(self.files.get_untracked());
        self.set_files(files);
    }

    /// Sends what is typed and attached, if it is anything.
    pub fn send(self, deeds: &ComposerDeeds) {
        if !untrack(|| self.can_send()) {
            return;
        }
        let text = message_of(&self.text()).unwrap_or_default();
        if (deeds.send)(Words { text, files: self.files.get_untracked() }) {
            self.set("");
            self.files.set(Vec::new());
        }
    }

    /// Walks through what was said before. Whether there was a step to make.
    pub fn recall(self, way: Way, deeds: &ComposerDeeds) -> bool {
        let Some(area) = self.area() else { return false };
        let text = area.value();
        let caret = area.selection_start().ok().flatten().unwrap_or_default() as usize;
        let Some(mut recall) = self.recall.try_get_value() else { return false };
        let Some(next) = recall.step(way, &text, caret, &(deeds.said)()) else {
            return false;
        };
        self.set(&next);
        self.typed();
        self.recalled.set(recall.place().map(|place| (place, next)));
        self.recall.set_value(recall);
        true
    }

    /// Leaves what was said before alone; the field is empty again, unless other words were made of it.
    /// Whether there was anything to leave.
    pub fn leave_recall(self) -> bool {
        let Some((_, said)) = self.recalled.get_untracked() else { return false };
        if self.text() == said {
            self.set("");
            self.typed();
        }
        self.forget_recall();
        true
    }

    /// Opens what was said before in its place, with the words that stand here. Where it cannot be edited
    /// there, the words stay. Whether it can.
    pub fn edit_recalled(self, deeds: &ComposerDeeds) -> bool {
        let recalled = self.recalled.get_untracked();
        let is_open = recalled.is_some_and(|said| (deeds.edit)(said, self.text()));
        if is_open {
            self.set("");
            self.typed();
        }
        is_open
    }

    fn forget_recall(self) {
        self.recall.set_value(Recall::default());
        if self.recalled.with_untracked(Option::is_some) {
            self.recalled.set(None);
        }
    }
}

fn nobody_has_focus() -> bool {
    let here = document().active_element();
    here.is_none_or(|here| matches!(here.tag_name().as_str(), "BODY" | "A"))
}
