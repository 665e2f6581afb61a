//! What a key in the composer means. Pure: a key comes in as data, an intent goes out.

use protocol::limits;

/// A key as the browser tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the browser's own flags of one key press")]
pub struct KeyPress<'a> {
    /// `Enter`, `Escape`, …
    pub key: &'a str,
    /// The old number of the key; 229 means that an input method has it.
    pub key_code: u32,
    /// Shift is held.
    pub shift: bool,
    /// Control or Command is held.
    pub command: bool,
    /// Alt is held.
    pub alt: bool,
    /// The browser says that an input method composes.
    pub is_composing: bool,
}

/// What the keyboard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyboard {
    /// One with keys: Enter sends.
    Keys,
    /// One on the screen, or of somebody who wants it so: Enter breaks the line; a button sends, or Enter with Control.
    Touch,
}

/// What a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Send what is typed.
    Send,
    /// Stop the answer.
    Stop,
    /// Walk through what was said before.
    Recall(Way),
    /// The browser shall do what it does with this key.
    Type,
}

/// Which way to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To what was said before it.
    Older,
    /// To what was said after it, and at last to what was being typed.
    Newer,
}

/// The key code that browsers report while an input method has the key, also for the Enter that confirms (some browsers
/// end the composition before they report that key).
const INPUT_METHOD_KEY: u32 = 229;

impl KeyPress<'_> {
    /// Whether an input method has this key: then it means nothing to us, in any field.
    pub fn is_input_method(&self) -> bool {
        self.is_composing || self.key_code == INPUT_METHOD_KEY
    }

    /// What it means in the composer.
    pub fn intent(&self, keyboard: Keyboard) -> Intent {
        if self.is_input_method() {
            return Intent::Type;
        }
        match self.key {
            "Enter" if self.command => Intent::Send,
            "Enter" if self.shift || self.alt || keyboard == Keyboard::Touch => Intent::Type,
            "Enter" => Intent::Send,
            "Escape" if !self.shift => Intent::Stop,
            "ArrowUp" | "ArrowDown" if self.shift || self.command || self.alt => Intent::Type,
            "ArrowUp" => Intent::Recall(Way::Older),
            "ArrowDown" => Intent::Recall(Way::Newer),
            _ => Intent::Type,
        }
    }
}

/// What is sent of what was typed: none if there is nothing but space.
pub fn message_of(typed: &str) -> Option<String> {
    let text = typed.trim_end().trim_start_matches(['\n', '\r']);
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// Where a session's draft is kept in the browser.
pub fn draft_key(instance: &str, session: Option<&protocol::SessionId>) -> String {
    let session = session.map_or_else(|| "new".to_owned(), crate::routes::segment);
    format!("bough.draft.{instance}.{session}")
}

/// Where what is attached is kept beside the draft.
pub fn files_key(draft_key: &str) -> String {
    format!("{draft_key}.files")
}

/// Whether a pasted text is better off as a file: a field in which so much stands is slow, and nobody reads it there.
pub fn is_file_rather(text: &str) -> bool {
    text.len() > limits::PASTE_AS_FILE_BYTES
}

/// Whether the caret (in UTF-16 units) stands where an arrow would leave the text: in its first or its last line.
fn is_at_edge(way: Way, text: &str, caret: usize) -> bool {
    let mut units = 0;
    let split = text.char_indices().find(|(_, letter)| {
        let is_here = units >= caret;
        units += letter.len_utf16();
        is_here
    });
    let (before, after) = text.split_at(split.map_or(text.len(), |(index, _)| index));
    match way {
        Way::Older => !before.contains('\n'),
        Way::Newer => !after.contains('\n'),
    }
}

/// A walk through what was said before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recall {
    /// Which of them stands in the field, from the latest.
    place: Option<usize>,
}

impl Recall {
    /// Which of what was said stands in the field, from the latest; none where something else does.
    pub fn place(&self) -> Option<usize> {
        self.place
    }

    /// One step. The text that is to stand in the field; none where the arrow is the field's own: something else was
    /// typed, the caret is inside the text, or there is nothing further.
    pub fn step(&mut self, way: Way, typed: &str, caret: usize, said: &[String]) -> Option<String> {
        let here = self.place.filter(|place| said.get(*place).is_some_and(|text| text == typed));
        let next = match (here, way) {
            (None, Way::Older) if typed.is_empty() => Some(0),
            (None, Way::Older | Way::Newer) => return None,
            (Some(_), _) if !is_at_edge(way, typed, caret) => return None,
            (Some(place), Way::Older) => Some(place + 1),
            (Some(place), Way::Newer) => place.checked_sub(1),
        };
        // A walk begins in an empty field, so that is what it comes back to.
        let text = next.map_or_else(|| Some(String::new()), |place| said.get(place).cloned())?;
        self.place = next;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTER: KeyPress = KeyPress {
        key: "Enter",
        key_code: 13,
        shift: false,
        command: false,
        alt: false,
        is_composing: false,
    };

    #[track_caller]
    fn check(press: KeyPress, on_keys: Intent, on_touch: Intent) {
        let got = (press.intent(Keyboard::Keys), press.intent(Keyboard::Touch));
        assert_eq!(got, (on_keys, on_touch), "{press:?}");
    }

    #[test]
    fn enter_sends_shift_enter_breaks_and_touch_keyboards_break() {
        check(ENTER, Intent::Send, Intent::Type);
        check(KeyPress { shift: true, ..ENTER }, Intent::Type, Intent::Type);
        check(KeyPress { alt: true, ..ENTER }, Intent::Type, Intent::Type);
        check(KeyPress { command: true, ..ENTER }, Intent::Send, Intent::Send);
        check(KeyPress { key: "a", key_code: 65, ..ENTER }, Intent::Type, Intent::Type);
        let up = KeyPress { key: "ArrowUp", key_code: 38, ..ENTER };
        check(up, Intent::Recall(Way::Older), Intent::Recall(Way::Older));
        check(KeyPress { shift: true, ..up }, Intent::Type, Intent::Type);
        check(KeyPress { key: "Escape", key_code: 27, ..ENTER }, Intent::Stop, Intent::Stop);
        check(KeyPress { key: "Escape", key_code: 27, shift: true, ..ENTER }, Intent::Type, Intent::Type);
    }

    #[test]
    fn j01_the_enter_that_confirms_a_conversion_never_sends() {
        check(KeyPress { is_composing: true, ..ENTER }, Intent::Type, Intent::Type);
        check(KeyPress { key_code: 229, ..ENTER }, Intent::Type, Intent::Type);
        check(KeyPress { key_code: 229, command: true, ..ENTER }, Intent::Type, Intent::Type);
        check(KeyPress { key: "Escape", is_composing: true, ..ENTER }, Intent::Type, Intent::Type);
    }

    #[test]
    fn only_space_is_no_message_and_indentation_is_kept() {
        let check = |typed: &str, expected: Option<&str>| assert_eq!(message_of(typed).as_deref(), expected);
        check(" \n\t", None);
        check("hello \n", Some("hello"));
        check("\n    code", Some("    code"));
    }

    #[test]
    fn arrows_recall_what_was_said_and_come_back() {
        let said = ["two\nlines".to_owned(), "one".to_owned()];
        let mut recall = Recall::default();
        let mut check = |way, typed: &str, caret, expected: Option<&str>| {
            assert_eq!(recall.step(way, typed, caret, &said).as_deref(), expected, "{way:?} {typed}");
        };
        check(Way::Newer, "", 0, None);
        check(Way::Older, "a draft", 0, None);
        check(Way::Older, "", 0, Some("two\nlines"));
        check(Way::Older, "two\nlines", 5, None);
        check(Way::Older, "two\nlines", 2, Some("one"));
        check(Way::Older, "one", 3, None);
        check(Way::Newer, "one", 3, Some("two\nlines"));
        check(Way::Newer, "two\nlines", 9, Some(""));
        check(Way::Older, "", 0, Some("two\nlines"));
        check(Way::Older, "changed", 0, None);
        assert_eq!(Recall::default().step(Way::Older, "", 0, &[]), None);
    }

    #[test]
    fn the_edge_is_the_first_or_the_last_line() {
        let check =
            |way, caret, expected| assert_eq!(is_at_edge(way, "é\u{1f600}\nb", caret), expected, "{caret}");
        check(Way::Older, 0, true);
        check(Way::Older, 3, true);
        check(Way::Older, 4, false);
        check(Way::Newer, 3, false);
        check(Way::Newer, 4, true);
        assert!(is_at_edge(Way::Older, "", 0));
    }

    /// I14: what is long is a file.
    #[test]
    fn a_long_paste_is_a_file() {
        assert!(!is_file_rather("short") && is_file_rather(&"\n".repeat(50_000)));
    }

    #[test]
    fn every_session_has_its_own_draft() {
        assert_eq!(draft_key("default", None), "bough.draft.default.new");
        assert_eq!(draft_key("default", Some(&"a/b".into())), "bough.draft.default.a%2Fb");
        assert_eq!(draft_key("default", Some(&"".into())), "bough.draft.default.~");
    }
}
