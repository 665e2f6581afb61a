//! What is cut, what stays, and that every result fits.

use super::{
    DEPTH_MAX, Truncation, length, size, truncate_older_messages, truncate_older_steps, truncate_tool_output,
};
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::Message;
use serde_json::{Value, json};
use testkit::{assistant, user};

/// Six messages, two of them long.
fn six() -> Vec<Message> {
    let long = [user("m0", &"A".repeat(10_001)), assistant("m1", "b"), user("m2", &"B".repeat(20_000))];
    long.into_iter().chain(["m3", "m4", "m5"].map(|id| user(id, id))).collect()
}

#[test]
fn old_texts_are_cut_and_the_last_four_messages_stay() {
    // R1
    let mut expected = six();
    expected[0] = user("m0", &format!("{}... [truncated 10001 chars]", "A".repeat(10_000)));
    assert_eq!(truncate_older_messages(six(), Truncation::default()), expected);
    let four = six().split_off(2);
    assert_eq!(truncate_older_messages(four.clone(), Truncation::default()), four);
}

#[test]
fn only_texts_and_results_are_cut_and_summaries_never() {
    let long = "x".repeat(20_000);
    let old: Message = serde_json::from_value(json!({"id": "m", "role": "assistant", "parts": [
        {"type": "reasoning", "text": long},
        {"type": "tool-t", "toolCallId": "k", "state": "output-available", "input": {"a": long}, "output": long},
        {"type": "data-d", "data": long},
    ]}))
    .unwrap();
    let summary = assistant("compaction_1", &long);
    let sent = [vec![summary.clone(), old.clone()], six().split_off(3)].concat();
    let limits = Truncation { keep_recent: 3, ..Truncation::default() };
    let mut expected = old;
    let output = format!("{}... [truncated 20000 chars]", "x".repeat(500 - 27));
    expected.parts[1].as_tool_mut().unwrap().call.output = Some(json!(output));
    assert_eq!(truncate_older_messages(sent, limits)[..2], [summary, expected]);
}

#[test]
fn older_steps_of_a_running_turn_keep_their_calls_with_short_results() {
    // D04
    let step = |n: usize, output: &str| {
        let call = json!({"type": "tool-t", "toolCallId": format!("k{n}"), "state": "output-available",
            "input": {"n": n}, "output": output});
        [json!({"type": "step-start"}), call, json!({"type": "text", "text": "x".repeat(600)})]
    };
    let message =
        |steps: Vec<[Value; 3]>| -> Message { testkit::message("m", "assistant", &json!(steps.concat())) };
    let long = "o".repeat(600);
    let short = format!("{}... [truncated 600 chars]", "o".repeat(500 - 25));
    let sent = message((0..5).map(|n| step(n, &long)).collect());
    for (keep, cut) in [(2, 3), (0, 5), (5, 0), (9, 0)] {
        let mut message_now = sent.clone();
        truncate_older_steps(&mut message_now, keep, 500);
        let expected = (0..5).map(|n| step(n, if n < cut { &short } else { &long })).collect();
        assert_eq!(message_now, message(expected), "{keep}");
    }
}

#[test]
fn results_keep_their_shape() {
    // R3, and the values of section 15 as far as ours does not better them.
    let marker = |chars: usize| json!({"__truncated": true, "__truncatedChars": chars});
    let keys: Value = (0..200).map(|i| (format!("k{i}"), json!(i))).collect::<serde_json::Map<_, _>>().into();
    let log = truncate_tool_output(&json!({"log": "L".repeat(1_200), "exit": 0}), 300);
    assert_eq!(log["exit"], 0);
    assert!(log["log"].as_str().unwrap().ends_with("... [truncated 1200 chars]"), "{log}");
    assert!(log.to_string().len() <= 300);
    for (output, max, expected) in [
        (json!("short"), 500, json!("short")),
        (json!("x".repeat(500)), 500, json!("x".repeat(500))),
        (json!("x".repeat(600)), 500, json!(format!("{}... [truncated 600 chars]", "x".repeat(475)))),
        (json!("x".repeat(600)), 8, json!("... [tru")),
        (json!("😀".repeat(30)), 30, json!(format!("{}... [truncated 60 chars]", "😀".repeat(3)))),
        (json!(123_456), 2, json!(123_456)),
        (keys.clone(), 60, marker(keys.to_string().len())),
        (json!([["x".repeat(90)]]), 20, json!([marker(96)])),
        (
            json!({"a": ["x".repeat(300), 1]}),
            130,
            json!({"a": [format!("{}... [truncated 300 chars]", "x".repeat(55)), 1]}),
        ),
    ] {
        assert_eq!(truncate_tool_output(&output, max), expected, "{output} {max}");
    }
    let with_note = truncate_tool_output(&keys, 500);
    assert_eq!(with_note["__truncatedChars"], keys.to_string().len());
    assert!(with_note["note"].is_string());
}

#[test]
fn lists_keep_their_first_items_and_say_how_many_are_missing() {
    let numbers: Vec<usize> = (0..1_000).collect();
    let output = truncate_tool_output(&json!(numbers), 100);
    let items = output.as_array().unwrap();
    let kept = items.len() - 1;
    assert!(kept > 10, "{output}");
    assert_eq!(items[..kept], (0..kept).map(Value::from).collect::<Vec<_>>());
    assert_eq!(items[kept], format!("... [truncated {} of 1000 items, 3891 chars]", 1_000 - kept));
    assert!(output.to_string().len() <= 100);
}

#[test]
fn texts_that_are_cut_twice_say_their_first_length() {
    let value: Value =
        (0..6).map(|i| (format!("k{i}"), json!("y".repeat(900)))).collect::<serde_json::Map<_, _>>().into();
    let output = truncate_tool_output(&value, 400);
    assert_eq!(output.as_object().unwrap().len(), 6);
    for text in output.as_object().unwrap().values() {
        assert!(text.as_str().unwrap().ends_with("[truncated 900 chars]"), "{output}");
    }
}

#[test]
fn what_is_nested_too_deeply_becomes_a_note() {
    let deep = (0..=DEPTH_MAX).fold(json!("z".repeat(200)), |inner, _| json!({ "a": inner }));
    let output = truncate_tool_output(&deep, 150);
    let bottom = (0..DEPTH_MAX).fold(&output, |value, _| &value["a"]);
    assert_eq!(*bottom, json!("[truncated 208 chars]"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        (0..400_usize, prop_oneof![Just("x"), Just("é\n"), Just("😀"), Just("\"")])
            .prop_map(|(n, text)| text.repeat(n).into()),
    ];
    leaf.prop_recursive(10, 80, 12, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..12).prop_map(Value::from),
            vec(("[a-z]{1,5}", inner), 0..12).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_result_fits_and_keeps_its_kind(value in any_value(), max in 60..2_000_usize) {
        let output = truncate_tool_output(&value, max);
        let is_number = value.is_number();
        prop_assert!(is_number || size(&output) <= max, "{} > {max}: {output}", size(&output));
        prop_assert_eq!(std::mem::discriminant(&output), std::mem::discriminant(&value));
        if size(&value) <= max {
            prop_assert_eq!(output, value);
        }
    }

    #[test]
    fn heads_never_split_a_character(text in "\\PC{0,40}", max in 0..50_usize) {
        let head = super::head(&text, max);
        prop_assert!(text.starts_with(head) && length(head) <= max);
        prop_assert!(head.len() == text.len() || length(head) + 2 > max);
    }
}
