//! Id, metadata, endings and what nobody knows.

use crate::fold::{check, feed, message};
use protocol::{Accumulator, Applied, Chunk};
use serde_json::{Value, json};

fn check_head(seed: Accumulator, chunks: Value, id: Value, metadata: Value) {
    let mut fold = seed;
    let _applied = feed(&mut fold, &chunks);
    let actual = (json!(fold.message_id), json!(fold.metadata));
    assert_eq!(actual, (id, metadata), "{chunks:#}");
}

#[test]
fn start_names_the_message_and_metadata_merges() {
    // TK-024
    let chunks = json!([
        { "type": "start", "messageId": "m9", "messageMetadata": { "k": 1 } },
        { "type": "finish", "messageMetadata": { "z": 2 } },
    ]);
    let continuing = || Accumulator::continuing(&message(json!([])));
    check_head(Accumulator::new(None), chunks.clone(), json!("m9"), json!({ "k": 1, "z": 2 }));
    check_head(Accumulator::new(Some("m1".into())), chunks.clone(), json!("m9"), json!({ "k": 1, "z": 2 }));
    check_head(continuing(), chunks, json!("m1"), json!({ "k": 1, "z": 2 }));
    let merged = json!([
        { "type": "start" },
        { "type": "message-metadata", "messageMetadata": { "a": { "x": 1 }, "b": 1 } },
        { "type": "message-metadata", "messageMetadata": { "a": { "y": 2 } } },
    ]);
    check_head(Accumulator::new(Some("m1".into())), merged, json!("m1"), json!({ "a": { "y": 2 }, "b": 1 }));
    let wrong = json!([{ "type": "start", "messageId": "m9", "messageMetadata": "text" }]);
    check_head(Accumulator::new(None), wrong, json!("m9"), Value::Null);
}

#[test]
fn steps_are_borders() {
    let chunks = json!([{ "type": "start-step" }, { "type": "finish-step" }, { "type": "step-start" }]);
    check("both spellings", chunks, json!([{ "type": "step-start" }, { "type": "step-start" }]));
}

#[test]
fn endings_are_reported_and_not_stored() {
    let rows = [
        (json!({ "type": "abort" }), Applied::Aborted),
        (json!({ "type": "abort", "reason": "stop" }), Applied::Aborted),
        (json!({ "type": "error", "errorText": "quota" }), Applied::Error("quota".to_owned())),
        (json!({ "type": "error", "code": 7 }), Applied::Error(r#"{"type":"error","code":7}"#.to_owned())),
        (json!({ "type": "finish", "finishReason": "stop" }), Applied::Nothing),
    ];
    for (chunk, expected) in rows {
        let mut fold = Accumulator::new(Some("m1".into()));
        assert_eq!(feed(&mut fold, &json!([chunk])), [expected], "{chunk}");
        assert_eq!(fold.parts, []);
        assert!(!fold.has_content());
    }
}

#[test]
fn what_nobody_knows_is_reported_and_changes_nothing() {
    // TK-027, first half
    let strange = [
        json!({ "type": "hologram", "id": "t", "delta": "x" }),
        json!({ "type": "text-delta", "delta": "no id" }),
        json!({ "type": "data-x" }),
        json!({ "type": "data-x", "id": 7, "data": 1 }),
        json!({ "type": true }),
        json!({}),
        json!([]),
        json!(null),
        json!("text"),
    ];
    for chunk in strange {
        let mut fold = Accumulator::new(Some("m1".into()));
        assert_eq!(feed(&mut fold, &json!([chunk])), [Applied::Unhandled], "{chunk}");
        assert_eq!(fold.parts, [], "{chunk}");
    }
}

#[test]
fn replay_skips_what_is_not_json() {
    // TK-027, second half
    let mut fold = Accumulator::new(Some("m1".into()));
    fold.replay([
        r#"{"type":"text-delta","id":"t","delta":"a"}"#,
        "{broken",
        "",
        r#"{"type":"text-delta","id":"t","delta":"\ud800"}"#,
        r#"{"type":"text-delta","id":"t","delta":"b"}"#,
    ]);
    assert_eq!(fold.message().map(|message| message.plain_text()), Some("ab".to_owned()));
    assert_eq!(Chunk::from_body("{broken"), None);
}

#[test]
fn a_message_needs_a_name() {
    let mut fold = Accumulator::new(None);
    let chunks = json!([{ "type": "text-delta", "id": "t", "delta": "a" }]);
    assert_eq!(feed(&mut fold, &chunks), [Applied::Added(0)]);
    assert_eq!(fold.message(), None);
    assert!(fold.has_content());
    assert_eq!(feed(&mut fold, &json!([{ "type": "start", "messageId": "m1" }])), [Applied::Head]);
    assert_eq!(fold.message(), Some(message(json!([{ "type": "text", "text": "a", "state": "streaming" }]))));
}
