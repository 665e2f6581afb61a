//! A search as the index takes it. Pure. Words stand in quotation marks and hold letters and digits only, so nothing
//! that was typed can be read as an operator.

use crate::search::marks::marks;
use crate::search::pieces::is_beginning;
use crate::search::query::{Query, Term};
use crate::search::words::runs_of_pairs;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// What the file knows of what a search names.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// The numbers of the sessions that an id or name means.
    pub(crate) sessions: HashMap<String, Vec<i64>>,
    /// The words that a piece of a word stands for.
    pub(crate) pieces: HashMap<Term, Vec<String>>,
    /// Whether the index holds the pairs of all signs and the marks of all neighbours: no message waits for being
    /// indexed.
    pub(crate) has_pairs: bool,
}

/// What every tag begins with; no word holds it.
pub(crate) const TAG: &str = "\u{e001}";
/// Tag of every message.
const ANY: &str = "x";
/// Before the number of a session in its tag.
const SESSION: char = 's';
/// Before the role in its tag.
const ROLE: char = 'r';
/// Conditions that are excluded one after the other; FTS5 takes no expression of more than 256 levels.
const EXCLUDED_MAX: usize = 120;
/// What no message has for a tag.
const NOBODY: &str = "nobody";

/// The expression, in one session or in all.
pub(crate) fn expression(query: &Query, scope: Option<i64>, keys: &Keys) -> String {
    let scope = scope.map(|key| tag(&format!("{SESSION}{key}")));
    let groups = query.all.iter().map(|either| any_of(either, keys));
    let mut wanted: Vec<String> = scope.into_iter().chain(groups).collect();
    if wanted.is_empty() {
        wanted.push(tag(ANY));
    }
    let mut expression = format!("({})", wanted.join(" AND "));
    for excluded in excluded(&query.none, keys) {
        expression.push_str(&format!(" NOT ({excluded})"));
    }
    expression
}

/// What is excluded, one after the other: what the first one leaves is all that is looked up of the next. As one condition
/// each would be looked up for everything that is wanted, and thirty common words took seven times as long.
fn excluded(terms: &[Term], keys: &Keys) -> Vec<String> {
    let mut all = Vec::new();
    for term in terms {
        match term {
            Term::Inner(pieces) | Term::End(pieces) => {
                all.extend(
                    begun(term, pieces, keys).into_iter().map(|word| format!("{{said used}} : {word}")),
                );
            }
            Term::Word(_) | Term::Phrase(_) | Term::Prefix(_) | Term::Role(_) | Term::Session(_) => {
                all.push(condition(term, keys));
            }
        }
    }
    all.chunks(all.len().div_ceil(EXCLUDED_MAX).max(1)).map(|some| some.join(" OR ")).collect()
}

fn any_of(terms: &[Term], keys: &Keys) -> String {
    let terms: Vec<String> = terms.iter().map(|term| condition(term, keys)).collect();
    format!("({})", terms.join(" OR "))
}

/// One condition of a search.
pub(crate) fn condition(term: &Term, keys: &Keys) -> String {
    match term {
        Term::Word(stem) => format!("\"{stem}\""),
        Term::Phrase(words) => phrase(words, keys),
        Term::Prefix(words) => {
            let whole = format!("{{said used}} : \"{}\" *", words.join(" "));
            all_of(marked(words.split_last().map_or(&[], |(_, before)| before), keys), whole)
        }
        Term::Inner(words) | Term::End(words) => {
            let found = begun(term, words, keys);
            if found.is_empty() { tag(NOBODY) } else { format!("{{said used}} : ({})", found.join(" OR ")) }
        }
        Term::Role(role) => tag(&role_tag(role)),
        Term::Session(name) => {
            let found =
                keys.sessions.get(name).into_iter().flatten().map(|key| tag(&format!("{SESSION}{key}")));
            let found: Vec<String> = found.collect();
            if found.is_empty() { tag(NOBODY) } else { format!("({})", found.join(" OR ")) }
        }
    }
}

/// Words one after the other. Runs of signs are looked up by their pairs, which stand in far fewer messages.
fn phrase(words: &[String], keys: &Keys) -> String {
    let whole = format!("{{said used}} : \"{}\"", words.join(" "));
    let runs = if keys.has_pairs { runs_of_pairs(words) } else { Vec::new() };
    let chain = |pairs: &Vec<String>| format!("{{said_stems used_stems}} : \"{}\"", pairs.join(" "));
    let mut conditions: Vec<String> = runs.iter().map(chain).collect();
    match runs.as_slice() {
        [only] if only.len() + 1 == words.len() => conditions.concat(),
        _ => {
            conditions.extend(marked(words, keys));
            all_of(conditions, whole)
        }
    }
}

/// The marks of neighbouring words, where the index knows them.
fn marked(words: &[String], keys: &Keys) -> Vec<String> {
    let marks = if keys.has_pairs { marks(words) } else { BTreeSet::new() };
    marks.into_iter().map(|mark| format!("\"{mark}\"")).collect()
}

/// Conditions, the one that costs most last.
fn all_of(mut conditions: Vec<String>, last: String) -> String {
    if conditions.is_empty() {
        return last;
    }
    conditions.push(last);
    format!("({})", conditions.join(" AND "))
}

/// Any of the words that the first piece stands for, and the others after it. Words that begin with a piece are no words
/// to be looked up one by one.
fn begun(term: &Term, pieces: &[String], keys: &Keys) -> Vec<String> {
    let rest = pieces.get(1..).unwrap_or_default();
    let star = if matches!(term, Term::Inner(_)) && !rest.is_empty() { " *" } else { "" };
    let phrase = |word: &String| {
        let words: Vec<&str> = std::iter::once(word).chain(rest).map(String::as_str).collect();
        format!("\"{}\"{star}", words.join(" "))
    };
    let begun = pieces.first().filter(|_| is_beginning(term)).map(|piece| format!("\"{piece}\" *"));
    let found = keys.pieces.get(term).into_iter().flatten().map(phrase);
    begun.into_iter().chain(found).collect()
}

fn tag(name: &str) -> String {
    format!("\"{TAG}{name}\"")
}

/// Any role is one word.
fn role_tag(role: &str) -> String {
    let mut tag = String::from(ROLE);
    for byte in role.to_ascii_lowercase().bytes() {
        let _written = write!(tag, "{byte:02X}");
    }
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, scope: Option<i64>, expected: &str) {
        let pieces =
            [("*rida*", vec!["friday", "fridays"]), ("*day_ab*", vec!["friday"]), ("*day", vec!["day"])];
        let pieces = pieces.map(|(text, words)| {
            let term = Query::parse(text).wanted().next().unwrap().clone();
            (term, words.into_iter().map(str::to_owned).collect())
        });
        let sessions = HashMap::from([("trip".to_owned(), vec![3, 4])]);
        let keys = Keys { sessions, pieces: HashMap::from(pieces), has_pairs: true };
        assert_eq!(expression(&Query::parse(text), scope, &keys), expected, "{text:?}");
    }

    #[test]
    fn conditions_are_joined_as_they_bind() {
        let word = |stem: &str| format!("\"{stem}\"");
        let tag = |name: &str| format!("\"\u{e001}{name}\"");
        check("a", None, &format!("(({}))", word("a")));
        check(
            "a OR b c",
            Some(7),
            &format!("({} AND ({} OR {}) AND ({}))", tag("s7"), word("a"), word("b"), word("c")),
        );
        check("-a -b", None, &format!("({}) NOT ({}) NOT ({})", tag("x"), word("a"), word("b")));
        check(
            "a -*rida* -*no*",
            None,
            "((\"a\")) NOT ({said used} : \"rida\" *) NOT ({said used} : \"friday\") NOT ({said used} : \"fridays\")",
        );
        check("foo-bar*", None, "(({said used} : \"foo bar\" *))");
        check("\"of the\"", None, "(((\"\u{ee4d}\" AND {said used} : \"of the\")))");
        check("of-the-beg*", None, "(((\"\u{ee4d}\" AND {said used} : \"of the beg\" *)))");
        check("*rida*", None, "(({said used} : (\"rida\" * OR \"friday\" OR \"fridays\")))");
        check("*day_ab*", None, "(({said used} : (\"friday ab\" *)))");
        check("*day", None, "(({said used} : (\"day\")))");
        check("*nowhere*", None, "(({said used} : (\"nowhere\" *)))");
        check("*no*", None, &format!("(({}))", tag("nobody")));
        check("\u{4eca}\u{65e5}", None, "(({said_stems used_stems} : \"\u{4eca}\u{65e5}\"))");
        check(
            "\u{7528}\u{65e5}rust",
            None,
            "((({said_stems used_stems} : \"\u{7528}\u{65e5}\" AND \"\u{ea90}\" \
             AND {said used} : \"\u{7528} \u{65e5} rust\")))",
        );
        check("role:us", None, &format!("(({}))", tag("r7573")));
        check("session:trip", None, &format!("((({} OR {})))", tag("s3"), tag("s4")));
        check("session:gone", None, &format!("(({}))", tag("nobody")));
        check("after:2026", None, &format!("({})", tag("x")));
    }
}
