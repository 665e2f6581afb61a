//! What a key means while a message is edited in its place. Pure.

use super::composer_state::KeyPress;
use super::transcript::Speaker;

/// What a person wants of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditIntent {
    /// Keep the words; nobody is asked.
    Save,
    /// Keep the words and ask for an answer.
    Rerun,
    /// Leave everything as it was.
    Cancel,
}

/// What a key means; only a person's message can be asked again.
pub fn intent(press: KeyPress, speaker: Speaker) -> Option<EditIntent> {
    if press.is_input_method() {
        return None;
    }
    match (press.key, speaker) {
        ("Escape", _) => Some(EditIntent::Cancel),
        ("s" | "S", _) if press.command => Some(EditIntent::Save),
        ("Enter", Speaker::Person) if press.command => Some(EditIntent::Rerun),
        ("Enter", Speaker::Model | Speaker::Note) if press.command => Some(EditIntent::Save),
        _ => None,
    }
}

/// The words to keep: none if they are the old ones, or nothing but blanks.
pub fn new_words(typed: &str, old: &str) -> Option<String> {
    super::composer_state::message_of(typed).filter(|text| text != old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(press: KeyPress, on_own: Option<EditIntent>, on_answer: Option<EditIntent>) {
        let got = (intent(press, Speaker::Person), intent(press, Speaker::Model));
        assert_eq!(got, (on_own, on_answer), "{press:?}");
    }

    #[test]
    fn keys_save_ask_again_and_leave_and_enter_breaks_the_line() {
        let plain = |key| KeyPress { key, ..KeyPress::default() };
        let held = |key| KeyPress { command: true, ..plain(key) };
        check(held("Enter"), Some(EditIntent::Rerun), Some(EditIntent::Save));
        check(held("s"), Some(EditIntent::Save), Some(EditIntent::Save));
        check(plain("Escape"), Some(EditIntent::Cancel), Some(EditIntent::Cancel));
        check(plain("Enter"), None, None);
        check(plain("s"), None, None);
        let composing = KeyPress { key: "Enter", command: true, key_code: 229, ..KeyPress::default() };
        assert_eq!(intent(composing, Speaker::Person), None);
    }

    #[test]
    fn the_same_words_are_no_new_version() {
        assert_eq!(new_words("b\n", "a"), Some("b".to_owned()));
        assert_eq!((new_words("a", "a"), new_words("  ", "a")), (None, None));
    }
}
