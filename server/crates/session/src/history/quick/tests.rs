//! Whatever the short way reads, the long way reads alike.

use super::message;
use proptest::prelude::*;
use protocol::Message;
use serde_json::{Map, Value, json};

fn long(content: &[u8]) -> Option<Message> {
    serde_json::from_slice(content).ok()
}

#[track_caller]
fn check(json: &str, expected: Option<&Message>) {
    assert_eq!(message(json.as_bytes()).as_ref(), expected, "{json}");
}

#[test]
fn what_is_usual_goes_the_short_way_and_the_rest_the_long_one() {
    for usual in [
        r#"{"id":"a","role":"user","parts":[]}"#,
        r#"{"id":"","role":"system","parts":[{"type":"text","text":"h\u00e9 \ud83d\ude00 \"x\"\n"}]}"#,
        r#"{"id":"a","role":"other","parts":[{"type":"reasoning","text":"","state":"done","more":[1]}],"createdAt":"x"}"#,
        r#" {"parts":[{"type":"text","text":"t","providerMetadata":null}],"metadata":{"a":null},"role":"user","id":"a"} "#,
        r#"{"id":"a","role":"assistant","parts":[{"type":"step-start"},{"type":"step-start","x":1},{"type":"data-x","data":null},
            {"type":"tool-read","toolCallId":"c","state":"output-available","input":{"b":1,"a":2},"output":[]},
            {"type":"tool-read","state":7},{"type":"file","mediaType":"a/b","url":"u"},{"type":"odd","type2":"text"}]}"#,
    ] {
        check(usual, Some(&long(usual.as_bytes()).unwrap()));
    }
    for unusual in [
        r#"{"id":"a","role":"user","parts":[{"text":"t","type":"text"}]}"#,
        r#"{"id":"a","role":"user","parts":[{"type":"text","text":7}]}"#,
        r#"{"id":"a","role":"user","parts":[{"type":"text","text":"t","state":null}]}"#,
        r#"{"id":"a","role":"user","parts":[{"type":"text","text":"t","state":"odd"}]}"#,
        r#"{"id":"a","role":"user","parts":[{}]}"#,
        r#"{"id":"a","role":"user","parts":["text"]}"#,
        r#"{"id":"a","role":"user","parts":[],"metadata":null}"#,
        r#"{"id":"a","id":"b","role":"user","parts":[]}"#,
        r#"{"id":"a","role":"user","parts":[],"x":1,"x":2}"#,
        r#"{"id":"a","role":"user","parts":[]}}"#,
        r#"{"id":"a","role":"user"}"#,
        "[]",
        "",
    ] {
        check(unusual, None);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\u{e9}\u{1f600}\"\\\\ ]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..3)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

fn part() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "text",
        "reasoning",
        "file",
        "source-url",
        "source-document",
        "step-start",
        "data-x",
        "tool-x",
        "dynamic-tool",
        "odd",
    ]);
    let name = prop::sample::select(vec![
        "text",
        "state",
        "providerMetadata",
        "mediaType",
        "url",
        "data",
        "id",
        "toolCallId",
        "toolName",
        "input",
        "output",
        "extra",
        "type",
    ]);
    let usual = prop_oneof![2 => "[a-z]{0,5}".prop_map(Value::from), 1 => Just(json!("done")), 2 => value()];
    (kind, prop::collection::vec((name, usual), 0..5)).prop_map(|(kind, fields)| {
        let mut part = Map::from_iter([("type".to_owned(), kind.into())]);
        part.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Value::Object(part)
    })
}

proptest! {
    #[test]
    fn both_ways_read_the_same(
        parts in prop::collection::vec(part(), 0..4),
        fields in prop::collection::vec(("id|role|metadata|createdAt", value()), 0..3),
    ) {
        let mut told = Map::from_iter([("id".to_owned(), json!("m")), ("role".to_owned(), json!("user"))]);
        let _none = told.insert("parts".to_owned(), parts.into());
        told.extend(fields);
        let json = Value::Object(told).to_string();
        let read = message(json.as_bytes());
        if read.is_some() {
            prop_assert_eq!(read, long(json.as_bytes()));
        }
    }
}
