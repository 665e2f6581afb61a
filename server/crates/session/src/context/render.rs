//! How blocks look in the system prompt. Pure, and no content can make itself look like another block.

use super::config::is_break_or_control;
use protocol::{BlockKind, ContextBlock};

/// The line above and below a header.
pub(crate) const SEPARATOR: &str = "══════════════════════════════════════════════";
const MARK: char = '═';
const TAGS: [&str; 4] = ["[searchable]", "[loadable]", "[readonly]", "[writable]"];

/// A block as the model reads it; none for one that is empty and stays so.
pub(crate) fn section(block: &ContextBlock) -> Option<String> {
    let is_void = block.content.is_empty() && block.kind == BlockKind::Text && !block.is_writable;
    if is_void {
        return None;
    }
    Some(format!("{SEPARATOR}\n{}\n{SEPARATOR}\n{}", header(block), harmless(&block.content)))
}

/// The name of a block, what it is for, how full it is, and what can be done with it.
pub(crate) fn header(block: &ContextBlock) -> String {
    let mut header = block.label.to_uppercase();
    if let Some(description) = &block.description {
        header.push_str(&format!(" ({description})"));
    }
    if let Some(max) = block.max_tokens {
        header.push_str(&format!(" [{}% — {}/{max} tokens]", percent(block.tokens, max), block.tokens));
    }
    header.push(' ');
    header.push_str(tag(block));
    header
}

fn tag(block: &ContextBlock) -> &'static str {
    match block.kind {
        BlockKind::Search => "[searchable]",
        BlockKind::Skills => "[loadable]",
        BlockKind::Text if block.is_writable => "[writable]",
        BlockKind::Text => "[readonly]",
    }
}

/// Rounded half up; a block may be overfull.
pub(crate) fn percent(tokens: u64, max: u64) -> u64 {
    let (tokens, max) = (u128::from(tokens), u128::from(max.max(1)));
    let percent = (tokens * 200 + max) / (max * 2);
    u64::try_from(percent).unwrap_or(u64::MAX)
}

/// A content that cannot forge a header: lines that are separators, or end like a header, are respelt.
pub(crate) fn harmless(content: &str) -> String {
    if !content.contains(MARK) && !content.contains(']') {
        return content.to_owned();
    }
    content.split_inclusive(is_break_or_control).map(harmless_line).collect()
}

fn harmless_line(line: &str) -> String {
    let is_filler = |c: char| c.is_whitespace() || is_break_or_control(c) || is_invisible(c);
    let text = line.trim_end_matches(is_filler);
    if text.contains(MARK) && text.chars().all(|c| c == MARK || is_filler(c)) {
        return line.replace(MARK, "=");
    }
    let Some((before, tag)) = TAGS.iter().find_map(|tag| Some((text.strip_suffix(tag)?, tag))) else {
        return line.to_owned();
    };
    let rest = line.get(text.len()..).unwrap_or_default();
    format!("{before}({}){rest}", tag.trim_matches(['[', ']']))
}

/// Characters that take no room, so that a line with them looks like one without.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
