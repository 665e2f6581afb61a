//! Whatever a model says fits, stays a message, and says what is missing.

use super::{Room, shrink};
use crate::intake::nesting;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::Message;
use serde_json::{Value, json};

const ROOM: Room = Room { bytes: 20_000, levels: 20 };

fn message(parts: &Value) -> Message {
    let metadata = json!({"bough": {"status": "complete"}, "other": 1});
    serde_json::from_value(json!({"id": "m", "role": "assistant", "parts": parts, "metadata": metadata}))
        .unwrap()
}

fn tool(field: &str, value: Value) -> Value {
    let mut part = json!({"type": "tool-t", "toolCallId": "k", "state": "output-available"});
    part.as_object_mut().unwrap().insert(field.to_owned(), value);
    part
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

/// Shrinks a message that does not fit and checks what holds of any.
fn check(name: &str, parts: &Value) -> Message {
    let sent = message(parts);
    let json = shrink(&sent, ROOM);
    assert!(json.len() <= ROOM.bytes, "{name}: {}", json.len());
    assert!(nesting(&json) <= ROOM.levels, "{name}");
    let stored: Message = serde_json::from_str(&json).unwrap();
    assert_eq!((&stored.id, &stored.role), (&sent.id, &sent.role), "{name}");
    let bough = stored.metadata.as_ref().and_then(|metadata| metadata.get("bough"));
    assert_eq!(bough, Some(&json!({"status": "complete"})), "{name}");
    stored
}

#[test]
fn long_texts_are_cut_wherever_they_are_and_the_rest_stays() {
    let big = "漢\n\"".repeat(ROOM.bytes);
    let end = json!({"type": "text", "text": "done"});
    for (name, part) in [
        ("text", json!({"type": "text", "text": big})),
        ("reasoning", json!({"type": "reasoning", "text": big})),
        ("output", tool("output", json!({"log": big, "exit": 0}))),
        ("input", tool("input", json!({"a": [big]}))),
        ("error", tool("errorText", json!(big))),
        ("data", json!({"type": "data-x", "data": big})),
        ("unknown", json!({"type": "hologram", "x": {"y": big}})),
    ] {
        let stored = check(name, &json!([part, end]));
        let json = serde_json::to_string(&stored).unwrap();
        assert!(json.len() > ROOM.bytes - 300, "{name}: only what must go goes: {}", json.len());
        assert!(json.contains("bytes left out here"), "{name}");
        assert_eq!(stored.parts.last().unwrap().as_text(), Some("done"), "{name}");
    }
    let output = check("output", &json!([tool("output", json!({"log": big, "exit": 0}))]));
    assert_eq!(output.parts[0].as_tool().unwrap().call.output.as_ref().unwrap()["exit"], 0);
}

#[test]
fn parts_without_long_texts_give_way_to_a_note() {
    let numbers: Vec<usize> = (0..10_000).collect();
    let long_url = json!({"type": "file", "mediaType": "image/png", "url": "x".repeat(ROOM.bytes)});
    for (name, part) in [("numbers", tool("output", json!(numbers))), ("file", long_url)] {
        let stored =
            check(name, &json!([{"type": "text", "text": "first"}, part, {"type": "text", "text": "last"}]));
        let texts: Vec<&str> = stored.parts.iter().filter_map(|part| part.as_text()).collect();
        let [first, note, last] = texts[..] else { panic!("{name}: {texts:?}") };
        assert_eq!((first, last), ("first", "last"), "{name}");
        assert!(note.starts_with("[a part of ") && note.contains(" left out here"), "{name}: {note}");
    }
}

#[test]
fn many_small_parts_end_with_a_note() {
    let stored = check("steps", &Value::from(vec![json!({"type": "step-start"}); 5_000]));
    let note = stored.parts.last().unwrap().as_text().unwrap();
    assert!(note.contains("parts left out here"), "{note}");
    check("texts", &Value::from(vec![json!({"type": "text", "text": "y".repeat(1_500)}); 100]));
}

#[test]
fn what_lies_too_deep_becomes_its_text() {
    let stored =
        check("deep", &json!([{"type": "data-x", "data": nested(300)}, {"type": "text", "text": "done"}]));
    assert_eq!(stored.parts[1].as_text(), Some("done"));
    assert!(serde_json::to_string(&stored).unwrap().contains(&"[".repeat(280)));
}

#[test]
fn a_message_that_is_large_outside_its_parts_fits_too() {
    let numbers: Vec<usize> = (0..10_000).collect();
    for field in ["extra", "metadata"] {
        let mut whole = json!({"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "kept"}]});
        whole[field] = json!({"bough": numbers});
        let sent: Message = serde_json::from_value(whole).unwrap();
        let json = shrink(&sent, ROOM);
        assert!(json.len() <= ROOM.bytes, "{field}");
        let stored: Message = serde_json::from_str(&json).unwrap();
        assert_eq!(stored.parts.len(), 1, "{field}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        (0..6_000_usize, prop_oneof![Just("x"), Just("é\n"), Just("\0")])
            .prop_map(|(n, text)| text.repeat(n).into()),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec(("[a-z]{1,5}|url|type", inner), 0..8).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

fn any_part() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_value().prop_map(|value| tool("output", value)),
        any_value().prop_map(|value| json!({"type": "data-x", "data": value})),
        any_value(),
        (0..30_000_usize).prop_map(|n| json!({"type": "text", "text": "t".repeat(n)})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_message_fits_in_the_end(parts in vec(any_part(), 0..20)) {
        check("any", &Value::from(parts));
    }
}
