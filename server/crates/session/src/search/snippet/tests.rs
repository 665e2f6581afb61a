//! Where the marks of a snippet stand.

use super::*;
use crate::search::query::Query;

/// Found words stand in brackets.
fn shown(said: &str, used: &str, query: &str) -> String {
    let query = Query::parse(query);
    let wanted: Vec<&Term> = query.wanted().collect();
    let texts = Texts { said: said.to_owned(), used: used.to_owned() };
    let pieces = snippet(&texts, &wanted).into_iter();
    pieces.map(|piece| if piece.is_match { format!("[{}]", piece.text) } else { piece.text }).collect()
}

#[track_caller]
fn check(said: &str, query: &str, expected: &str) {
    assert_eq!(shown(said, "", query), expected, "{query:?}");
}

#[test]
fn found_words_are_marked_in_any_form() {
    check("The harbour closes\non Fridays.", "friday close", "The harbour [closes] on [Fridays].");
    check("Crème brûlée", "BRULEE", "Crème [brûlée]");
    check("deploying the deployment", "deplo*", "[deploying] the [deployment]");
    check("a wrong-book and a book", "wrong-book", "a [wrong-book] and a book");
    check("see harbour now", "\"see har\"*", "[see harbour] now");
    check("今日は晴れ。明日", "日", "今[日]は晴れ。明[日]");
    check("今日は晴れ。明日", "晴れ。明", "今日は[晴れ。明]日");
    check("今 日", "\"今 日\"", "[今 日]");
    check("Fridays and friday", "*rida*", "[Fridays] and [friday]");
    check("my_notebook_about x", "*book_ab*", "my_[notebook_about] x");
    check("Monday, days", "*day", "[Monday], days");
    check("run running", "runs", "[run] [running]");
    check("one two", "one -two", "[one] two");
    check("one two", "role:user", "one two");
    check("", "x", "");
}

#[test]
fn overlapping_finds_are_marked_once() {
    check("foo bar baz", "\"foo bar\" \"bar baz\" bar", "[foo bar baz]");
}

#[test]
fn the_piece_with_the_most_finds_is_shown() {
    let far = "word ".repeat(100);
    let text = format!("alpha {far}and alpha with beta {far}");
    let shown = shown(&text, "", "alpha beta");
    assert!(shown.starts_with("…word word"), "{shown}");
    assert!(shown.contains("and [alpha] with [beta] word"), "{shown}");
    assert!(shown.ends_with('…'), "{shown}");
    assert!(shown.chars().count() <= SEARCH_SNIPPET_MAX_CHARS + 6, "{shown}");
}

#[test]
fn what_tools_gave_is_shown_where_nothing_said_was_found() {
    assert_eq!(shown("hello", "found a zebra", "zebra"), "found a [zebra]");
    assert_eq!(shown("hello zebra", "found a zebra", "zebra"), "hello [zebra]");
    assert_eq!(shown("", "found a zebra", "role:user"), "found a zebra");
}

#[test]
fn a_text_without_spaces_is_cut_between_characters() {
    let text = format!("{}中{}", "国".repeat(300), "文".repeat(300));
    let shown = shown(&text, "", "中");
    assert_eq!(shown.chars().count(), SEARCH_SNIPPET_MAX_CHARS + 4);
    assert!(shown.contains("国[中]文"));
}
