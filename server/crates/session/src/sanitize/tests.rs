//! What goes, what stays, and that every message fits.

use super::{Room, fit, sanitize};
use crate::intake::nesting;
use proptest::prelude::*;
use protocol::Message;
use protocol::limits::{MESSAGE_MAX_BYTES, MESSAGE_MAX_NESTING};
use serde_json::{Value, json};

const ROOM: Room = Room { bytes: MESSAGE_MAX_BYTES, levels: MESSAGE_MAX_NESTING };

fn message(role: &str, parts: &Value) -> Message {
    serde_json::from_value(json!({"id": "m", "role": role, "parts": parts, "metadata": {"mood": "good"}}))
        .unwrap()
}

fn fitted(role: &str, parts: &Value) -> Message {
    fitted_into(ROOM, role, parts)
}

fn fitted_into(room: Room, role: &str, parts: &Value) -> Message {
    let json = fit(&message(role, parts), room);
    assert!(json.len() <= room.bytes && nesting(&json) <= room.levels, "{}", json.len());
    serde_json::from_str(&json).unwrap()
}

#[test]
fn stale_marks_and_empty_reasoning_go() {
    // N4, TK-088
    let text = |metadata: Value| json!({"type": "text", "text": "t", "providerMetadata": metadata});
    let thought = |text: &str, metadata: Value| json!({"type": "reasoning", "text": text, "providerMetadata": metadata});
    let call = |field: &str, metadata: Value| json!({"type": "tool-t", "toolCallId": "k", "state": "input-available", field: metadata});
    let bare = json!({"type": "tool-t", "toolCallId": "k", "state": "input-available"});
    let stale = json!({"openai": {"itemId": 1, "reasoningEncryptedContent": "x"}});
    for (part, expected) in [
        (text(json!({"openai": {"itemId": 1, "keep": 1}})), Some(text(json!({"openai": {"keep": 1}})))),
        (text(json!({"openai": {"itemId": 1}})), Some(json!({"type": "text", "text": "t"}))),
        (text(json!({"openai": {"itemId": 1}, "a": {}})), Some(text(json!({"a": {}})))),
        (text(json!({"openai": {}})), Some(text(json!({"openai": {}})))),
        (text(json!("odd")), Some(text(json!("odd")))),
        (json!({"type": "text", "text": ""}), Some(json!({"type": "text", "text": ""}))),
        (json!({"type": "reasoning", "text": "  "}), None),
        (thought("", stale.clone()), None),
        (thought("", json!({})), None),
        (thought("why", stale.clone()), Some(json!({"type": "reasoning", "text": "why"}))),
        (
            thought("", json!({"anthropic": {"redactedData": "r"}})),
            Some(thought("", json!({"anthropic": {"redactedData": "r"}}))),
        ),
        (call("callProviderMetadata", stale.clone()), Some(bare.clone())),
        (call("providerMetadata", stale.clone()), Some(bare)),
        (json!({"type": "hologram", "providerMetadata": stale}), Some(json!({"type": "hologram"}))),
        (json!({"type": "data-d", "data": stale}), Some(json!({"type": "data-d", "data": stale}))),
        (json!(7), Some(json!(7))),
    ] {
        let clean = sanitize(message("assistant", &json!([part])));
        assert_eq!(clean, message("assistant", &expected.into_iter().collect()), "{part}");
    }
}

#[test]
fn what_fits_is_not_touched() {
    let sent = message("assistant", &json!([{"type": "text", "text": "x".repeat(1_700_000)}]));
    assert_eq!(fit(&sent, ROOM), serde_json::to_string(&sent).unwrap());
}

#[test]
fn long_results_are_shortened_and_named() {
    // N1, and the last values of section 16.
    let call = |id: &str, output: Value| json!({"type": "tool-t", "toolCallId": id, "state": "output-available", "input": {}, "output": output});
    let pending =
        json!({"type": "tool-t", "toolCallId": "p", "state": "input-available", "input": "x".repeat(2_000)});
    for big in ["X".repeat(1_900_000), "一".repeat(700_000)] {
        let parts = json!([call("k9", json!(big)), call("k8", json!("y".repeat(1_000))), pending]);
        let stored = fitted("assistant", &parts);
        let output = stored.parts[0].as_tool().unwrap().call.output.clone().unwrap();
        let text = output.as_str().unwrap();
        assert!(text.encode_utf16().count() <= 1_000 && text.contains("[truncated"), "{text}");
        let metadata = json!({"mood": "good", "compactedToolOutputs": ["k9"]});
        assert_eq!(stored.metadata.as_ref(), metadata.as_object());
        assert_eq!(stored.parts[1..], message("assistant", &parts).parts[1..]);
    }
}

#[test]
fn long_texts_are_replaced_by_their_beginning_oldest_first() {
    // N1, and section 16 for models: once their results are short.
    let text = |text: &str| json!({"type": "text", "text": text});
    for role in ["user", "assistant", "critic"] {
        let stored = fitted(role, &json!([text(&"y".repeat(2_000_000))]));
        let expected =
            format!("[Text truncated for storage (2000000 chars). First 500 chars: {}...]", "y".repeat(500));
        assert_eq!((stored.plain_text().len(), stored.plain_text()), (566, expected));
        assert_eq!(stored.metadata.unwrap()["compactedTextParts"], json!([0]));

        let parts = json!([text("short"), text(&"a".repeat(900_000)), text(&"b".repeat(1_000_000))]);
        let stored = fitted(role, &parts);
        assert_eq!(stored.metadata.unwrap()["compactedTextParts"], json!([1]));
        assert_eq!(stored.parts[2].as_text().unwrap().len(), 1_000_000);
    }
    let call = json!({"type": "tool-t", "toolCallId": "k", "state": "output-available", "output": "x".repeat(900_000)});
    let stored = fitted("assistant", &json!([text(&"a".repeat(1_000_000)), call]));
    let metadata = json!({"mood": "good", "compactedToolOutputs": ["k"]});
    assert_eq!(stored.metadata.as_ref(), metadata.as_object(), "short results are enough");
    let call = json!({"type": "tool-t", "toolCallId": "k", "state": "output-available", "output": "x".repeat(2_000)});
    let stored = fitted("assistant", &json!([call, text(&"a".repeat(1_900_000))]));
    let metadata = json!({"mood": "good", "compactedToolOutputs": ["k"], "compactedTextParts": [1]});
    assert_eq!(stored.metadata.as_ref(), metadata.as_object());
}

#[test]
fn whatever_else_is_large_fits_too() {
    let big = "z".repeat(60_000);
    let tool =
        |field: &str, state: &str| json!({"type": "tool-t", "toolCallId": "k", "state": state, field: big});
    let room = Room { bytes: 50_000, levels: 20 };
    for role in ["user", "assistant", "critic"] {
        for part in [
            json!({"type": "reasoning", "text": big}),
            tool("input", "input-available"),
            tool("errorText", "output-error"),
            json!({"type": "file", "mediaType": "image/png", "url": big}),
            json!({"type": "data-d", "data": {"a": big}}),
            json!({"type": "hologram", "x": big}),
        ] {
            let stored = fitted_into(room, role, &json!([{"type": "text", "text": "first"}, part]));
            assert_eq!(stored.parts[0].as_text(), Some("first"), "{role}");
        }
        let many: Value =
            (0..300).map(|i| json!({"type": "text", "text": format!("{i}").repeat(250)})).collect();
        assert!(!fitted_into(room, role, &many).parts.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_message_of_any_role_fits(texts in proptest::collection::vec((0..4_000_usize, 0..3_usize), 0..12), bytes in 2_000..20_000_usize) {
        let kinds = ["é", "\n", "😀"];
        let part = |(n, kind): (usize, usize)| json!({"type": "text", "text": kinds[kind].repeat(n)});
        let parts: Value = texts.into_iter().map(part).collect();
        for role in ["user", "assistant"] {
            let sent = message(role, &parts);
            let json = fit(&sent, Room { bytes, levels: 20 });
            prop_assert!(json.len() <= bytes);
            prop_assert_eq!(serde_json::from_str::<Message>(&json).unwrap().role, sent.role);
        }
    }
}
