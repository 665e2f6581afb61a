//! What must hold for any stream: one message however it was cut, no panic, nothing that goes back.

use crate::fold::{chunk, parts};
use proptest::prelude::*;
use protocol::{Accumulator, Applied, Chunk, Part, ToolState};
use serde_json::{Value, json};

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("b".to_owned()), Just("c".to_owned())]
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!({ "a": 1 })),
        Just(json!("{\"a\":2}")),
        any::<i64>().prop_map(|number| json!(number)),
        ".{0,8}".prop_map(|text| json!(text)),
    ]
}

fn any_text() -> impl Strategy<Value = Value> {
    let kinds = prop_oneof![Just("text"), Just("reasoning")];
    let ends = prop_oneof![Just("start"), Just("delta"), Just("delta"), Just("end")];
    (kinds, ends, any_id(), ".{0,6}", any::<bool>()).prop_map(|(kind, end, id, delta, has_metadata)| {
        let mut body = json!({ "type": format!("{kind}-{end}"), "id": id });
        if end == "delta" {
            body["delta"] = json!(delta);
        }
        if has_metadata {
            body["providerMetadata"] = json!({ "p": delta });
        }
        body
    })
}

fn any_tool() -> impl Strategy<Value = Value> {
    let kinds = prop_oneof![
        Just("tool-input-start"),
        Just("tool-input-delta"),
        Just("tool-input-available"),
        Just("tool-input-error"),
        Just("tool-approval-request"),
        Just("tool-output-available"),
        Just("tool-output-error"),
        Just("tool-output-denied"),
    ];
    (kinds, any_id(), any_value(), proptest::option::of(any::<bool>())).prop_map(|(kind, id, value, preliminary)| {
        json!({
            "type": kind, "toolCallId": id, "toolName": "t", "input": value, "output": value, "errorText": "e",
            "inputTextDelta": value.to_string(), "approvalId": "q", "preliminary": preliminary,
        })
    })
}

fn any_other() -> impl Strategy<Value = Value> {
    let data = (any_id(), any_value(), any::<bool>());
    prop_oneof![
        Just(json!({ "type": "start", "messageId": "m9", "messageMetadata": { "k": 1 } })),
        Just(json!({ "type": "finish", "messageMetadata": { "k": 2 } })),
        Just(json!({ "type": "start-step" })),
        Just(json!({ "type": "finish-step" })),
        Just(json!({ "type": "abort" })),
        Just(json!({ "type": "error", "errorText": "e" })),
        Just(json!({ "type": "file", "url": "data:,", "mediaType": "text/plain" })),
        data.prop_map(|(id, value, transient)| json!({ "type": "data-x", "id": id, "data": value, "transient": transient })),
        any_value(),
    ]
}

fn any_stream() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::vec(prop_oneof![3 => any_text(), 3 => any_tool(), 1 => any_other()], 0..60)
}

/// An object that looks like a part: a known type, and fields that parts have, with right and wrong values.
fn any_part() -> impl Strategy<Value = Value> {
    let kinds = [
        "text",
        "reasoning",
        "file",
        "source-url",
        "source-document",
        "step-start",
        "data-x",
        "tool-x",
        "dynamic-tool",
    ];
    let names = [
        "text",
        "state",
        "providerMetadata",
        "mediaType",
        "url",
        "filename",
        "sourceId",
        "title",
        "id",
        "data",
        "toolName",
        "toolCallId",
        "input",
        "output",
        "errorText",
        "preliminary",
        "approval",
        "providerExecuted",
        "later",
    ];
    let value = prop_oneof![
        6 => "[a-z]{0,4}".prop_map(|text| json!(text)),
        2 => Just(json!("done")),
        2 => Just(json!("input-available")),
        1 => any::<bool>().prop_map(|flag| json!(flag)),
        1 => Just(json!({ "id": "q1" })),
        1 => Just(json!([1, { "a": null }])),
    ];
    let fields = proptest::collection::vec((proptest::sample::select(names.to_vec()), value), 0..12);
    (proptest::sample::select(kinds.to_vec()), fields).prop_map(|(kind, fields)| {
        let mut part = json!({ "type": kind });
        fields.into_iter().for_each(|(name, value)| part[name] = value);
        part
    })
}

/// Cuts the deltas of a stream at the given places.
fn split(stream: &[Value], cuts: &[usize]) -> Vec<Value> {
    let mut cuts = cuts.iter().cycle();
    let mut pieces = Vec::new();
    for body in stream {
        let field = ["delta", "inputTextDelta"]
            .into_iter()
            .find(|field| body.get(*field).is_some_and(Value::is_string));
        let Some(field) = field.filter(|_| is_delta(body)) else {
            pieces.push(body.clone());
            continue;
        };
        let text: Vec<char> = body[field].as_str().unwrap_or_default().chars().collect();
        let at = cuts.next().map_or(0, |cut| cut % (text.len() + 1));
        for piece in [&text[..at], &text[at..]] {
            let mut cut = body.clone();
            cut[field] = json!(piece.iter().collect::<String>());
            pieces.push(cut);
        }
    }
    pieces
}

fn is_delta(body: &Value) -> bool {
    body["type"].as_str().is_some_and(|kind| kind.ends_with("-delta"))
}

fn fold(stream: &[Value]) -> Accumulator {
    let mut fold = Accumulator::new(Some("m1".into()));
    for body in stream {
        let _applied = fold.apply(&chunk(body));
    }
    fold
}

fn final_calls(fold: &Accumulator) -> Vec<(usize, ToolState, Value)> {
    let calls = fold.parts.iter().enumerate().filter_map(|(index, part)| Some((index, part.as_tool()?)));
    let done = calls.filter(|(_, tool)| tool.call.state.is_terminal() && !tool.call.is_preliminary());
    done.map(|(index, tool)| (index, tool.call.state, json!(Part::Tool(Box::new(tool.clone()))))).collect()
}

proptest! {
    #[test]
    fn deltas_cut_anywhere_give_the_same_message(stream in any_stream(), cuts in proptest::collection::vec(0_usize..9, 1..9)) {
        prop_assert_eq!(parts(&fold(&stream)), parts(&fold(&split(&stream, &cuts))));
    }

    #[test]
    fn a_finished_call_never_changes(stream in any_stream()) {
        let mut fold = Accumulator::new(Some("m1".into()));
        for body in &stream {
            let before = final_calls(&fold);
            let _applied = fold.apply(&chunk(body));
            for finished in before {
                prop_assert!(final_calls(&fold).contains(&finished), "{} changed {:?}", body, finished);
            }
        }
    }

    #[test]
    fn what_is_reported_is_what_changed(stream in any_stream()) {
        let mut fold = Accumulator::new(Some("m1".into()));
        for body in &stream {
            let before = fold.clone();
            let applied = fold.apply(&chunk(body));
            let changed: Vec<usize> = (0..fold.parts.len()).filter(|at| before.parts.get(*at) != fold.parts.get(*at)).collect();
            let expected: &[usize] = match &applied {
                Applied::Added(at) | Applied::Changed(at) => std::slice::from_ref(at),
                Applied::Head | Applied::CrossMessage(_) | Applied::Error(_) | Applied::Aborted | Applied::Nothing | Applied::Unhandled => &[],
            };
            prop_assert!(changed.iter().all(|at| expected.contains(at)), "{} said {:?}, changed {:?}", body, applied, changed);
        }
    }

    #[test]
    fn what_was_folded_can_be_stored_and_folded_on(stream in any_stream(), at in 0_usize..60) {
        let (before, after) = stream.split_at(at.min(stream.len()));
        let stored = fold(before).message().expect("a name");
        let text = serde_json::to_string(&stored).expect("JSON");
        let read: protocol::Message = serde_json::from_str(&text).expect("what was written can be read");
        prop_assert_eq!(&read, &stored);
        let mut fold = Accumulator::continuing(&read);
        for body in after {
            let _applied = fold.apply(&chunk(body));
        }
        prop_assert_eq!(fold.message_id, Some(read.id));
    }

    #[test]
    fn replay_equals_applying_one_by_one(stream in any_stream()) {
        let bodies: Vec<String> = stream.iter().map(|body| chunk(body).to_body()).collect();
        let mut replayed = Accumulator::new(Some("m1".into()));
        replayed.replay(bodies.iter().map(String::as_str));
        prop_assert_eq!(replayed.message(), fold(&stream).message());
    }

    #[test]
    fn chunks_come_out_as_they_went_in(stream in any_stream()) {
        for body in &stream {
            let read = chunk(body);
            prop_assert_eq!(Chunk::from_body(&read.to_body()), Some(read));
        }
    }

    #[test]
    fn parts_come_out_as_they_went_in(part in any_part()) {
        let read: Part = serde_json::from_value(part.clone()).expect("anything is a part");
        prop_assert_eq!(json!(read), part);
    }

    #[test]
    fn reading_never_panics(text in ".{0,64}", delta in r#"[{}\[\]",:\\a-f0-9u]{0,40}"#) {
        let _chunk = Chunk::from_body(&text);
        let _frame = protocol::ClientFrame::parse(&text);
        let _answer = protocol::ServerFrame::parse(&text);
        let stream = [
            json!({ "type": "tool-input-start", "toolCallId": "a", "toolName": "t" }),
            json!({ "type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": delta }),
        ];
        let _value = fold(&stream).partial_value(&"a".into());
    }
}
