//! What queries mean, and that no text is an error.

use super::*;

fn word(text: &str) -> Term {
    Term::Word(stem(text))
}

fn phrase(text: &str) -> Term {
    Term::Phrase(text.split(' ').map(str::to_owned).collect())
}

fn prefix(text: &str) -> Term {
    Term::Prefix(text.split(' ').map(str::to_owned).collect())
}

fn all(terms: &[Term]) -> Query {
    Query { all: terms.iter().map(|term| vec![term.clone()]).collect(), ..Query::default() }
}

#[track_caller]
fn check(text: &str, expected: &Query) {
    assert_eq!(&Query::parse(text), expected, "{text:?}");
}

#[test]
fn words_phrases_and_beginnings() {
    check("Fridays  harbour", &all(&[word("friday"), word("harbour")]));
    check("\"closes at noon\"", &all(&[phrase("closes at noon")]));
    check("“closes at noon” „to the har“*", &all(&[phrase("closes at noon"), prefix("to the har")]));
    check("\"Friday\" x", &all(&[phrase("friday"), word("x")]));
    check("dep* runni* de*", &all(&[prefix("dep"), prefix("runni"), word("de")]));
    check("\"to the har\"*", &all(&[prefix("to the har")]));
    check("a*", &all(&[word("a")]));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    check("*rida* *a*", &all(&[Term::Inner(words(&["rida"])), Term::Inner(words(&["a"]))]));
    check("*book_ab* *day", &all(&[Term::Inner(words(&["book", "ab"])), Term::End(words(&["day"]))]));
    check("*今 *", &all(&[phrase("今")]));
    check("今日 今*", &all(&[phrase("今 日"), phrase("今")]));
}

#[test]
fn punctuation_is_never_an_operator() {
    // F01
    check("wrong-book", &all(&[phrase("wrong book")]));
    check("foo:bar", &all(&[phrase("foo bar")]));
    check("NEAR(a b) ^c {d} e+f", &all(&[phrase("near a"), word("b"), word("c"), word("d"), phrase("e f")]));
    check("AND NOT x", &all(&[word("and"), word("not"), word("x")]));
    check("\"open", &all(&[phrase("open")]));
    check("don't", &all(&[phrase("don t")]));
    for empty in ["", "  ", "()", "*", "\"", "\"\"", "-", "--", "- -", "OR", "-\"\"", "\0", "\u{300}"] {
        check(empty, &Query::default());
    }
}

#[test]
fn either_binds_tighter_than_both() {
    let either = |terms: &[&str]| terms.iter().map(|text| word(text)).collect::<Vec<_>>();
    let expected = Query {
        all: vec![vec![word("a"), phrase("wrong book"), word("b")], either(&["c"])],
        ..Query::default()
    };
    check("a OR wrong-book OR b c", &expected);
    check("OR a", &all(&[word("a")]));
    check("a OR", &all(&[word("a")]));
    check("a OR OR b", &Query { all: vec![either(&["a", "b"])], ..Query::default() });
    check("a OR () OR b", &Query { all: vec![either(&["a", "b"])], ..Query::default() });
    check("a or b", &all(&[word("a"), word("or"), word("b")]));
}

#[test]
fn what_must_not_be_there() {
    let none = vec![word("b"), phrase("c d"), prefix("efg"), Term::Role("user".into())];
    check("a -b -\"c d\" -efg* -role:user", &Query { none, ..all(&[word("a")]) });
    check("-b", &Query { none: vec![word("b")], ..Query::default() });
    check("a - b", &all(&[word("a"), word("b")]));
    check("-- b", &all(&[word("b")]));
}

#[test]
fn who_where_and_when() {
    check("role:User x", &all(&[Term::Role("user".into()), word("x")]));
    check("SESSION:~", &all(&[Term::Session("~".into())]));
    check("session:\"Trip to Oslo\"", &all(&[Term::Session("Trip to Oslo".into())]));
    check("role: x", &all(&[word("role"), word("x")]));
    let day = 24 * 60 * 60 * 1_000;
    check("after:1970-01-02", &Query { from: Some(day), ..Query::default() });
    check("before:1970-01-02 Before:1971", &Query { until: Some(day), ..Query::default() });
    check("after:1970 after:1970-01-02 x", &Query { from: Some(day), ..all(&[word("x")]) });
    check("after:noon", &all(&[phrase("after noon")]));
    let either = Query { all: vec![vec![Term::Role("user".into()), word("x")]], ..Query::default() };
    check("role:user OR x", &either);
}

#[test]
fn long_searches_are_cut() {
    let words = "w ".repeat(SEARCH_TERMS_MAX + 5);
    assert_eq!(Query::parse(&words).all.len(), SEARCH_TERMS_MAX);
    let long = "今".repeat(SEARCH_QUERY_MAX_CHARS + 5);
    check(&long, &all(&[Term::Phrase(vec!["今".to_owned(); SEARCH_QUERY_MAX_CHARS])]));
}
