//! A name for a session: the beginning of what was said first.

const TITLE_MAX_CHARS: usize = 48;
const NOTHING: &str = "New chat";

/// A short title, never empty.
pub(super) fn title(text: &str) -> String {
    let line = text.lines().map(plain).find(|line| !line.is_empty()).unwrap_or_default();
    let short = shorten(&line, TITLE_MAX_CHARS);
    let short = short.trim_end_matches(['.', ',', ';', ':', '!']);
    let mut letters = short.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => NOTHING.to_owned(),
    }
}

/// The first words of `text` on one line, with a mark where some are missing.
pub(super) fn shorten(text: &str, max_chars: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= max_chars {
        return words;
    }
    let head: String = words.chars().take(max_chars.saturating_sub(1)).collect();
    let whole_words = head.rsplit_once(' ').map_or(head.as_str(), |(before, _)| before);
    format!("{whole_words}…")
}

/// A line without the marks of markdown at its beginning, or those around words.
fn plain(line: &str) -> String {
    line.trim_start_matches(['#', '>', '-', '*', ' ', '`']).replace(['*', '`'], "").trim().to_owned()
}
