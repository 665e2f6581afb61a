//! What a key in the composer means. Pure: a key comes in as data, an intent goes out.

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
    /// The browser shall do what it does with this key.
    Type,
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
    fn every_session_has_its_own_draft() {
        assert_eq!(draft_key("default", None), "bough.draft.default.new");
        assert_eq!(draft_key("default", Some(&"a/b".into())), "bough.draft.default.a%2Fb");
        assert_eq!(draft_key("default", Some(&"".into())), "bough.draft.default.~");
    }
}
