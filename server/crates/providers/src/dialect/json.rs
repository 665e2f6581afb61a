//! The JSON in an event, for providers that bend the rules of framing and of strings.

use serde::de::{DeserializeOwned, IgnoredAny};
use std::borrow::Cow;

/// What the last line of a complete stream says in the OpenAI dialect.
pub(super) const DONE: &str = "[DONE]";

/// The documents in the data of one event: usually one. Servers that forget the blank line between events put
/// several in one event, a line each; comments that were sent as data are no documents.
pub(super) fn documents(data: &str) -> Vec<Cow<'_, str>> {
    let data = data.trim();
    let is_said = |text: &&str| !text.is_empty() && !text.starts_with(':');
    if !data.contains('\n') || is_json(data) {
        return Some(data).filter(is_said).into_iter().map(Cow::Borrowed).collect();
    }
    let lines: Vec<_> = data.lines().map(str::trim).filter(is_said).collect();
    if lines.iter().all(|line| *line == DONE || is_json(line)) {
        return lines.into_iter().map(Cow::Borrowed).collect();
    }
    vec![Cow::Owned(lines.join("\n"))]
}

/// Reads the documents of one answer. A character beyond the basic plane is written as two escapes, and some
/// providers cut an answer between them: the first half waits here for the second. Halves that stay alone are read as
/// the replacement character, or dropped at the end of a string.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The escape of a first half that ended a string.
    waiting: Option<String>,
}

impl Reader {
    pub(super) fn read<T: DeserializeOwned>(&mut self, text: &str) -> Result<T, serde_json::Error> {
        match self.heal(text) {
            Cow::Borrowed(text) => serde_json::from_str(text),
            Cow::Owned(healed) => serde_json::from_str(&healed),
        }
    }

    /// `text` with all surrogate escapes in pairs; borrowed where it has none.
    fn heal<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if !text.contains("\\ud") && !text.contains("\\uD") {
            return Cow::Borrowed(text);
        }
        let mut healed = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            healed.push_str(before);
            let length = self.escape(escape, &mut healed);
            rest = escape.get(length..).unwrap_or_default();
        }
        healed.push_str(rest);
        Cow::Owned(healed)
    }

    /// Copies the escape that `text` begins with; its length.
    fn escape(&mut self, text: &str, healed: &mut String) -> usize {
        let after = text.get(6..).unwrap_or_default();
        let (kept, length) = match (surrogate(text), surrogate(after)) {
            (Some(Half::High), Some(Half::Low)) => (text.get(..12), 12),
            (Some(Half::High), _) if after.starts_with('"') => {
                self.waiting = text.get(..6).map(str::to_owned);
                (None, 6)
            }
            (Some(Half::Low), _) if healed.ends_with('"') && self.waiting.is_some() => {
                healed.push_str(&self.waiting.take().unwrap_or_default());
                (text.get(..6), 6)
            }
            (Some(_), _) => (Some("\\ufffd"), 6),
            // Two bytes, so that an escaped backslash is not taken for the start of the next escape.
            (None, _) => (text.get(..2), 2),
        };
        healed.push_str(kept.unwrap_or_default());
        length
    }
}

/// Whether the data of an event is all there, which is in doubt where the end of the stream ended it.
pub(super) fn is_whole(data: &str) -> bool {
    documents(data).iter().all(|text| text == DONE || is_json(text))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

enum Half {
    High,
    Low,
}

/// Which half of a pair stands escaped at the start of `text`.
fn surrogate(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u32::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_may_hold_several_documents() {
        let rows: [(&str, &[&str]); 7] = [
            ("{}", &["{}"]),
            (" {\n\"a\": 1} ", &["{\n\"a\": 1}"]),
            ("{}\n{}\n[DONE]", &["{}", "{}", "[DONE]"]),
            (": x\n{}", &["{}"]),
            (": x", &[]),
            ("", &[]),
            ("nonsense\n{}", &["nonsense\n{}"]),
        ];
        for (data, expected) in rows {
            assert_eq!(documents(data), expected, "{data}");
        }
    }

    /// Texts of one answer, one after another.
    fn check(texts: &[&str], expected: &[Option<&str>]) {
        let mut reader = Reader::default();
        let read: Vec<_> = texts.iter().map(|text| reader.read::<String>(text).ok()).collect();
        assert_eq!(read.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{texts:?}");
    }

    #[test]
    fn lone_halves_are_healed_and_pairs_stay() {
        check(&[r#""\ud83c\udf33""#], &[Some("🌳")]);
        check(&[r#""a\ud83cb""#], &[Some("a\u{fffd}b")]);
        check(&[r#""\udf33\ud83c ""#], &[Some("\u{fffd}\u{fffd} ")]);
        check(&[r#""\\ud83c \ud83c ""#], &[Some("\\ud83c \u{fffd} ")]);
        check(&[r#""\ud83c"#], &[None]);
        check(&[r#""\q""#], &[None]);
    }

    // H04: an emoji whose halves come in two pieces is one emoji.
    #[test]
    fn halves_in_two_pieces_are_joined() {
        check(&[r#""a\uD83C""#, r#""\uDF33b""#], &[Some("a"), Some("🌳b")]);
        check(&[r#""\ud83c""#, r#""""#, r#""\udf33""#], &[Some(""), Some(""), Some("🌳")]);
        check(&[r#""\ud83c""#, r#""b""#, r#""b\udf33""#], &[Some(""), Some("b"), Some("b\u{fffd}")]);
        check(&[r#""\udf33""#], &[Some("\u{fffd}")]);
        check(&[r#""\\ud83c""#, r#""\udf33""#], &[Some("\\ud83c"), Some("\u{fffd}")]);
    }
}
