//! Just enough of Rust's grammar to tell code, comments and strings apart.

use std::ops::Range;

/// What a stretch of source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Comment,
    Text,
}

/// Splits a source into stretches that cover it.
pub(crate) fn spans(source: &str) -> Vec<(Kind, Range<usize>)> {
    let mut spans: Vec<(Kind, Range<usize>)> = Vec::new();
    let mut at = 0;
    let mut before = None;
    while let Some(next) = source[at..].chars().next() {
        let (kind, length) = token(&source[at..], before);
        let end = at + length;
        match spans.last_mut() {
            Some((Kind::Code, range)) if kind == Kind::Code => range.end = end,
            _ => spans.push((kind, at..end)),
        }
        before = (kind == Kind::Code).then_some(next);
        at = end;
    }
    spans
}

fn token(tail: &str, before: Option<char>) -> (Kind, usize) {
    let follows_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if tail.starts_with("//") {
        return (Kind::Comment, tail.find('\n').unwrap_or(tail.len()));
    }
    if tail.starts_with("/*") {
        return (Kind::Comment, block_comment(tail));
    }
    if let Some(length) = raw_string(tail).filter(|_| !follows_word) {
        return (Kind::Text, length);
    }
    match tail.chars().next() {
        Some('"') => (Kind::Text, quoted(tail)),
        Some('\'') => character(tail).map_or((Kind::Code, 1), |length| (Kind::Text, length)),
        next => (Kind::Code, next.map_or(1, char::len_utf8)),
    }
}

fn block_comment(tail: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < tail.len() {
        if tail[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += tail[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    tail.len()
}

fn raw_string(tail: &str) -> Option<usize> {
    let inner = tail.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let open = tail.len() - inner.len() + hashes;
    if !tail.get(open..)?.starts_with('"') || open > hashes + 2 {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let end = tail.get(open + 1..)?.find(&close).map(|at| open + 1 + at + close.len());
    Some(end.unwrap_or(tail.len()))
}

fn quoted(tail: &str) -> usize {
    let mut is_escaped = false;
    for (at, next) in tail.char_indices().skip(1) {
        match next {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    tail.len()
}

/// The length of a character literal; none for a lifetime.
fn character(tail: &str) -> Option<usize> {
    let mut rest = tail.char_indices().skip(1);
    let (_, first) = rest.next()?;
    if first == '\\' {
        return tail.get(3..)?.find('\'').map(|at| at + 4);
    }
    let (at, second) = rest.next()?;
    (second == '\'').then_some(at + 1)
}

/// The source with everything but the given kinds turned into spaces; lines stay where they are.
pub(crate) fn only(source: &str, kinds: &[Kind]) -> String {
    let mut kept = String::with_capacity(source.len());
    for (kind, range) in spans(source) {
        let stretch = &source[range];
        if kinds.contains(&kind) {
            kept.push_str(stretch);
        } else {
            kept.extend(stretch.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
    }
    kept
}

/// The string literals of a source.
pub(crate) fn texts(source: &str) -> Vec<&str> {
    let is_text = |(kind, range): (Kind, Range<usize>)| (kind == Kind::Text).then(|| &source[range]);
    spans(source).into_iter().filter_map(is_text).collect()
}

/// The source without its inline test modules, and the lines of the longest of those.
pub(crate) fn production(source: &str) -> (String, usize) {
    let (mut kept, mut longest) = (String::new(), 0);
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let opens = |next: &&str| next.starts_with("mod ") && next.ends_with('{');
        if line != "#[cfg(test)]" || lines.peek().is_none_or(|next| !opens(next)) {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let block = lines.by_ref().take_while(|next| *next != "}").count() + 2;
        longest = longest.max(block);
    }
    (kept, longest)
}

/// The words of a piece of code or text, with identifiers split at `_` and at capital letters, in lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for next in text.chars() {
        if !next.is_alphanumeric() || (next.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = next.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| next.is_alphanumeric()) {
            word.extend(next.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{Kind, only, production, texts, words};

    #[test]
    fn code_comments_and_strings_are_told_apart() {
        let source = r##"let a = "x // y"; // say "no"
fn f<'a>(c: char) { c == '"' || c == '\'' } /* a /* b */ c */ let s = r#"q"uote"#;"##;
        assert_eq!(texts(source), [r#""x // y""#, "'\"'", r"'\''", r##"r#"q"uote"#"##]);
        let code = only(source, &[Kind::Code]);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), {
            "let a = ; fn f<'a>(c: char) { c == || c == } let s = ;"
        });
        assert_eq!(code.lines().count(), source.lines().count());
    }

    #[test]
    fn inline_test_modules_are_not_production() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\nfn c() {}\n";
        assert_eq!(production(source), ("fn a() {}\nfn c() {}\n".to_owned(), 5));
        let outside = "#[cfg(test)]\nmod tests;\n";
        assert_eq!(production(outside), (outside.to_owned(), 0));
    }

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(
            words("SessionRow.session_id → ToolTip"),
            ["session", "row", "session", "id", "tool", "tip"]
        );
    }
}
