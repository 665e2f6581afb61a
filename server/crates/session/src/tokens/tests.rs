//! Known values, and what must count that is easily forgotten.

use super::{estimate_message, estimate_messages, estimate_text, estimate_tools};
use protocol::{Message, ToolSpec};
use serde_json::{Value, json};

#[test]
fn texts_count_by_characters_or_words() {
    // K1, and the values of section 8.
    for (text, expected) in [
        ("", 0),
        ("Paris", 2),
        ("tea and cake", 4),
        (&"q".repeat(401), 101),
        ("a b c d e f g h i j", 13),
        ("   ", 1),
        (&"😀".repeat(20), 10),
        (r#"{"city":"Oslo","temp":4}"#, 6),
        ("naïve façade", 3),
        ("a\u{feff}b\u{2003}c", 4),
    ] {
        assert_eq!(estimate_text(text), expected, "{text:?}");
    }
}

#[test]
fn scripts_that_cost_more_count_more() {
    for (text, expected) in [
        ("日本語の文章", 6),
        ("안녕하세요", 5),
        ("漢字 and words", 5),
        ("Привет, мир", 5),
        ("שלום", 2),
        ("สวัสดี", 3),
        ("𠀀𠀁", 2),
    ] {
        assert_eq!(estimate_text(text), expected, "{text:?}");
    }
}

fn message(part: &Value) -> Message {
    testkit::message("m", "user", &json!([part]))
}

#[test]
fn messages_count_their_frame_and_every_part() {
    let data_url = |kind: &str, bytes: usize| format!("data:{kind};base64,{}", "A".repeat(bytes / 3 * 4));
    for (part, expected) in [
        (json!({"type": "text", "text": "Paris"}), 6),
        (json!({"type": "reasoning", "text": "Paris"}), 6),
        (json!({"type": "reasoning", "reasoning": "Paris"}), 6),
        (json!({"type": "step-start"}), 4),
        (json!({"type": "source-url", "sourceId": "s", "url": "https://example.org"}), 4),
        (json!({"type": "hologram", "text": "Paris"}), 6),
        (json!({"type": "hologram", "result": "Paris"}), 6),
        (json!({"type": "hologram"}), 4),
        (json!(7), 4),
        (json!({"type": "data-weather", "data": {"city": "Oslo", "temp": 4}}), 10),
        (json!({"type": "data-weather", "data": null}), 4),
        (json!({"type": "file", "mediaType": "image/png", "url": data_url("image/png", 99_999)}), 1_004),
        (json!({"type": "file", "mediaType": "text/plain", "url": data_url("text/plain", 300)}), 79),
        (json!({"type": "file", "mediaType": "text/plain", "url": "data:text/plain,12345"}), 6),
        (
            json!({"type": "file", "mediaType": "application/pdf", "url": data_url("application/pdf", 3_000)}),
            154,
        ),
        (json!({"type": "file", "mediaType": "application/pdf", "url": "https://example.org/a"}), 1_004),
    ] {
        assert_eq!(estimate_message(&message(&part)), expected, "{part}");
    }
}

#[test]
fn calls_count_input_result_and_error() {
    let input = json!({"city": "Oslo"});
    let call = |state: &str, more: Value| {
        let mut part = json!({"type": "tool-w", "toolCallId": "k", "state": state, "input": input});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message(&part)
    };
    let output = json!({"temp": 4, "sky": "clear"});
    for (sent, expected) in [
        (call("output-available", json!({"output": output})), 14),
        (call("output-available", json!({"result": output})), 14),
        (call("output-available", json!({"output": "Paris", "result": output})), 10),
        (call("output-available", json!({"output": null})), 8),
        (call("output-error", json!({"errorText": "tea and cake"})), 12),
        (call("input-available", json!({})), 8),
        (call("no-such-state", json!({"output": output, "errorText": "Paris"})), 16),
    ] {
        assert_eq!(estimate_message(&sent), expected, "{sent:?}");
        assert_eq!(estimate_messages(&[sent.clone(), sent]), 2 * expected);
    }
}

#[test]
fn tools_count_name_description_and_schema() {
    let tool = |description: Option<&str>, parameters| ToolSpec {
        name: "Paris".to_owned(),
        description: description.map(str::to_owned),
        parameters,
    };
    let bare = tool(None, None);
    let full = tool(Some("tea and cake"), Some(json!({"type": "object", "properties": {}})));
    // {"type":"object"} has 17 characters, the other schema 33.
    assert_eq!(estimate_tools(&[bare, full]), (4 + 2 + 5) + (4 + 2 + 4 + 9));
    assert_eq!(estimate_tools(&[]), 0);
}
