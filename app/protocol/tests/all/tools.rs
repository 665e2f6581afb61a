//! Tool calls in the fold: every chunk against every state.

use crate::fold::{check, check_continuing, feed, folded, parts};
use protocol::{Accumulator, Applied, CrossMessage, ToolState};
use serde_json::{Value, json};

fn call(state: &str, more: Value) -> Value {
    let mut part = json!({ "type": "tool-add", "toolCallId": "c1", "state": state });
    let fields = more.as_object().expect("fields").clone();
    part.as_object_mut().expect("a part").extend(fields);
    part
}

#[test]
fn a_call_and_its_result_are_one_part() {
    // TK-021
    check(
        "input written as text",
        json!([
            { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" },
            { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": "{\"a\":2}" },
            { "type": "tool-output-available", "toolCallId": "c1", "output": 2 },
        ]),
        json!([call("output-available", json!({ "input": { "a": 2 }, "output": 2 }))]),
    );
    for input in [json!([1]), json!(null), json!(5), json!("x"), json!("[1]"), json!(true)] {
        check(
            "input that is no object",
            json!([{ "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": input }]),
            json!([call("input-available", json!({ "input": {} }))]),
        );
    }
    check(
        "a result of null is a result",
        json!([
            { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": {} },
            { "type": "tool-output-available", "toolCallId": "c1", "output": null },
        ]),
        json!([call("output-available", json!({ "input": {}, "output": null }))]),
    );
}

#[test]
fn what_the_chunks_say_about_a_call_is_kept() {
    check(
        "dynamic tools keep their spelling",
        json!([{ "type": "tool-input-start", "toolCallId": "c1", "toolName": "now", "dynamic": true, "title": "Clock" }]),
        json!([{
            "type": "dynamic-tool", "toolName": "now", "toolCallId": "c1", "state": "input-streaming", "title": "Clock",
        }]),
    );
    check(
        "metadata of start and of the complete input",
        json!([
            { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add", "title": "Add",
              "providerMetadata": { "p": 1 } },
            { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": {},
              "providerExecuted": true, "providerMetadata": { "q": 2 } },
            { "type": "tool-output-available", "toolCallId": "c1", "output": 1 },
        ]),
        json!([call(
            "output-available",
            json!({
                "input": {}, "output": 1, "title": "Add", "providerExecuted": true,
                "callProviderMetadata": { "p": 1, "q": 2 },
            })
        )]),
    );
    check(
        "a call that begins with unusable input",
        json!([{ "type": "tool-input-error", "toolCallId": "c1", "toolName": "add", "input": "{", "errorText": "no JSON" }]),
        json!([call("output-error", json!({ "input": {}, "errorText": "no JSON" }))]),
    );
}

#[test]
fn preliminary_results_are_replaced_and_the_last_one_stays() {
    // TK-028
    let output = |output: u8, preliminary: Value| {
        let mut chunk = json!({ "type": "tool-output-available", "toolCallId": "c1", "output": output });
        chunk.as_object_mut().expect("a chunk").extend(preliminary.as_object().expect("fields").clone());
        chunk
    };
    let begin = json!({ "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": {} });
    let (ten, twenty) =
        (output(10, json!({ "preliminary": true })), output(20, json!({ "preliminary": true })));
    let last = output(30, json!({ "preliminary": false }));
    let rows = [
        (
            "preliminary",
            json!([begin, ten, twenty]),
            call("output-available", json!({ "input": {}, "output": 20, "preliminary": true })),
        ),
        (
            "final",
            json!([begin, ten, twenty, last]),
            call("output-available", json!({ "input": {}, "output": 30, "preliminary": false })),
        ),
        (
            "late",
            json!([begin, ten, last, twenty]),
            call("output-available", json!({ "input": {}, "output": 30, "preliminary": false })),
        ),
        (
            "failed after all",
            json!([begin, ten, { "type": "tool-output-error", "toolCallId": "c1", "errorText": "no" }]),
            call("output-error", json!({ "input": {}, "errorText": "no" })),
        ),
    ];
    for (story, chunks, expected) in rows {
        check(story, chunks, json!([expected]));
    }
}

/// The chunks that move a call, in the order of the columns below.
fn moves() -> [(&'static str, Value); 7] {
    [
        ("start", json!({ "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" })),
        (
            "input",
            json!({ "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": {} }),
        ),
        (
            "bad input",
            json!({ "type": "tool-input-error", "toolCallId": "c1", "toolName": "add", "errorText": "e" }),
        ),
        ("ask", json!({ "type": "tool-approval-request", "toolCallId": "c1", "approvalId": "q1" })),
        ("deny", json!({ "type": "tool-output-denied", "toolCallId": "c1" })),
        ("output", json!({ "type": "tool-output-available", "toolCallId": "c1", "output": 1 })),
        ("fail", json!({ "type": "tool-output-error", "toolCallId": "c1", "errorText": "e" })),
    ]
}

#[test]
fn every_chunk_against_every_state() {
    use ToolState::{
        ApprovalRequested as Asked, ApprovalResponded as Agreed, InputAvailable as Ready,
        InputStreaming as Writing, OutputAvailable as Answered, OutputDenied as Denied,
        OutputError as Failed,
    };
    //          start    input    bad input  ask     deny      output    fail
    let table = [
        (Writing, [Writing, Ready, Failed, Asked, Denied, Answered, Failed]),
        (Ready, [Ready, Ready, Failed, Asked, Denied, Answered, Failed]),
        (Asked, [Asked, Asked, Failed, Asked, Denied, Answered, Failed]),
        (Agreed, [Agreed, Agreed, Failed, Agreed, Agreed, Answered, Failed]),
        (Answered, [Answered; 7]),
        (Failed, [Failed; 7]),
        (Denied, [Denied; 7]),
    ];
    for (from, row) in table {
        for ((name, chunk), to) in moves().iter().zip(row) {
            let stored = json!([{ "type": "tool-add", "toolCallId": "c1", "state": from }]);
            let mut fold = Accumulator::continuing(&crate::fold::message(stored.clone()));
            let applied = feed(&mut fold, &json!([chunk]));
            let state = fold.parts[0].as_tool().map(|tool| tool.call.state);
            assert_eq!(state, Some(to), "{from:?} and {name}");
            let expected = if from == to { vec![Applied::Nothing] } else { vec![Applied::Changed(0)] };
            assert_eq!(applied, expected, "{from:?} and {name}");
            assert!(from != to || parts(&fold) == stored, "{from:?} and {name} must change nothing");
        }
    }
}

#[test]
fn questions_keep_their_name() {
    let asked = json!([
        { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": {} },
        { "type": "tool-approval-request", "toolCallId": "c1", "approvalId": "q1", "approvalDescriptor": { "risk": "high" } },
        { "type": "tool-approval-request", "toolCallId": "c1", "approvalId": "q2" },
    ]);
    let approval = json!({ "id": "q1", "descriptor": { "risk": "high" } });
    check(
        "asked twice",
        asked,
        json!([call("approval-requested", json!({ "input": {}, "approval": approval }))]),
    );
    check(
        "asked about nothing",
        json!([{ "type": "tool-approval-request", "toolCallId": "c9", "approvalId": "q" }]),
        json!([]),
    );
}

#[test]
fn arguments_can_be_read_while_they_are_written() {
    let mut fold = folded(&json!([
        { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" },
        { "type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{\"city\":\"Os" },
    ]));
    assert_eq!(fold.partial_input(&"c1".into()), Some("{\"city\":\"Os"));
    assert_eq!(fold.partial_value(&"c1".into()), Some(json!({ "city": "Os" })));
    assert_eq!(fold.partial_value(&"c2".into()), None);
    let rest = json!([
        { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": { "city": "Oslo" } },
        { "type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "late" },
    ]);
    assert_eq!(feed(&mut fold, &rest), [Applied::Changed(0), Applied::Nothing]);
    assert_eq!(fold.partial_input(&"c1".into()), None);
}

#[test]
fn beginnings_of_arguments_are_closed_or_cut() {
    let rows = [
        ("", None),
        ("{", Some(json!({}))),
        ("{\"a", Some(json!({}))),
        ("{\"a\":", Some(json!({}))),
        ("{\"a\":tr", Some(json!({}))),
        ("{\"a\":1", Some(json!({ "a": 1 }))),
        ("{\"a\":1,", Some(json!({ "a": 1 }))),
        ("{\"a\":1,\"b\":[1,2", Some(json!({ "a": 1, "b": [1, 2] }))),
        ("{\"a\":{\"b\":\"x}\"", Some(json!({ "a": { "b": "x}" } }))),
        ("{\"a\":\"x\\", Some(json!({ "a": "x" }))),
        ("{\"a\":\"x\\u00e", Some(json!({ "a": "x" }))),
        ("{\"a\":\"x\\u00e9", Some(json!({ "a": "xé" }))),
        ("{\"a\":\"\\\"", Some(json!({ "a": "\"" }))),
        ("{\"a\":1}", Some(json!({ "a": 1 }))),
        ("nonsense", None),
        ("]}", None),
    ];
    for (text, expected) in rows {
        let fold = folded(&json!([
            { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" },
            { "type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": text },
        ]));
        assert_eq!(fold.partial_value(&"c1".into()), expected, "{text:?}");
    }
}

#[test]
fn results_for_calls_of_earlier_messages_are_handed_on() {
    let chunks = json!([
        { "type": "tool-output-available", "toolCallId": "old", "output": 7 },
        { "type": "tool-output-error", "toolCallId": "old", "errorText": "no" },
    ]);
    let outcome = |outcome| Applied::CrossMessage(CrossMessage { tool_call_id: "old".into(), outcome });
    let mut fold = Accumulator::new(None);
    assert_eq!(feed(&mut fold, &chunks), [outcome(Ok(json!(7))), outcome(Err("no".to_owned()))]);
    assert_eq!(parts(&fold), json!([]));
}

#[test]
fn a_continuation_finishes_the_calls_it_was_seeded_with() {
    check_continuing(
        "the approved call runs first, then a new step",
        json!([call(
            "approval-responded",
            json!({ "input": { "x": 1 }, "approval": { "id": "q1", "approved": true } })
        )]),
        json!([
            { "type": "start", "messageId": "other" },
            { "type": "tool-output-available", "toolCallId": "c1", "output": "gone" },
            { "type": "start-step" },
            { "type": "text-delta", "id": "t", "delta": "Done." },
        ]),
        json!([
            call("output-available", json!({
                "input": { "x": 1 }, "output": "gone", "approval": { "id": "q1", "approved": true },
            })),
            { "type": "step-start" },
            { "type": "text", "text": "Done.", "state": "streaming" },
        ]),
    );
}
