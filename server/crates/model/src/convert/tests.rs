//! Rows: what stands in the session, what the model reads.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Messages as JSON, so that rows read like the store.
fn messages(list: &Value) -> Vec<Message> {
    serde_json::from_value(list.clone()).expect("a list of messages")
}

fn user(texts: &[&str]) -> ModelMessage {
    ModelMessage::User(texts.iter().map(|text| UserContent::Text((*text).to_owned())).collect())
}

fn text(text: &str) -> AssistantContent {
    AssistantContent::Text(text.to_owned())
}

fn call(id: &str, name: &str, input: Value) -> AssistantContent {
    AssistantContent::ToolCall { id: id.into(), name: name.to_owned(), input }
}

fn result(id: &str, name: &str, output: ToolOutput) -> ToolResultContent {
    ToolResultContent { id: id.into(), name: name.to_owned(), output }
}

#[track_caller]
fn check(stored: &Value, expected: &[ModelMessage]) {
    assert_eq!(to_model_messages(&messages(stored)), expected);
}

#[test]
fn people_say_texts_and_files() {
    check(
        &json!([{"id": "u", "role": "user", "parts": [
            {"type": "text", "text": "look"},
            {"type": "text", "text": "  \n"},
            {"type": "data-note", "data": 1},
            {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA==", "filename": "a.png"},
            {"type": "what-is-this", "x": 1}
        ]}]),
        &[ModelMessage::User(vec![
            UserContent::Text("look".into()),
            UserContent::File {
                media_type: "image/png".into(),
                url: "data:image/png;base64,AA==".into(),
                filename: Some("a.png".into()),
            },
        ])],
    );
}

#[test]
fn system_messages_become_user_text_and_unknown_roles_are_left_out() {
    check(
        &json!([
            {"id": "s", "role": "system", "parts": [{"type": "text", "text": "be brief"}]},
            {"id": "x", "role": "critic", "parts": [{"type": "text", "text": "bad"}]},
            {"id": "e", "role": "user", "parts": []},
            {"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
        ]),
        &[user(&["be brief"]), user(&["hi"])],
    );
}

#[test]
fn an_answer_is_split_at_its_steps() {
    check(
        &json!([{"id": "a", "role": "assistant", "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "think", "providerMetadata": {"p": {"sig": "s"}}},
            {"type": "text", "text": "I add."},
            {"type": "tool-add", "toolCallId": "c1", "state": "output-available", "input": {"a": 1}, "output": {"sum": 1}},
            {"type": "dynamic-tool", "toolName": "now", "toolCallId": "c2", "state": "output-error", "errorText": "no clock"},
            {"type": "step-start"},
            {"type": "source-url", "sourceId": "s", "url": "https://example.com"},
            {"type": "text", "text": "Done."}
        ]}]),
        &[
            ModelMessage::Assistant(vec![
                AssistantContent::Reasoning {
                    text: "think".into(),
                    provider_metadata: Some(json!({"p": {"sig": "s"}})),
                },
                text("I add."),
                call("c1", "add", json!({"a": 1})),
                call("c2", "now", json!({})),
            ]),
            ModelMessage::Tool(vec![
                result("c1", "add", ToolOutput::Value(json!({"sum": 1}))),
                result("c2", "now", ToolOutput::Error("no clock".into())),
            ]),
            ModelMessage::Assistant(vec![text("Done.")]),
        ],
    );
}

#[test]
fn every_state_of_a_call_has_a_result_or_no_call() {
    let interrupted = || Some(ToolOutput::Error(INTERRUPTED.into()));
    let cases = [
        ("input-streaming", json!({}), None),
        ("input-available", json!({}), interrupted()),
        ("approval-requested", json!({"approval": {"id": "q"}}), interrupted()),
        (
            "approval-responded",
            json!({"approval": {"id": "q", "approved": true}}),
            Some(ToolOutput::Value(json!(APPROVED))),
        ),
        (
            "approval-responded",
            json!({"approval": {"id": "q", "approved": false, "reason": "risky"}}),
            Some(ToolOutput::Denied(Some("risky".into()))),
        ),
        ("output-available", json!({"output": [1]}), Some(ToolOutput::Value(json!([1])))),
        ("output-available", json!({}), Some(ToolOutput::Value(Value::Null))),
        ("output-error", json!({}), Some(ToolOutput::Error("The tool failed.".into()))),
        (
            "output-denied",
            json!({"approval": {"id": "q", "approved": false}}),
            Some(ToolOutput::Denied(None)),
        ),
    ];
    for (state, fields, output) in cases {
        let mut part = json!({"type": "tool-t", "toolCallId": "c", "state": state, "input": {"x": 1}});
        part.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let expected = output.map_or_else(Vec::new, |output| {
            vec![
                ModelMessage::Assistant(vec![call("c", "t", json!({"x": 1}))]),
                ModelMessage::Tool(vec![result("c", "t", output)]),
            ]
        });
        check(&json!([{"id": "a", "role": "assistant", "parts": [part]}]), &expected);
    }
}

// G10: whatever a model wrote as arguments, the history it reads holds an object.
#[test]
fn arguments_are_always_objects() {
    let cases = [
        (json!("{\"a\": "), json!({})),
        (json!("{\"a\": 1}"), json!({"a": 1})),
        (json!([1]), json!({})),
        (Value::Null, json!({})),
    ];
    for (input, expected) in cases {
        let part = json!({"type": "tool-t", "toolCallId": "c", "state": "output-error", "input": input, "errorText": "e"});
        check(
            &json!([{"id": "a", "role": "assistant", "parts": [part]}]),
            &[
                ModelMessage::Assistant(vec![call("c", "t", expected)]),
                ModelMessage::Tool(vec![result("c", "t", ToolOutput::Error("e".into()))]),
            ],
        );
    }
}

// D06: with the head, the tail or nothing beside it, a summary leaves a list whose roles alternate.
#[test]
fn a_summary_joins_the_people_beside_it() {
    let summary =
        || json!({"id": "compaction_1", "role": "assistant", "parts": [{"type": "text", "text": "S"}]});
    let said =
        |id: &str, role: &str| json!({"id": id, "role": role, "parts": [{"type": "text", "text": id}]});
    let headed = format!("{SUMMARY_HEADING}\n\nS");
    check(
        &json!([said("u1", "user"), summary(), said("u2", "user"), said("u3", "user")]),
        &[user(&["u1", &headed, "u2"]), user(&["u3"])],
    );
    check(
        &json!([summary(), said("a1", "assistant"), said("u1", "user")]),
        &[user(&[&headed]), ModelMessage::Assistant(vec![text("a1")]), user(&["u1"])],
    );
}

#[test]
fn pruning_keeps_the_calls_of_the_last_two_messages() {
    let answer = |id: &str| {
        [
            ModelMessage::Assistant(vec![text(id), call(id, "t", json!({}))]),
            ModelMessage::Tool(vec![result(id, "t", ToolOutput::Value(json!(1)))]),
        ]
    };
    let [said_1, done_1] = answer("c1");
    let [said_2, done_2] = answer("c2");
    let thought = AssistantContent::Reasoning { text: "r".into(), provider_metadata: None };
    let only_call = ModelMessage::Assistant(vec![thought, call("c0", "t", json!({}))]);
    let list = vec![user(&["q"]), only_call, said_1.clone(), done_1, said_2.clone(), done_2.clone()];
    let expected = vec![user(&["q"]), ModelMessage::Assistant(vec![text("c1")]), said_2, done_2];
    assert_eq!(prune_tool_calls(list), expected);
    assert_eq!(prune_tool_calls(vec![said_1.clone()]), vec![said_1], "a short list is all tail");
}

#[test]
fn both_ends_can_be_made_the_users() {
    let mut list = vec![ModelMessage::Assistant(vec![text("a")])];
    nudge_after_assistant(&mut list);
    open_with_user(&mut list);
    let expected = vec![user(&[OPENING]), ModelMessage::Assistant(vec![text("a")]), user(&[NUDGE])];
    assert_eq!(list, expected);
    nudge_after_assistant(&mut list);
    open_with_user(&mut list);
    assert_eq!(list, expected, "nothing is added twice");
}

fn any_part() -> impl Strategy<Value = Value> {
    let state = prop_oneof![
        Just("input-streaming"),
        Just("input-available"),
        Just("approval-requested"),
        Just("approval-responded"),
        Just("output-available"),
        Just("output-error"),
        Just("output-denied"),
    ];
    prop_oneof![
        Just(json!({"type": "step-start"})),
        "[a-z ]{0,3}".prop_map(|text| json!({"type": "text", "text": text})),
        "[a-z ]{0,3}".prop_map(|text| json!({"type": "reasoning", "text": text})),
        ("[a-d]", state).prop_map(|(id, state)| json!({"type": "tool-t", "toolCallId": id, "state": state})),
    ]
}

proptest! {
    #[test]
    fn calls_and_results_always_come_in_pairs(
        list in prop::collection::vec((prop::sample::select(&["user", "assistant"][..]),
            prop::collection::vec(any_part(), 0..6)), 0..6),
        is_pruned in any::<bool>(),
    ) {
        let stored: Vec<Value> = list.into_iter().enumerate()
            .map(|(i, (role, parts))| json!({"id": format!("m{i}"), "role": role, "parts": parts})).collect();
        let mut converted = to_model_messages(&messages(&json!(stored)));
        if is_pruned {
            converted = prune_tool_calls(converted);
        }
        let mut owed: Vec<ToolCallId> = Vec::new();
        for message in &converted {
            let ids: Vec<_> = message.tool_call_ids().cloned().collect();
            match message {
                ModelMessage::Tool(_) => prop_assert_eq!(&std::mem::take(&mut owed), &ids),
                ModelMessage::User(content) => prop_assert!(!content.is_empty() && owed.is_empty()),
                ModelMessage::Assistant(content) => {
                    prop_assert!(!content.is_empty() && owed.is_empty());
                    owed = ids;
                }
            }
        }
        prop_assert!(owed.is_empty());
    }
}
