//! Worked values, groups that stay whole, and pinned messages that stay out.

use super::{Groups, Protect, Seen, plan, summary_tokens};
use protocol::{Message, MessageId};
use serde_json::json;
use std::collections::HashSet;
use std::ops::Range;
use testkit::{assistant, user};

/// A row of signs: `u` a person, `a` a model, `<` a summary, `!` a pinned message; `1`, `2` a model that calls the tools
/// with these and higher numbers, `)` and `]` a person's and a model's message with the result of call 1, `}` of call 2.
fn path(signs: &str) -> (Vec<Message>, HashSet<MessageId>) {
    let mut pinned = HashSet::new();
    let message = |(i, sign): (usize, char)| {
        let call = |id: &str, has_output: bool| {
            let mut part = json!({"type": "tool-t", "toolCallId": id, "state": "input-available"});
            if has_output {
                part = json!({"type": "tool-result", "toolCallId": id, "result": 1});
            }
            part
        };
        let with = |role: &str, parts: serde_json::Value| {
            serde_json::from_value(json!({"id": format!("m{i}"), "role": role, "parts": parts})).unwrap()
        };
        match sign {
            'u' => user(&format!("m{i}"), "u"),
            'a' => assistant(&format!("m{i}"), "a"),
            '<' => assistant(&format!("compaction_{i}"), "s"),
            '!' => {
                pinned.insert(MessageId::new(format!("m{i}")));
                user(&format!("m{i}"), "p")
            }
            '1' => with("assistant", json!([call("c1", false)])),
            '2' => with("assistant", json!([call("c1", false), call("c2", false)])),
            ')' => with("tool", json!([call("c1", true)])),
            ']' => with("assistant", json!([call("c1", true)])),
            '}' => with("tool", json!([call("c2", true)])),
            other => panic!("{other}"),
        }
    };
    let messages = signs.chars().enumerate().map(message).collect();
    (messages, pinned)
}

fn planned(signs: &str, tokens: u64, protect: Protect) -> Option<Range<usize>> {
    let (messages, pinned) = path(signs);
    let tokens = vec![tokens; messages.len()];
    plan(Seen { messages: &messages, tokens: &tokens, pinned: &pinned }, protect)
}

#[test]
fn the_middle_is_what_the_worked_values_say() {
    // F1, and the values of section 6.
    let iterative = Protect { tail_tokens: 1, ..Protect::default() };
    let small = Protect { head: 1, tail_tokens: 1, min_tail: 1 };
    for (signs, tokens, protect, expected) in [
        ("uauau", 10, Protect::default(), None),
        ("uauaua", 10, Protect::default(), None),
        ("uauauau", 10, Protect::default(), None),
        ("uauauauauaua", 4_000, Protect::default(), Some(3..7)),
        ("uauauauauaua", 4_004, Protect::default(), Some(3..8)),
        ("uauauauauaua", 10_004, Protect::default(), Some(3..10)),
        ("uauaua", 100_004, Protect::default(), Some(3..4)),
        ("uauauauaua", 10, iterative, Some(3..8)),
        ("uau<auauauau", 10, iterative, Some(3..10)),
        ("uauu", 10, small, Some(1..3)),
        ("uau", 10, small, Some(1..2)),
        ("ua", 10, small, None),
        ("", 10, small, None),
    ] {
        assert_eq!(planned(signs, tokens, protect), expected, "{signs} {tokens} {protect:?}");
    }
}

#[test]
fn summaries_in_the_beginning_are_merged_with_what_follows() {
    let protect = Protect { tail_tokens: 1, ..Protect::default() };
    for (signs, expected) in [
        ("u<auauauau", Some(1..8)),
        ("<uauauauau", Some(0..8)),
        ("uau<u<auau", Some(3..8)),
        ("uau<<<au", None),
        ("uau<<au", None),
    ] {
        assert_eq!(planned(signs, 10, protect), expected, "{signs}");
    }
}

#[test]
fn pinned_messages_divide_the_middle() {
    let protect = Protect { head: 1, tail_tokens: 1, min_tail: 1 };
    for (signs, expected) in [
        ("uau!uauau", Some(4..8)),
        ("uauau!uau", Some(1..5)),
        ("ua!ua!uau", Some(3..5)),
        ("u!!!!u", None),
        ("u<!ua!u", Some(3..5)),
        ("u12}!au", Some(1..4)),
        ("!aauau!", Some(1..6)),
    ] {
        assert_eq!(planned(signs, 10, protect), expected, "{signs}");
    }
    // A pinned result keeps its call.
    let (messages, _) = path("u1)auu");
    let pinned = HashSet::from(["m2".into()]);
    let seen = Seen { messages: &messages, tokens: &[10; 6], pinned: &pinned };
    assert_eq!(plan(seen, protect), Some(3..5));
}

#[test]
fn a_border_never_divides_calls_from_their_results() {
    // Section 7, with ours where a group has several results or a model's own message holds one.
    for (signs, forward, backward) in [
        ("u1)au", [0, 1, 3, 3, 4, 5], [0, 1, 1, 3, 4, 5]),
        ("u1]au", [0, 1, 3, 3, 4, 5], [0, 1, 1, 3, 4, 5]),
        ("u2)}u", [0, 1, 4, 4, 4, 5], [0, 1, 1, 1, 4, 5]),
        ("u1a)u", [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),
        ("uauau", [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),
    ] {
        let groups = Groups::of(&path(signs).0);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| groups.forward(at)), forward, "{signs}");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| groups.backward(at)), backward, "{signs}");
    }
    let protect = Protect { head: 2, tail_tokens: 1, min_tail: 2 };
    assert_eq!(planned("u1)uau2)}u", 10, protect), Some(3..6));
}

#[test]
fn a_summary_takes_a_fifth_and_at_least_a_hundred() {
    assert_eq!([0, 499, 500, 504, 505, 1_000].map(summary_tokens), [100, 100, 100, 100, 101, 200]);
}
