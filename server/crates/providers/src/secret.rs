//! A text that must not be seen: it prints as dots and is shown to nobody but the provider it belongs to.

use std::fmt;
use std::sync::Arc;

/// A key. Neither `Debug` nor any error of this crate shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes the text without blanks around it, as it is often pasted; none if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.into()))
    }

    /// The text itself, for the header of a request and for the store.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// For people: enough to tell two keys apart, not enough to use one.
    pub fn masked(&self) -> String {
        let count = self.0.chars().count();
        let shown = if count >= 16 { 4 } else { 0 };
        let tail: String = self.0.chars().skip(count - shown).collect();
        format!("••••{tail}")
    }

    /// `text` without the secret, should it occur in it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        text.replace(&*self.0, "••••")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(••••)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_shows_four_letters_of_many_and_none_of_few() {
        let rows = [
            ("sk-0123456789abcdef", "••••cdef"),
            (" short-key\n", "••••"),
            ("ключ-ключ-ключ-🌳🌳", "••••ч-🌳🌳"),
        ];
        for (text, masked) in rows {
            let secret = Secret::new(text).expect("a text");
            assert_eq!((secret.masked().as_str(), format!("{secret:?}").as_str()), (masked, "Secret(••••)"));
        }
        assert_eq!(Secret::new(" \n"), None);
    }
}
