//! Formulas in a text, found before it is read as markdown, which would take their signs for its own. Pure.
//!
//! A dollar sign is money unless two of them clearly hold a formula: the first begins a word, the second ends one, and
//! nothing between them is money or code.

use super::document::Growth;
use protocol::limits;

/// A formula.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Formula {
    /// In TeX.
    pub source: String,
    /// As it stands in the text, with its marks.
    pub written: String,
    /// How it stands there.
    pub place: Place,
    /// Whether its end has come.
    pub growth: Growth,
}

/// How a formula stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Within a line.
    Line,
    /// On a line of its own.
    Own,
}

/// The marks around a formula, and how it stands between them.
const MARKS: [(&str, &str, Place); 3] =
    [("$$", "$$", Place::Own), ("\\[", "\\]", Place::Own), ("\\(", "\\)", Place::Line)];

/// The first of the characters that hold the places of formulas: private ones, which no text means.
const HOLDER: u32 = 0xF_0000;

/// Formulas of one text that are looked at; more stay as they were written.
const FORMULAS_MAX: usize = 4_096;

/// A text in which one character holds the place of each formula.
#[derive(Debug, Default)]
pub struct Lifted {
    text: String,
    formulas: Vec<Formula>,
}

impl Lifted {
    /// Takes the formulas out of a text.
    pub fn new(source: &str, growth: Growth) -> Self {
        let mut lifted = Self::default();
        let may_hold = source.contains('$') || source.contains("\\(") || source.contains("\\[");
        // A text that has holders of its own would be taken for one that was lifted.
        if !may_hold || source.chars().any(is_holder) {
            source.clone_into(&mut lifted.text);
            return lifted;
        }
        let mut rest = source;
        while let Some(first) = rest.chars().next() {
            let is_line_start = lifted.text.is_empty() || lifted.text.ends_with('\n');
            let taken = match first {
                '`' | '~' if is_line_start && fence(rest).is_some() => fence(rest).unwrap_or(rest.len()),
                ' ' | '\t' | '>' | '-' if is_line_start => line_start(rest),
                '`' => code_span(rest),
                '$' | '\\' => match formula(rest, lifted.text.chars().next_back(), growth) {
                    Some(formula) if lifted.formulas.len() < FORMULAS_MAX => {
                        rest = rest.get(formula.written.len()..).unwrap_or_default();
                        lifted.hold(formula);
                        continue;
                    }
                    Some(_) | None => escaped(rest),
                },
                _ => rest.find(['`', '~', '$', '\\', '\n']).unwrap_or(rest.len()).max(first.len_utf8()),
            };
            let (text, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
            lifted.text.push_str(text);
            rest = after;
        }
        lifted
    }

    /// The text, with holders.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The formula that a character holds the place of.
    pub fn held(&self, holder: char) -> Option<&Formula> {
        let number = u32::from(holder).checked_sub(HOLDER)?;
        self.formulas.get(usize::try_from(number).ok()?)
    }

    /// A piece of the text with its formulas as they were written.
    pub fn restore(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        for char in text.chars() {
            match self.held(char) {
                Some(formula) => whole.push_str(&formula.written),
                None => whole.push(char),
            }
        }
        whole
    }

    fn hold(&mut self, formula: Formula) {
        let number = u32::try_from(self.formulas.len()).unwrap_or_default();
        self.text.push(char::from_u32(HOLDER + number).unwrap_or_default());
        self.formulas.push(formula);
    }
}

fn is_holder(char: char) -> bool {
    usize::try_from(u32::from(char).wrapping_sub(HOLDER)).is_ok_and(|number| number < FORMULAS_MAX)
}

/// What stands before the text of a line, with the fenced code that may follow. Code that is only indented is not told
/// from the text of a list here; what reads the markdown restores it.
fn line_start(rest: &str) -> usize {
    let indent = rest.len() - rest.trim_start_matches([' ', '\t', '>', '-']).len();
    indent + rest.get(indent..).and_then(fence).unwrap_or_default()
}

/// The length of a fenced block that begins here.
fn fence(text: &str) -> Option<usize> {
    let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark))?;
    let sign = mark.chars().next()?;
    let count = text.chars().take_while(|char| *char == sign).count();
    let mut length = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        length += line.len();
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if number > 0 && line.len() >= count && line.chars().all(|char| char == sign) {
            break;
        }
        // "```x```" in one line is a span of code.
        if number == 0 && sign == '`' && line.trim_start_matches('`').contains('`') {
            return None;
        }
    }
    Some(length)
}

/// The length of a span of code that begins here, or of its marks where it has no end.
fn code_span(text: &str) -> usize {
    let after = text.trim_start_matches('`');
    let marks = text.len() - after.len();
    let mut at = marks;
    let mut run = 0;
    for char in after.chars() {
        if run == marks && char != '`' {
            return at;
        }
        run = if char == '`' { run + 1 } else { 0 };
        at += char.len_utf8();
    }
    if run == marks { at } else { marks }
}

/// The length of what cannot be a formula: a character, with the one it escapes.
fn escaped(text: &str) -> usize {
    let count = if text.starts_with('\\') || text.starts_with("$$") { 2 } else { 1 };
    text.chars().take(count).map(char::len_utf8).sum()
}

/// The formula that begins here.
fn formula(text: &str, before: Option<char>, growth: Growth) -> Option<Formula> {
    let Some((open, close, place)) = MARKS.into_iter().find(|(open, ..)| text.starts_with(open)) else {
        return if text.starts_with('$') { in_line(text, before) } else { None };
    };
    let inside = near(text.get(open.len()..)?);
    match inside.find(close) {
        Some(end) => made([open.len(), close.len()], inside.get(..end)?, place, text),
        None if growth == Growth::Open && open.len() + inside.len() == text.len() => {
            let unfinished = made([open.len(), 0], inside, place, text)?;
            Some(Formula { growth: Growth::Open, ..unfinished })
        }
        None => None,
    }
}

/// As much of a text as a formula may take: a longer one is not drawn, and looking for its end would take long.
fn near(text: &str) -> &str {
    let mut end = text.len().min(limits::RENDER_MATHS_MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A formula between single dollar signs.
fn in_line(text: &str, before: Option<char>) -> Option<Formula> {
    let inside = near(text.get(1..)?);
    let end = inside.char_indices().scan(' ', |last, (at, char)| {
        let is_end = char == '$' && *last != '\\';
        *last = char;
        Some(is_end.then_some(at))
    });
    let end = end.flatten().next()?;
    let source = inside.get(..end)?;
    let after = text.get(end + 2..)?.chars().next();
    let joins = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '{');
    let is_loose = source.starts_with(char::is_whitespace) || source.ends_with(char::is_whitespace);
    let is_text = joins(before) || joins(after) || is_loose || source.contains('`') || is_money(source);
    if is_text { None } else { made([1, 1], source, Place::Line, text) }
}

/// Whether it reads like `5 or 6`: a number, more words, and no sign of a formula.
fn is_money(source: &str) -> bool {
    source.starts_with(|char: char| char.is_ascii_digit())
        && source.contains(' ')
        && !source.contains(['\\', '^', '_', '=', '{', '+', '*', '<', '>'])
}

/// A formula with marks of these lengths before and behind it; none where nothing is said, or a paragraph ends in it.
fn made(marks: [usize; 2], source: &str, place: Place, text: &str) -> Option<Formula> {
    let is_said = !source.trim().is_empty() && !source.contains("\n\n");
    let [open, close] = marks;
    let written = text.get(..open + source.len() + close)?.to_owned();
    let source = source.trim().to_owned();
    is_said.then_some(Formula { source, written, place, growth: Growth::Complete })
}

#[cfg(test)]
mod tests;
