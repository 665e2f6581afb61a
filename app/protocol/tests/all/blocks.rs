//! Text and reasoning in the fold.

use crate::fold::{check, check_continuing, folded, parts};
use serde_json::json;

#[test]
fn deltas_make_one_text_that_ends_done() {
    // TK-019
    check(
        "start, two deltas, end",
        json!([
            { "type": "text-start", "id": "t" },
            { "type": "text-delta", "id": "t", "delta": "ab" },
            { "type": "text-delta", "id": "t", "delta": "c" },
            { "type": "text-end", "id": "t" },
        ]),
        json!([{ "type": "text", "text": "abc", "state": "done" }]),
    );
    check(
        "a delta without a start",
        json!([{ "type": "text-delta", "id": "t", "delta": "ab" }]),
        json!([{ "type": "text", "text": "ab", "state": "streaming" }]),
    );
    check(
        "a start alone",
        json!([{ "type": "text-start", "id": "t" }]),
        json!([{ "type": "text", "text": "", "state": "streaming" }]),
    );
    check("an end alone", json!([{ "type": "text-end", "id": "t" }]), json!([]));
    check(
        "the same id again, in the next step",
        json!([
            { "type": "text-start", "id": "0" }, { "type": "text-delta", "id": "0", "delta": "a" },
            { "type": "text-end", "id": "0" }, { "type": "start-step" },
            { "type": "text-start", "id": "0" }, { "type": "text-delta", "id": "0", "delta": "b" },
            { "type": "text-end", "id": "0" },
        ]),
        json!([
            { "type": "text", "text": "a", "state": "done" },
            { "type": "step-start" },
            { "type": "text", "text": "b", "state": "done" },
        ]),
    );
}

#[test]
fn interleaved_blocks_never_mix() {
    check(
        "two texts and a reasoning, the same ids",
        json!([
            { "type": "text-start", "id": "a" }, { "type": "reasoning-start", "id": "a" },
            { "type": "text-start", "id": "b" },
            { "type": "text-delta", "id": "a", "delta": "1" }, { "type": "text-delta", "id": "b", "delta": "2" },
            { "type": "reasoning-delta", "id": "a", "delta": "3" }, { "type": "text-delta", "id": "a", "delta": "4" },
            { "type": "text-end", "id": "a" }, { "type": "text-delta", "id": "b", "delta": "5" },
            { "type": "text-end", "id": "b" }, { "type": "reasoning-end", "id": "a" },
        ]),
        json!([
            { "type": "text", "text": "14", "state": "done" },
            { "type": "reasoning", "text": "3", "state": "done" },
            { "type": "text", "text": "25", "state": "done" },
        ]),
    );
    check(
        "the end of a block nobody opened ends no other",
        json!([
            { "type": "text-start", "id": "a" }, { "type": "text-end", "id": "x" },
            { "type": "text-delta", "id": "a", "delta": "1" },
        ]),
        json!([{ "type": "text", "text": "1", "state": "streaming" }]),
    );
    check(
        "a delta with an unknown id beside an open block",
        json!([
            { "type": "text-start", "id": "a" }, { "type": "text-delta", "id": "x", "delta": "2" },
            { "type": "text-delta", "id": "a", "delta": "1" }, { "type": "text-delta", "id": "x", "delta": "3" },
        ]),
        json!([
            { "type": "text", "text": "1", "state": "streaming" },
            { "type": "text", "text": "23", "state": "streaming" },
        ]),
    );
}

#[test]
fn provider_metadata_is_kept_and_merged() {
    // TK-020
    check(
        "on delta and end",
        json!([
            { "type": "reasoning-start", "id": "r" },
            { "type": "reasoning-delta", "id": "r", "delta": "t", "providerMetadata": { "p": { "a": 1 } } },
            { "type": "reasoning-end", "id": "r", "providerMetadata": { "q": { "b": 2 } } },
        ]),
        json!([{
            "type": "reasoning", "text": "t", "state": "done",
            "providerMetadata": { "p": { "a": 1 }, "q": { "b": 2 } },
        }]),
    );
    check(
        "on start; later keys win, one level deep",
        json!([
            { "type": "text-start", "id": "t", "providerMetadata": { "p": { "a": 1, "b": 1 }, "q": 1 } },
            { "type": "text-delta", "id": "t", "delta": "x", "providerMetadata": { "p": { "a": 2 } } },
        ]),
        json!([{
            "type": "text", "text": "x", "state": "streaming",
            "providerMetadata": { "p": { "a": 2 }, "q": 1 },
        }]),
    );
    check(
        "on a delta without a start",
        json!([{ "type": "reasoning-delta", "id": "r", "delta": "t", "providerMetadata": { "p": 1 } }]),
        json!([{ "type": "reasoning", "text": "t", "state": "streaming", "providerMetadata": { "p": 1 } }]),
    );
}

#[test]
fn a_seeded_fold_goes_on_with_a_block_that_was_streaming() {
    let streaming = json!([{ "type": "text", "text": "Good ", "state": "streaming" }]);
    check_continuing(
        "delta and end of an id that was opened before the seed",
        streaming.clone(),
        json!([{ "type": "text-delta", "id": "t", "delta": "morning" }, { "type": "text-end", "id": "t" }]),
        json!([{ "type": "text", "text": "Good morning", "state": "done" }]),
    );
    check_continuing(
        "a start opens another",
        streaming,
        json!([{ "type": "text-start", "id": "t" }, { "type": "text-delta", "id": "t", "delta": "x" }]),
        json!([
            { "type": "text", "text": "Good ", "state": "streaming" },
            { "type": "text", "text": "x", "state": "streaming" },
        ]),
    );
    check_continuing(
        "a finished block stays as it is",
        json!([{ "type": "text", "text": "a", "state": "done" }]),
        json!([{ "type": "text-delta", "id": "t", "delta": "b" }]),
        json!([{ "type": "text", "text": "a", "state": "done" }, { "type": "text", "text": "b", "state": "streaming" }]),
    );
}

#[test]
fn the_end_of_a_turn_ends_what_is_open() {
    let mut fold = folded(&json!([
        { "type": "reasoning-start", "id": "r" }, { "type": "reasoning-delta", "id": "r", "delta": "a" },
        { "type": "text-start", "id": "t" }, { "type": "text-delta", "id": "t", "delta": "b" },
        { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" },
    ]));
    fold.close_blocks();
    let expected = json!([
        { "type": "reasoning", "text": "a", "state": "done" },
        { "type": "text", "text": "b", "state": "done" },
        { "type": "tool-add", "toolCallId": "c1", "state": "input-streaming" },
    ]);
    assert_eq!(parts(&fold), expected);
    fold.close_blocks();
    assert_eq!(parts(&fold), expected, "once more changes nothing");
}
