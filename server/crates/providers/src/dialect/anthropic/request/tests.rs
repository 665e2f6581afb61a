//! Rows: a request, the body it becomes.

use super::*;
use model::{AssistantContent, OutputSchema, Sampling, ToolOutput, ToolResultContent, UserContent};

fn body_of(request: &ModelRequest, quirks: &Quirks) -> Value {
    serde_json::from_str(&body(request, "claude-3-haiku-1", quirks)).expect("JSON")
}

fn title(messages: Vec<ModelMessage>) -> ModelRequest {
    // Not a turn, so nothing is marked.
    ModelRequest { purpose: Purpose::Title, messages, ..ModelRequest::default() }
}

fn messages_of(messages: Vec<ModelMessage>) -> Value {
    body_of(&title(messages), &Quirks::default())["messages"].take()
}

#[test]
fn the_smallest_request_is_complete_and_a_turn_is_marked_for_the_cache() {
    let request = title(vec![ModelMessage::user("hi")]);
    let mut expected = json!({ "model": "claude-3-haiku-1", "max_tokens": 4_096, "stream": true,
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }] });
    assert_eq!(body_of(&request, &Quirks::default()), expected);
    expected["messages"][0]["content"][0]["cache_control"] = json!({ "type": "ephemeral" });
    let turn = ModelRequest { purpose: Purpose::Chat, ..request };
    assert_eq!(body_of(&turn, &Quirks::default()), expected);
}

// G13
#[test]
fn numbers_are_passed_where_the_model_takes_them() {
    let numbers = |temperature, top_p, quirks: &[Quirk]| {
        let sampling = Sampling { temperature, top_p, max_output_tokens: Some(7), seed: Some(3) };
        let quirks = quirks.iter().fold(Quirks::default(), |all, quirk| all.with(*quirk));
        let body = body_of(&ModelRequest { sampling, ..title(vec![ModelMessage::user("hi")]) }, &quirks);
        ["temperature", "top_p", "max_tokens"].map(|name| body.get(name).and_then(Value::as_f64))
    };
    let rows: [(_, _, &[Quirk], _); 4] = [
        (Some(0.5), Some(0.9), &[], [Some(0.5), None, Some(7.0)]),
        (Some(2.0), None, &[], [Some(1.0), None, Some(7.0)]),
        (Some(0.5), Some(0.9), &[Quirk::NoTemperature], [None, Some(0.9), Some(7.0)]),
        (Some(0.5), Some(0.9), &[Quirk::NoTemperature, Quirk::NoTopP], [None, None, Some(7.0)]),
    ];
    for (temperature, top_p, quirks, expected) in rows {
        assert_eq!(numbers(temperature, top_p, quirks), expected, "{quirks:?}");
    }
}

#[test]
fn an_answer_gets_its_shape_where_the_model_takes_it() {
    let schema = json!({ "type": "object" });
    let output = Some(OutputSchema { name: "x".into(), schema: schema.clone() });
    let request = ModelRequest { output, ..title(vec![ModelMessage::user("hi")]) };
    let body = body_of(&request, &Quirks::default());
    assert_eq!(body["output_config"], json!({ "format": { "type": "json_schema", "schema": schema } }));
    assert_eq!(body.get("system"), None);
    let body = body_of(&request, &Quirks::default().with(Quirk::NoOutputSchema));
    assert_eq!(body.get("output_config"), None);
    let told = body["system"][0]["text"].as_str().unwrap();
    assert!(told.ends_with(&schema.to_string()), "{told}");
}

#[test]
fn choices_of_tools_have_their_words() {
    let rows = [
        (ToolChoice::Auto, json!({ "type": "auto" })),
        (ToolChoice::None, json!({ "type": "none" })),
        (ToolChoice::Required, json!({ "type": "any" })),
        (ToolChoice::Named("t".to_owned()), json!({ "type": "tool", "name": "t" })),
    ];
    for (choice, expected) in rows {
        assert_eq!(tool_choice(&choice), expected);
    }
}

#[test]
fn files_are_sent_told_or_named() {
    let file = |media_type: &str, url: &str| UserContent::File {
        media_type: media_type.to_owned(),
        url: url.to_owned(),
        filename: Some("f".to_owned()),
    };
    let rows = [
        (
            "image/png",
            "data:image/png;base64,AA==",
            json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AA==" } }),
        ),
        (
            "image/png",
            "https://a.example/p",
            json!({ "type": "image", "source": { "type": "url", "url": "https://a.example/p" } }),
        ),
        (
            "application/pdf",
            "data:application/pdf,%00",
            json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "AA==" } }),
        ),
        ("text/plain", "data:text/plain,a%20b", json!({ "type": "text", "text": "[File f]\n\na b" })),
        (
            "image/tiff",
            "data:image/tiff;base64,AA==",
            json!({ "type": "text", "text": "[File f, image/tiff; its content cannot be shown here]" }),
        ),
    ];
    for (media_type, url, expected) in rows {
        let sent = messages_of(vec![ModelMessage::User(vec![file(media_type, url)])]);
        assert_eq!(sent, json!([{ "role": "user", "content": [expected] }]), "{media_type}");
    }
}

/// Signed reasoning, a call with an id of another provider, and how it went.
fn called(output: ToolOutput) -> [ModelMessage; 2] {
    let signed = Some(json!({ "anthropic": { "signature": "s" } }));
    let foreign = AssistantContent::Reasoning { text: "x".to_owned(), provider_metadata: None };
    let thought = AssistantContent::Reasoning { text: "hm".to_owned(), provider_metadata: signed };
    let call = AssistantContent::ToolCall { id: "t.1:0".into(), name: "t".to_owned(), input: json!({}) };
    let result = ToolResultContent { id: "t.1:0".into(), name: "t".to_owned(), output };
    [ModelMessage::Assistant(vec![foreign, thought, call]), ModelMessage::Tool(vec![result])]
}

// G12
#[test]
fn reasoning_goes_back_in_its_turn_only_and_people_and_model_take_turns() {
    let [call, result] = called(ToolOutput::Denied(None));
    let going_on = messages_of(vec![ModelMessage::user("a"), call.clone(), result.clone()]);
    let over = messages_of(vec![ModelMessage::user("a"), call, result, ModelMessage::user("b")]);
    let text = |text: &str| json!({ "type": "text", "text": text });
    let used = json!({ "type": "tool_use", "id": "t_1_0", "name": "t", "input": {} });
    let found = json!({ "type": "tool_result", "tool_use_id": "t_1_0",
        "content": "The user refused this call.", "is_error": true });
    let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let turn = |role: &str, content: &[&Value]| json!({ "role": role, "content": content });
    let asked = turn("user", &[&text("a")]);
    assert_eq!(going_on, json!([asked, turn("assistant", &[&thought, &used]), turn("user", &[&found])]));
    assert_eq!(over, json!([asked, turn("assistant", &[&used]), turn("user", &[&found, &text("b")])]));
}

#[test]
fn nothing_empty_is_sent() {
    let silent = ModelMessage::Assistant(vec![AssistantContent::Text(" \n".to_owned())]);
    let nothing = json!([{ "role": "user", "content": [{ "type": "text", "text": "(empty message)" }] }]);
    assert_eq!(messages_of(vec![ModelMessage::user(" "), silent]), nothing);
}
