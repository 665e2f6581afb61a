//! What a person or a model typed, read as a search. Pure; no text is an error.
//!
//! ```text
//! words            all of them, in any form (`friday` finds `Fridays`)
//! "a phrase"       these words in this order, as written, also in curly marks; the same goes for wrong-book and foo::bar
//! dep*             words that begin so
//! *rida*           any piece of a word; *book_ab* and *day go on to the next word or end with it
//! -word            not this; also -"a phrase", -dep*, -role:user
//! one OR other     either; binds tighter than the space between words
//! role:user        who speaks
//! session:trip     one session, by id or name; session:~ is the default one
//! after:2026-03    from then on; before:2026-03-05 up to then; days of UTC
//! ```
//!
//! Anything else is taken as words. What holds no word is ignored, and so is what goes beyond the limits.

use crate::search::dates::beginning_of;
use crate::search::stem::stem;
use crate::search::words::{sequence, tokens};
use protocol::limits::{
    SEARCH_PREFIX_MIN_CHARS, SEARCH_QUERY_MAX_CHARS, SEARCH_RANKED_HARD_MAX, SEARCH_RANKED_MAX,
    SEARCH_TERMS_MAX,
};

/// Quotation marks as telephones and word processors put them.
const CURLY_QUOTES: [char; 3] = ['\u{201c}', '\u{201d}', '\u{201e}'];

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// At least one of each of these.
    pub(crate) all: Vec<Vec<Term>>,
    /// None of these.
    pub(crate) none: Vec<Term>,
    /// Stored at this time or later.
    pub(crate) from: Option<i64>,
    /// Stored before this time.
    pub(crate) until: Option<i64>,
}

/// One condition on a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// A word in any of its forms, as stem.
    Word(String),
    /// These words one after the other.
    Phrase(Vec<String>),
    /// These, the last one being the beginning of a word.
    Prefix(Vec<String>),
    /// These, the first one being the end of a word and the last one the beginning; a single one stands anywhere in it.
    Inner(Vec<String>),
    /// These, the first one being the end of a word.
    End(Vec<String>),
    /// Who speaks.
    Role(String),
    /// Id or name of a session.
    Session(String),
}

impl Term {
    /// Whether it is about what a message says.
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Self::Word(_) | Self::Phrase(_) | Self::Prefix(_) | Self::Inner(_) | Self::End(_) => true,
            Self::Role(_) | Self::Session(_) => false,
        }
    }
}

/// How a word is joined to the one before.
#[derive(Clone, Copy, PartialEq)]
enum Joint {
    And,
    Or,
}

impl Query {
    /// Reads a text.
    pub(crate) fn parse(text: &str) -> Self {
        let text = &text.replace(CURLY_QUOTES, "\"");
        let mut query = Self::default();
        // What an `OR` would mean here: without a word before it, it joins nothing.
        let mut possible = Joint::And;
        let mut joint = Joint::And;
        for word in Words::of(text).take(SEARCH_TERMS_MAX) {
            if word.is_or() {
                joint = possible;
                continue;
            }
            let may_join = query.add(word, joint) || (possible == Joint::Or && joint == Joint::Or);
            possible = if may_join { Joint::Or } else { Joint::And };
            joint = Joint::And;
        }
        query
    }

    /// Whether it asks for nothing at all; such a search finds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// From when until when, the end left out.
    pub(crate) fn span(&self) -> (i64, i64) {
        (self.from.unwrap_or(i64::MIN), self.until.unwrap_or(i64::MAX))
    }

    /// Whether it asks for one word and nothing else.
    pub(crate) fn is_one_word(&self) -> bool {
        let is_word = |either: &Vec<Term>| matches!(either.as_slice(), [Term::Word(_)]);
        self.none.is_empty() && matches!(self.all.as_slice(), [either] if is_word(either))
    }

    /// What must be there, of any message that is found.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = &Term> {
        self.all.iter().flatten().filter(|term| term.is_text())
    }

    /// The same search as far as `is_wanted` goes, nothing being excluded.
    pub(crate) fn only(&self, is_wanted: impl Fn(&[Term]) -> bool) -> Self {
        Self { all: self.all.iter().filter(|either| is_wanted(either)).cloned().collect(), ..Self::default() }
    }

    /// The names of sessions it mentions.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &str> {
        self.all.iter().flatten().chain(&self.none).filter_map(|term| match term {
            Term::Session(name) => Some(name.as_str()),
            Term::Word(_)
            | Term::Phrase(_)
            | Term::Prefix(_)
            | Term::Inner(_)
            | Term::End(_)
            | Term::Role(_) => None,
        })
    }

    /// The pieces of words it mentions.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Term> {
        let all = self.all.iter().flatten().chain(&self.none);
        all.filter(|term| matches!(term, Term::Inner(_) | Term::End(_)))
    }

    /// How many matches are put in order: fewer where each costs more to find.
    pub(crate) fn ranked_max(&self) -> usize {
        if self.is_one_word() { SEARCH_RANKED_MAX } else { SEARCH_RANKED_HARD_MAX }
    }

    /// Takes one word of the text in; whether an `OR` may follow it.
    fn add(&mut self, word: Words<'_>, joint: Joint) -> bool {
        if !word.is_negative && self.narrow(&word) {
            return false;
        }
        match (word.term(), self.all.last_mut()) {
            (None, _) => return false,
            (Some(term), _) if word.is_negative => {
                self.none.push(term);
                return false;
            }
            (Some(term), Some(either)) if joint == Joint::Or => either.push(term),
            (Some(term), _) => self.all.push(vec![term]),
        }
        true
    }

    /// Takes a word in that sets a time.
    fn narrow(&mut self, word: &Words<'_>) -> bool {
        let Some((field, value)) = word.field() else { return false };
        let is_from = field.eq_ignore_ascii_case("after");
        if !is_from && !field.eq_ignore_ascii_case("before") {
            return false;
        }
        let Some(time) = beginning_of(value) else { return false };
        let (bound, other): (_, fn(i64, i64) -> i64) =
            if is_from { (&mut self.from, i64::max) } else { (&mut self.until, i64::min) };
        *bound = Some(bound.map_or(time, |bound| other(bound, time)));
        true
    }
}

/// A piece of the text between spaces, and the text after it.
#[derive(Debug, Clone, Copy)]
struct Words<'a> {
    /// With its quotation marks.
    text: &'a str,
    is_negative: bool,
}

impl<'a> Words<'a> {
    /// The pieces of a text.
    fn of(text: &'a str) -> impl Iterator<Item = Self> {
        let end = text.char_indices().nth(SEARCH_QUERY_MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let mut rest = text.get(..end).unwrap_or_default();
        std::iter::from_fn(move || {
            rest = rest.trim_start();
            let negative = rest.strip_prefix('-').filter(|rest| !rest.starts_with(char::is_whitespace));
            let piece = negative.unwrap_or(rest);
            let length = length_of_piece(piece);
            let (text, after) = piece.split_at_checked(length)?;
            rest = after;
            (!text.is_empty() || negative.is_some()).then_some(Self { text, is_negative: negative.is_some() })
        })
    }

    fn is_or(&self) -> bool {
        self.text == "OR" && !self.is_negative
    }

    /// Name and value of `name:value`.
    fn field(&self) -> Option<(&'a str, &'a str)> {
        let (name, value) = self.text.split_once(':')?;
        let value = value.trim_matches('"');
        (!value.is_empty()).then_some((name, value))
    }

    /// The condition it stands for; none where it holds no word.
    fn term(&self) -> Option<Term> {
        match self.field() {
            Some((name, role)) if name.eq_ignore_ascii_case("role") => {
                return Some(Term::Role(role.to_ascii_lowercase()));
            }
            Some((name, session)) if name.eq_ignore_ascii_case("session") => {
                return Some(Term::Session(session.to_owned()));
            }
            Some(_) | None => {}
        }
        let is_quoted = self.text.starts_with('"');
        let is_signs_last = tokens(self.text).last().is_none_or(|last| last.is_sign());
        let mut words = sequence(tokens(self.text));
        let is_beginning = self.text.ends_with('*') && !is_signs_last;
        let is_long = words.last().is_some_and(|last| last.chars().count() >= SEARCH_PREFIX_MIN_CHARS);
        let is_inside =
            self.text.starts_with('*') && tokens(self.text).next().is_some_and(|first| !first.is_sign());
        match (words.len(), is_signs_last) {
            (0, _) => None,
            _ if is_inside && is_beginning => Some(Term::Inner(words)),
            _ if is_inside => Some(Term::End(words)),
            _ if is_beginning && is_long => Some(Term::Prefix(words)),
            (1, false) if !is_quoted => words.pop().map(|word| Term::Word(stem(&word))),
            _ => Some(Term::Phrase(words)),
        }
    }
}

/// How far a piece goes: to the next space outside of quotation marks.
fn length_of_piece(text: &str) -> usize {
    let mut is_quoted = false;
    let end = text.char_indices().find(|(_, c)| {
        is_quoted ^= *c == '"';
        !is_quoted && c.is_whitespace()
    });
    end.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests;
