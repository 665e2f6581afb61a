//! Parts and messages come out as they went in, whatever they hold.

use protocol::{Message, Part};
use serde_json::{Value, json};

fn check_round_trip(part: &Value) {
    let read: Part = serde_json::from_value(part.clone()).expect("every part can be read");
    assert_eq!(serde_json::to_value(&read).expect("every part can be written"), *part);
    let again: Part = serde_json::from_str(&part.to_string()).expect("also from text");
    assert_eq!(again, read);
}

fn is_unknown(part: &Value) -> bool {
    matches!(serde_json::from_value(part.clone()), Ok(Part::Unknown(_)))
}

#[test]
fn known_parts_keep_unknown_fields() {
    let known = [
        json!({ "type": "text", "text": "a", "mood": "calm", "nested": { "x": [1, null] } }),
        json!({ "type": "reasoning", "text": "a", "state": "done", "signature": "s" }),
        json!({ "type": "file", "mediaType": "image/png", "url": "data:,", "filename": "a.png", "size": 3 }),
        json!({ "type": "source-url", "sourceId": "s", "url": "https://example.org", "rank": 1.5 }),
        json!({ "type": "source-document", "sourceId": "s", "mediaType": "text/plain", "title": "t", "page": 4 }),
        json!({ "type": "step-start" }),
        json!({ "type": "data-weather", "id": "w", "data": null, "at": 18_446_744_073_709_551_615_u64 }),
        json!({ "type": "data-", "data": [] }),
        json!({ "type": "tool-add", "toolCallId": "c", "state": "output-available", "toolName": "add", "input": {},
                "output": null, "extra": true }),
        json!({ "type": "dynamic-tool", "toolName": "now", "toolCallId": "c", "state": "approval-requested",
                "approval": { "id": "q", "descriptor": { "a": 1 } }, "extra": [] }),
        json!({ "type": "tool-dynamic-tool", "toolCallId": "c", "state": "output-error", "errorText": "e" }),
    ];
    for part in known {
        check_round_trip(&part);
        assert!(!is_unknown(&part), "{part}");
    }
}

#[test]
fn everything_else_is_kept_as_it_came() {
    let strange = [
        json!({ "type": "hologram", "depth": 3 }),
        json!({ "type": "text" }),
        json!({ "type": "text", "text": 5 }),
        json!({ "type": "text", "text": "a", "state": "melting" }),
        json!({ "type": "file", "url": "data:," }),
        json!({ "type": "source-url", "url": "https://example.org" }),
        json!({ "type": "source-document", "sourceId": "s" }),
        json!({ "type": "step-start", "number": 2 }),
        json!({ "type": "data-x" }),
        json!({ "type": "data-x", "id": 4, "data": 1 }),
        json!({ "type": "tool-add", "state": "input-available" }),
        json!({ "type": "tool-add", "toolCallId": "c", "state": "sleeping" }),
        json!({ "type": "dynamic-tool", "toolCallId": "c", "state": "input-available" }),
        json!({ "type": "dynamic-tool", "toolName": 1, "toolCallId": "c", "state": "input-available" }),
        json!({ "type": 5 }),
        json!({}),
        json!(null),
        json!("text"),
        json!([1, 2]),
    ];
    for part in strange {
        check_round_trip(&part);
        assert!(is_unknown(&part), "{part}");
    }
}

#[test]
fn messages_keep_unknown_fields_and_roles() {
    let messages = [
        json!({ "id": "m", "role": "user", "parts": [] }),
        json!({ "id": "m", "role": "tool", "parts": [{ "type": "x" }], "metadata": { "k": [1] }, "createdAt": "now" }),
    ];
    for message in messages {
        let read: Message = serde_json::from_value(message.clone()).expect("a message");
        assert_eq!(serde_json::to_value(&read).expect("JSON"), message);
    }
}

#[test]
fn zero_characters_pass_and_lone_surrogates_are_an_error() {
    let zero = r#"{"type":"text","text":"a\u0000b"}"#;
    let part: Part = serde_json::from_str(zero).expect("NUL is a character");
    assert_eq!(part.as_text(), Some("a\0b"));
    assert_eq!(serde_json::to_string(&part).expect("JSON"), zero);
    for lone in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\ud800""#, r#""\ud800x""#] {
        let text = format!(r#"{{"type":"text","text":{lone}}}"#);
        assert!(serde_json::from_str::<Part>(&text).is_err(), "{lone}");
    }
    let pair: Part =
        serde_json::from_str(r#"{"type":"text","text":"\ud83c\udf33"}"#).expect("a pair is a character");
    assert_eq!(pair.as_text(), Some("🌳"));
}

#[test]
fn text_is_what_text_parts_say() {
    let parts = json!([
        { "type": "reasoning", "text": "no" }, { "type": "text", "text": "a" }, { "type": "step-start" },
        { "type": "text", "text": "b" },
    ]);
    assert_eq!(crate::fold::message(parts).plain_text(), "a\nb");
}
