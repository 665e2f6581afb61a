//! The piece of a message that shows why it was found, with the found words marked. Pure.

use crate::search::index::Texts;
use crate::search::query::Term;
use crate::search::words::{Token, length_of, tokens};
use protocol::SnippetPiece;
use protocol::limits::SEARCH_SNIPPET_MAX_CHARS;
use std::ops::Range;

/// What is shown before the first found word.
const LEAD_CHARS: usize = 40;
/// Stands where something was left out.
const CUT: &str = "…";

/// The best piece of what is said; where nothing of it was found there, of what tools gave; else the beginning.
pub(crate) fn snippet(texts: &Texts, wanted: &[&Term]) -> Vec<SnippetPiece> {
    let (text, found) = best_text(texts, wanted);
    cut_out(text, &found, SEARCH_SNIPPET_MAX_CHARS)
}

/// The whole text of a message, or the best piece of it where it is longer than `max_chars`.
pub(crate) fn excerpt(texts: &Texts, wanted: &[&Term], max_chars: usize) -> String {
    let (text, found) = best_text(texts, wanted);
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    cut_out(text, &found, max_chars).into_iter().map(|piece| piece.text).collect()
}

fn best_text<'a>(texts: &'a Texts, wanted: &[&Term]) -> (&'a str, Vec<Range<usize>>) {
    let best_of = |text: &'a str| best(text, wanted).map(|found| (text, found));
    let beginning = || (if texts.said.is_empty() { &texts.used } else { &texts.said }.as_str(), Vec::new());
    best_of(&texts.said).or_else(|| best_of(&texts.used)).unwrap_or_else(beginning)
}

/// The places found near each other, of the piece that holds the most of what is wanted; the first one of those.
fn best(text: &str, wanted: &[&Term]) -> Option<Vec<Range<usize>>> {
    let places = places(text, wanted);
    let (mut start, mut most) = (None, 0);
    for (at, (first, _)) in places.iter().enumerate() {
        let near = places.iter().skip(at).take_while(|(place, _)| is_near(text, first, place));
        let kinds = near.fold(0_u64, |kinds, (_, kind)| kinds | kind).count_ones();
        if kinds > most {
            (start, most) = (Some(at), kinds);
        }
        if most as usize >= wanted.len().min(u64::BITS as usize) {
            break;
        }
    }
    let mut found = places.into_iter().skip(start?).map(|(place, _)| place);
    let first = found.next()?;
    let near = found.take_while(|place| is_near(text, &first, place));
    Some(std::iter::once(first.clone()).chain(near).collect())
}

fn is_near(text: &str, first: &Range<usize>, place: &Range<usize>) -> bool {
    // No character is shorter than a byte, so this is cheap for what is far away.
    let room = SEARCH_SNIPPET_MAX_CHARS - LEAD_CHARS;
    let between = text.get(first.start..place.end).unwrap_or_default();
    between.len() <= room || (between.len() <= 4 * room && between.chars().count() <= room)
}

/// Where something that is wanted stands, and which of it, as one bit.
fn places(text: &str, wanted: &[&Term]) -> Vec<(Range<usize>, u64)> {
    let all: Vec<Token> = tokens(text).collect();
    let patterns: Vec<Pattern<'_>> = wanted.iter().filter_map(|term| Pattern::of(term)).collect();
    let mut places = Vec::new();
    for (at, token) in all.iter().enumerate() {
        for (number, pattern) in patterns.iter().enumerate() {
            let length = pattern.length_at(all.get(at..).unwrap_or_default());
            let last = all.get((at + length).saturating_sub(1)).filter(|_| length > 0);
            if let Some(last) = last {
                places.push((token.range.start..last.range.end, 1 << number.min(63)));
            }
        }
    }
    places
}

/// How a term looks in a text.
enum Pattern<'a> {
    Stem(&'a str),
    Words(&'a [String]),
    /// Like words, and the beginning of one more.
    Beginning(&'a [String]),
    /// Like words, from within the first one on.
    Inside {
        words: &'a [String],
        reach: Reach,
    },
}

/// How far the last word of a piece goes.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    WholeWord,
    Beginning,
}

impl<'a> Pattern<'a> {
    fn of(term: &'a Term) -> Option<Self> {
        match term {
            Term::Word(stem) => Some(Self::Stem(stem)),
            Term::Phrase(words) => Some(Self::Words(words)),
            Term::Prefix(words) => Some(Self::Beginning(words)),
            Term::Inner(words) => Some(Self::Inside { words, reach: Reach::Beginning }),
            Term::End(words) => Some(Self::Inside { words, reach: Reach::WholeWord }),
            Term::Role(_) | Term::Session(_) => None,
        }
    }

    /// How many tokens it has at the beginning of `tokens`; 0 where it does not stand there.
    fn length_at(&self, tokens: &[Token]) -> usize {
        let Some(first) = tokens.first() else { return 0 };
        match self {
            // A stem begins like its word, so most words need not be stemmed.
            Self::Stem(stem) => {
                let is_it = first.text.as_bytes().first() == stem.as_bytes().first()
                    && (first.text == **stem || first.stem() == **stem);
                usize::from(is_it)
            }
            Self::Words(words) => length_of(words, tokens, |word, text| word == text),
            Self::Beginning(words) => {
                let is_last = |word: &String| words.last().is_some_and(|last| std::ptr::eq(last, word));
                length_of(words, tokens, |word, text| {
                    word == text || (is_last(word) && text.starts_with(word.as_str()))
                })
            }
            Self::Inside { words, reach } => inside(words, *reach, tokens),
        }
    }
}

/// How many of `tokens` hold the pieces: the first one ends with the first, the last one begins with the last.
fn inside(words: &[String], reach: Reach, tokens: &[Token]) -> usize {
    let is_first = |word: &String| words.first().is_some_and(|first| std::ptr::eq(first, word));
    let is_open = |word: &String| {
        reach == Reach::Beginning && words.last().is_some_and(|last| std::ptr::eq(last, word))
    };
    length_of(words, tokens, |word, text| match (is_first(word), is_open(word)) {
        (true, true) => text.contains(word.as_str()),
        (true, false) => text.ends_with(word.as_str()),
        (false, true) => text.starts_with(word.as_str()),
        (false, false) => word == text,
    })
}

/// The piece around the found places, in lines made one.
fn cut_out(text: &str, found: &[Range<usize>], max_chars: usize) -> Vec<SnippetPiece> {
    let first = found.first().map_or(0, |first| first.start);
    let start = start_before(text, first);
    let end = end_after(text, start, max_chars);
    let mut pieces = Pieces::default();
    if start > 0 {
        pieces.push(CUT, Look::Plain);
    }
    let mut at = start;
    for place in found {
        let place = place.start.max(at)..place.end.min(end);
        pieces.push(text.get(at..place.start.min(end)).unwrap_or_default(), Look::Plain);
        pieces.push(text.get(place.clone()).unwrap_or_default(), Look::Found);
        at = at.max(place.end);
    }
    pieces.push(text.get(at..end).unwrap_or_default(), Look::Plain);
    if end < text.len() {
        pieces.push(CUT, Look::Plain);
    }
    pieces.done
}

/// A little before `at`, where a word begins.
fn start_before(text: &str, at: usize) -> usize {
    let head = text.get(..at).unwrap_or_default();
    let Some((start, _)) = head.char_indices().rev().nth(LEAD_CHARS) else { return 0 };
    let lead = head.get(start..).unwrap_or_default();
    lead.find(char::is_whitespace).map_or(start, |space| {
        let after = lead.get(space..).unwrap_or_default();
        at - after.trim_start().len()
    })
}

fn end_after(text: &str, start: usize, max_chars: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    rest.char_indices().nth(max_chars).map_or(text.len(), |(length, _)| start + length)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Found,
}

#[derive(Default)]
struct Pieces {
    done: Vec<SnippetPiece>,
}

impl Pieces {
    fn push(&mut self, text: &str, look: Look) {
        if text.is_empty() {
            return;
        }
        let line: String =
            text.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect();
        let is_match = look == Look::Found;
        match self.done.last_mut().filter(|last| last.is_match == is_match) {
            Some(last) => last.text.push_str(&line),
            None => self.done.push(SnippetPiece { text: line, is_match }),
        }
    }
}

#[cfg(test)]
mod tests;
