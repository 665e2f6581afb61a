//! The table of what is read where several overlays meet.

use super::fold::{Span, fold, is_settled};
use super::{Compaction, apply_overlays, overlay_id};
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::Message;
use testkit::{assistant, user};

/// `A 1-3`: summary, first and last number; the first one is not the summary where it is empty.
fn compaction(number: usize, row: &str) -> Compaction {
    let (summary, range) = row.split_once(' ').unwrap();
    let (from, to) = range.split_once('-').unwrap();
    Compaction {
        id: overlay_id(&number.to_string()),
        summary: summary.to_owned(),
        from: format!("m{from}").into(),
        to: format!("m{to}").into(),
        created_at: 7,
    }
}

fn path(length: usize) -> Vec<Message> {
    let message = |i: usize| {
        if i.is_multiple_of(2) { user(&format!("m{i}"), "u") } else { assistant(&format!("m{i}"), "a") }
    };
    (0..length).map(message).collect()
}

/// The path as `0 <A> 4`.
fn shown(path: &[Message]) -> String {
    let name = |message: &Message| match message.id.as_str().strip_prefix('m') {
        Some(number) => number.to_owned(),
        None => format!("<{}>", message.plain_text()),
    };
    path.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn overlays_stand_as_the_table_says() {
    // Section 4, C1, C2, C4, C6
    for (overlays, expected) in [
        (&["A 1-3", "B 5-6"][..], "0 <A> 4 <B> 7 8 9"),
        (&["A 1-3", "B 4-6"], "0 <A> <B> 7 8 9"),
        (&["A 1-5", "B 3-8"], "0 <A> 6 7 8 9"),
        (&["A 3-8", "B 1-5"], "0 <B> 6 7 8 9"),
        (&["inner 3-4", "outer 1-6"], "0 <outer> 7 8 9"),
        (&["outer 1-6", "inner 3-4"], "0 <outer> 7 8 9"),
        (&["L 1-7", "S 1-3"], "0 <S> 4 5 6 7 8 9"),
        (&["S 1-3", "L 1-7"], "0 <L> 8 9"),
        (&["L 1-7", "X 1-unknown"], "0 <L> 8 9"),
        (&["X 5-2"], "0 1 2 3 4 5 6 7 8 9"),
        (&["X unknown-2"], "0 1 2 3 4 5 6 7 8 9"),
        (&["X 2-unknown"], "0 1 2 3 4 5 6 7 8 9"),
        (&["X 4-4"], "0 1 2 3 <X> 5 6 7 8 9"),
        (&["W 0-9"], "<W>"),
        (&[" 2-3"], "0 1 <> 4 5 6 7 8 9"),
        (&[], "0 1 2 3 4 5 6 7 8 9"),
    ] {
        let overlays: Vec<Compaction> =
            overlays.iter().enumerate().map(|(i, row)| compaction(i, row)).collect();
        assert_eq!(shown(&apply_overlays(&path(10), &overlays)), expected, "{overlays:?}");
    }
    let to_the_middle = apply_overlays(&path(6), &[compaction(0, "X 2-8")]);
    assert_eq!(to_the_middle, path(6));
}

#[test]
fn the_summary_stands_as_a_message_of_its_own() {
    let message = apply_overlays(&path(3), &[compaction(5, "S 1-1")]).remove(1);
    let expected =
        r#"{"id":"compaction_5","role":"assistant","parts":[{"type":"text","text":"S"}],"createdAt":7}"#;
    assert_eq!(serde_json::to_string(&message).unwrap(), expected);
}

fn any_spans() -> impl Strategy<Value = Vec<Option<Span<u8>>>> {
    vec(proptest::option::weighted(0.9, (0..12_u8, 0..12_u8)), 0..8)
        .prop_map(|list| list.into_iter().map(|span| span.map(|(from, to)| Span { from, to })).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn folding_is_reading_from_the_root(spans in any_spans()) {
        let mut expected = Vec::new();
        let mut at = 0;
        while at < 12 {
            let starts = |span: &&(usize, Span<u8>)| span.1.from == at && span.1.to >= at;
            let all: Vec<(usize, Span<u8>)> = spans.iter().enumerate().filter_map(|(i, span)| Some((i, (*span)?))).collect();
            match all.iter().rev().find(starts) {
                Some((number, span)) => {
                    expected.push(*number);
                    at = span.to + 1;
                }
                None => at += 1,
            }
        }
        prop_assert_eq!(fold(&spans), expected);
    }

    #[test]
    fn what_is_settled_does_not_change(spans in any_spans(), is_known in vec(any::<bool>(), 8), is_there in vec(any::<bool>(), 8)) {
        let split = |keep: bool| move |(i, span): (usize, &Option<Span<u8>>), is_known: &[bool]| {
            (is_known[i] == keep).then_some((i, (*span)?))
        };
        let (yes, no) = (split(true), split(false));
        let known: Vec<Option<Span<u8>>> = spans.iter().enumerate().map(|s| yes(s, &is_known).map(|(_, span)| span)).collect();
        let unknown: Vec<(usize, Span<u8>)> = spans.iter().enumerate().filter_map(|s| no(s, &is_known)).filter(|(_, span)| span.from <= span.to).collect();
        if is_settled(&known, &unknown) {
            let later: Vec<Option<Span<u8>>> =
                spans.iter().enumerate().map(|(i, span)| span.filter(|_| is_known[i] || is_there[i])).collect();
            prop_assert_eq!(fold(&later), fold(&known));
        }
    }
}
