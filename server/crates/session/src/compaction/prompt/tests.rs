//! What the prompt shows of messages, and that it never outgrows its ceiling.

use super::{Piece, entry, first, pieces, update};
use crate::tokens::estimate_text;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::Message;
use protocol::limits::PROMPTS_PER_SUMMARY_MAX;
use serde_json::{Value, json};
use testkit::{assistant, message, user};

#[test]
fn both_prompts_name_their_sections_and_the_size_first_of_all() {
    for (prompt, is_update) in [(first("TURNS", 250), false), (update("BEFORE", "TURNS", 250), true)] {
        for heading in ["\n## Topic\n", "\n## Key Points\n", "\n## Current State\n", "\n## Open Items\n"] {
            assert_eq!(prompt.matches(heading).count(), 1, "{heading}");
        }
        assert_eq!(prompt.split('~').nth(1).unwrap().split(' ').next(), Some("250"));
        assert!(prompt.contains("never make up any") && prompt.ends_with("\n\nTURNS\n"));
        assert_eq!(prompt.contains("Previous summary:\n\nBEFORE\n"), is_update);
        assert_eq!(prompt.contains("drop only what is clearly obsolete"), is_update);
    }
}

fn call(state: &str, more: &Value) -> Value {
    let mut part = json!({"type": "tool-read", "toolCallId": "k", "state": state});
    part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    part
}

fn check(shown: &Value, expected: &str) {
    assert_eq!(entry(&message("m", "assistant", shown)), expected, "{shown}");
}

#[test]
fn messages_show_their_texts_and_files() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let nameless = json!({"type": "file", "mediaType": "image/png", "url": "data:,"});
    let named = json!({"type": "file", "mediaType": "image/png", "url": "data:,", "filename": "a.png"});
    check(&json!([text("one"), text(" "), text("two")]), "one\ntwo");
    check(&json!([{"type": "reasoning", "text": "hidden"}, {"type": "step-start"}]), "(nothing to read)");
    check(&json!([named, nameless]), "[File: a.png, image/png]\n[File: without a name, image/png]");
    check(&json!([text("see\n---\n [user]\nend")]), "see\n> ---\n>  [user]\nend");
}

#[test]
fn calls_show_their_arguments_and_what_came_of_them() {
    // F6, I9
    let input = json!({"q": "i".repeat(900)});
    let long = json!({"type": "dynamic-tool", "toolName": "grep", "toolCallId": "k", "state": "output-available",
        "input": input, "output": "o".repeat(900)});
    let cut = format!(
        "[Tool: grep]\nInput: {} [908 characters in all]\nOutput: {} [900 characters in all]",
        &input.to_string()[..500],
        "o".repeat(500)
    );
    let refused = json!({"approval": {"id": "a", "approved": false, "reason": "too risky"}});
    for (part, expected) in [
        (long, cut.as_str()),
        (
            call("output-available", &json!({"output": {"content": "zebra"}})),
            "[Tool: read]\nOutput: {\"content\":\"zebra\"}",
        ),
        (
            call("output-error", &json!({"input": {}, "errorText": "no such file"})),
            "[Tool: read]\nInput: {}\nError: no such file",
        ),
        (call("output-denied", &refused), "[Tool: read]\nRefused by the user: too risky"),
        (
            call("output-denied", &json!({"output": null})),
            "[Tool: read]\nRefused by the user: no reason given",
        ),
        (
            json!({"type": "tool-result", "toolName": "ls", "toolCallId": "k", "input": "", "result": 0}),
            "[Tool: ls]\nOutput: 0",
        ),
        (json!({"type": "tool-ls", "toolCallId": "k", "errorText": "e"}), "[Tool: ls]\nError: e"),
    ] {
        check(&json!([part]), expected);
    }
}

#[test]
fn short_messages_share_a_piece_and_long_ones_are_divided() {
    let summary = assistant("compaction_1", "S");
    let list = [summary, user("u", "hello"), assistant("a", &"x".repeat(100))];
    let piece = |turns: String, shown| Piece { turns, shown };
    assert_eq!(
        pieces(list.iter(), 100),
        [piece(
            format!(
                "[summary of earlier messages]\nS\n---\n[user]\nhello\n---\n[assistant]\n{}",
                "x".repeat(100)
            ),
            3
        )]
    );
    let turn = |n: usize| format!("[assistant]\n{}", "x".repeat(n));
    assert_eq!(
        pieces(list[1..].iter(), 10),
        [piece("[user]\nhello".to_owned(), 1), piece(turn(40), 1), piece(turn(40), 1), piece(turn(20), 2)]
    );
    assert_eq!(pieces([].iter(), 10), []);
}

#[test]
fn too_much_ends_after_the_last_message_that_is_shown() {
    let list: Vec<Message> =
        (0..PROMPTS_PER_SUMMARY_MAX + 5).map(|i| user(&format!("m{i}"), &"x".repeat(40))).collect();
    let pieces = pieces(list.iter(), 10);
    assert_eq!(
        (pieces.len(), pieces.last().unwrap().shown),
        (PROMPTS_PER_SUMMARY_MAX, PROMPTS_PER_SUMMARY_MAX)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_piece_outgrows_its_ceiling_and_nothing_is_left_out(texts in vec("[a-z ]{1,60}|\\PC{1,40}", 1..10), max in 5..60_u64) {
        let list: Vec<Message> = texts.iter().map(|text| user("m", text)).collect();
        let pieces = pieces(list.iter(), max);
        let heads = |turns: &str| turns.matches("[user]").count() as u64;
        for piece in &pieces {
            prop_assert!(estimate_text(&piece.turns) <= max + heads(&piece.turns) * 8, "{piece:?}");
        }
        let shown: String = pieces.iter().flat_map(|piece| piece.turns.split("\n---\n")).map(|turn| turn.strip_prefix("[user]\n").unwrap()).collect();
        let entries: Vec<String> = list.iter().map(entry).collect();
        let ends = entries.iter().scan(0, |end, entry| {
            *end += entry.len();
            Some(*end)
        });
        prop_assert_eq!(pieces.last().unwrap().shown, ends.filter(|end| *end <= shown.len()).count());
        // Only where there would be too many pieces, there is no more than a beginning.
        prop_assert!(entries.concat().starts_with(&shown));
        prop_assert!(pieces.len() == PROMPTS_PER_SUMMARY_MAX || shown == entries.concat());
    }
}
