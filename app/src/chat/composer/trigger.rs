//! What in a message asks for suggestions: a command at its beginning, or a mention at its end. Pure.

/// A longer word is none.
const LONGEST: usize = 40;

/// What is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    /// A command, as far as it is typed.
    Command(String),
    /// The name of something, as far as it is typed.
    Mention(String),
}

impl Trigger {
    /// Its length in bytes, with the sign that it begins with.
    pub fn typed_len(&self) -> usize {
        let (Self::Command(word) | Self::Mention(word)) = self;
        word.len() + 1
    }
}

/// What is being typed at the end of a text.
pub fn trigger_of(text: &str) -> Option<Trigger> {
    let is_word = |word: &&str| word.len() <= LONGEST && !word.contains(char::is_whitespace);
    if let Some(word) = text.strip_prefix('/').filter(is_word) {
        return Some(Trigger::Command(word.to_owned()));
    }
    let (before, word) = text.rsplit_once('@')?;
    let is_first = before.chars().next_back().is_none_or(char::is_whitespace);
    Some(word).filter(is_word).filter(|_| is_first).map(|word| Trigger::Mention(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_begins_a_message_and_an_at_sign_begins_a_word() {
        let check = |text: &str, expected: Option<Trigger>| assert_eq!(trigger_of(text), expected, "{text}");
        let command = |word: &str| Some(Trigger::Command(word.to_owned()));
        let mention = |word: &str| Some(Trigger::Mention(word.to_owned()));
        check("", None);
        check("/", command(""));
        check("/mod", command("mod"));
        check("/mod el", None);
        check("and/or", None);
        check("@", mention(""));
        check("look at @mem", mention("mem"));
        check("line\n@mem", mention("mem"));
        check("@memory is", None);
        check("me@example.org", None);
        check(&format!("@{}", "x".repeat(41)), None);
    }
}
