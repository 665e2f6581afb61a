//! The head of a skill's file: name and description between two lines of dashes, in the small part of YAML that people
//! use there.

/// A file taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document<'a> {
    pub(super) description: Option<String>,
    /// What stands below the head.
    pub(super) body: &'a str,
}

const FENCE: &str = "---";

/// Reads a file. One without a head is all body.
pub(super) fn parse(text: &str) -> Document<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match split(text) {
        Some((head, body)) => Document { description: field(head, "description"), body },
        None => Document { description: None, body: text },
    }
}

/// Writes a file with a head.
pub(super) fn write(name: &str, description: &str, body: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    format!("{FENCE}\nname: {}\ndescription: {}\n{FENCE}\n\n{body}", quoted(name), quoted(description))
}

fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != FENCE {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let body = rest.get(at + line.len()..).unwrap_or_default();
            return Some((rest.get(..at)?, body.trim_start_matches(['\r', '\n'])));
        }
        at += line.len();
    }
    None
}

/// The value of a key at the left margin, as one line.
fn field(head: &str, key: &str) -> Option<String> {
    let mut lines = head.lines();
    let first =
        lines.by_ref().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?.trim();
    // Lines that are indented, or empty, go on with the value.
    let rest = lines.take_while(|line| line.is_empty() || line.starts_with([' ', '\t'])).map(str::trim);
    let first = if is_block_mark(first) { "" } else { first };
    let value =
        std::iter::once(first).chain(rest).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let value = unquoted(&value);
    (!value.is_empty()).then_some(value)
}

/// `>` and `|`, with what may follow them: the value begins on the next line.
fn is_block_mark(text: &str) -> bool {
    text.starts_with(['>', '|']) && text.chars().skip(1).all(|c| matches!(c, '+' | '-' | '1'..='9'))
}

fn unquoted(value: &str) -> String {
    if let Some(inner) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    if value.starts_with('"') {
        // Double quotes are read as JSON, which is how they are written here.
        return serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned());
    }
    // A comment begins with a blank and a hash.
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Document, parse, write};
    use proptest::prelude::*;

    #[test]
    fn heads_are_read_as_people_write_them() {
        for (head, expected) in [
            ("name: brew\ndescription: Brewing", Some("Brewing")),
            ("description: \"A: \\\"b\\\"\"", Some("A: \"b\"")),
            ("description: 'it''s'", Some("it's")),
            ("description: >-\n  two\n  lines\nlicense: MIT", Some("two lines")),
            ("description: |\n  two\n\n  lines", Some("two lines")),
            ("description: plain\n  goes on\nname: x", Some("plain goes on")),
            ("description: a # note", Some("a")),
            ("metadata:\n  description: not this one", None),
            ("description:", None),
            ("descriptions: x", None),
            ("name: x", None),
        ] {
            let text = format!("---\n{head}\n---\n\nBody\n");
            let expected = Document { description: expected.map(str::to_owned), body: "Body\n" };
            assert_eq!(parse(&text), expected, "{head}");
        }
    }

    #[test]
    fn a_text_without_a_head_is_all_body() {
        for text in ["", "Body", "---\nname: x\nno end", "--- x\n---\n", "\n---\n---\n"] {
            assert_eq!(parse(text), Document { description: None, body: text }, "{text:?}");
        }
        assert_eq!(parse("\u{feff}---\r\ndescription: a\r\n---\r\nBody").body, "Body");
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_be_read(text in "(---\n)?([a-d:>|'\"# -]{0,8}\n){0,5}(---\n)?.{0,9}") {
            let document = parse(&text);
            prop_assert!(text.ends_with(document.body));
        }

        #[test]
        fn any_description_can_be_read_again(description in "[a-z'\"#:\\\\{-][^\\p{C}]{0,20}") {
            let text = write("name", &description, "Body");
            prop_assert_eq!(parse(&text).description, Some(description));
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        for description in ["plain", "with \"quotes\" and: colons # and hashes", "---", "'x'"] {
            let text = write("name", description, "Body");
            assert_eq!(parse(&text), Document { description: Some(description.to_owned()), body: "Body" });
        }
    }
}
