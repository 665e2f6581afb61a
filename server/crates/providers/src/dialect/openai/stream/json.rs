//! The JSON in an event, for providers that bend the rules of framing and of strings.

use super::DONE;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::borrow::Cow;

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

/// Reads a document. Where it only fails because half of a surrogate pair stands alone in an escape, that half is
/// read as the replacement character.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match heal(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(healed) => serde_json::from_str(&healed),
    })
}

/// Whether the data of an event is all there, which is in doubt where the end of the stream ended it.
pub(in crate::dialect::openai) fn is_whole(data: &str) -> bool {
    documents(data).iter().all(|text| text == DONE || is_json(text))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// `text` with lone surrogate escapes replaced; borrowed where there are none.
fn heal(text: &str) -> Cow<'_, str> {
    let mut healed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        healed.push_str(before);
        let (kept, length) = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(Half::High), Some(Half::Low)) => (escape.get(..12), 12),
            (Some(_), _) => (Some("\\ufffd"), 6),
            // Two bytes, so that an escaped backslash is not taken for the start of the next escape.
            (None, _) => (escape.get(..2), 2),
        };
        healed.push_str(kept.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    healed.push_str(rest);
    if healed == text { Cow::Borrowed(text) } else { Cow::Owned(healed) }
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

    #[test]
    fn lone_halves_are_healed_and_pairs_stay() {
        let rows = [
            (r#""\ud83c\udf33""#, Some("🌳")),
            (r#""a\ud83cb""#, Some("a\u{fffd}b")),
            (r#""\udf33\ud83c""#, Some("\u{fffd}\u{fffd}")),
            (r#""\\ud83c \ud83c""#, Some("\\ud83c \u{fffd}")),
            (r#""\ud83c"#, None),
            (r#""\q""#, None),
        ];
        for (text, expected) in rows {
            assert_eq!(read::<String>(text).ok().as_deref(), expected, "{text}");
        }
    }
}
