//! Rows: a request, the quirks of a server, the body it gets.

use super::*;
use model::{OutputSchema, Sampling, ToolOutput};

#[track_caller]
fn check(request: &ModelRequest, quirks: &Quirks, expected: &Value) {
    let body: Value = serde_json::from_str(&body(request, "m-1", quirks)).expect("JSON");
    assert_eq!(&body, expected);
}

/// The `messages` of a body.
fn messages_of(messages: Vec<ModelMessage>, quirks: &Quirks) -> Value {
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let mut body: Value = serde_json::from_str(&body(&request, "m-1", quirks)).expect("JSON");
    body["messages"].take()
}

fn answered(text: &str) -> ModelMessage {
    ModelMessage::Assistant(vec![AssistantContent::Text(text.to_owned())])
}

/// Reasoning, a call of `t` and its result.
fn called() -> [ModelMessage; 2] {
    let thought = AssistantContent::Reasoning { text: "hm".into(), provider_metadata: None };
    let call = AssistantContent::ToolCall { id: "c1".into(), name: "t".into(), input: json!({"a": 1}) };
    let result =
        ToolResultContent { id: "c1".into(), name: "t".into(), output: ToolOutput::Value(json!({"b": 2})) };
    [ModelMessage::Assistant(vec![thought, call]), ModelMessage::Tool(vec![result])]
}

#[test]
fn the_smallest_request_asks_for_a_stream_and_its_usage() {
    let request = ModelRequest { messages: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
    let expected = json!({
        "model": "m-1",
        "messages": [{ "role": "user", "content": "hi" }],
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    check(&request, &Quirks::default(), &expected);
}

#[test]
fn an_answer_gets_its_shape_where_the_server_takes_it() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let output = Some(OutputSchema { name: "count".into(), schema: schema.clone() });
    let request =
        ModelRequest { messages: vec![ModelMessage::user("hi")], output, ..ModelRequest::default() };
    let mut expected = json!({ "model": "m-1", "messages": [{ "role": "user", "content": "hi" }], "stream": true,
        "stream_options": { "include_usage": true }, "response_format": { "type": "json_schema",
        "json_schema": { "name": "count", "schema": schema, "strict": false } } });
    check(&request, &Quirks::default(), &expected);
    let _shape = expected.as_object_mut().unwrap().remove("response_format");
    let told = format!(
        "Answer with one JSON document that fits this JSON schema. Write nothing before or after it, and no code \
         fence.\n\n{schema}"
    );
    expected["messages"] =
        json!([{ "role": "system", "content": told }, { "role": "user", "content": "hi" }]);
    check(&request, &Quirks::default().with(Quirk::NoOutputSchema), &expected);
}

#[test]
fn everything_has_its_place() {
    let tool = |name: &str, description: Option<&str>, parameters: Option<Value>| ToolSpec {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        parameters,
    };
    let request = ModelRequest {
        system: Some("Be kind.".into()),
        messages: vec![ModelMessage::user("hi")],
        tools: vec![
            tool("t", Some("does t"), Some(json!({"type": "object", "x": 1}))),
            tool("u", None, None),
        ],
        tool_choice: ToolChoice::Required,
        sampling: Sampling {
            temperature: Some(0.5),
            top_p: Some(0.9),
            max_output_tokens: Some(7),
            seed: Some(3),
        },
        ..ModelRequest::default()
    };
    let mut expected = json!({
        "model": "m-1",
        "messages": [{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "hi" }],
        "stream": true,
        "stream_options": { "include_usage": true },
        "tools": [
            { "type": "function",
              "function": { "name": "t", "description": "does t", "parameters": {"type": "object", "x": 1} } },
            { "type": "function", "function": { "name": "u", "parameters": {"type": "object"} } },
        ],
        "tool_choice": "required",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
    });
    check(&request, &Quirks::default(), &expected);

    let odd = [Quirk::NoUsageOption, Quirk::CompletionTokens, Quirk::NoTools];
    let odd = odd.into_iter().fold(Quirks::default(), Quirks::with);
    let fields = expected.as_object_mut().expect("an object");
    for refused in ["stream_options", "max_tokens", "tools", "tool_choice"] {
        assert!(fields.remove(refused).is_some());
    }
    let _none = fields.insert("max_completion_tokens".into(), json!(7));
    check(&request, &odd, &expected);
}

#[test]
fn a_choice_of_tools_is_said_only_where_there_is_one() {
    let choices = [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Named("t".into()), json!({ "type": "function", "function": { "name": "t" } })),
    ];
    for (tool_choice, expected) in choices {
        let spec = ToolSpec { name: "t".into(), description: None, parameters: None };
        let with = ModelRequest { tools: vec![spec], tool_choice, ..ModelRequest::default() };
        let without = ModelRequest { tools: vec![], ..with.clone() };
        for (request, expected) in [(with, expected), (without, Value::Null)] {
            let text = body(&request, "m", &Quirks::default());
            let body: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(body["tool_choice"], expected);
        }
    }
}

// G12
#[test]
fn reasoning_goes_back_where_the_provider_wants_it() {
    let mut expected = json!([
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "t", "arguments": "{\"a\":1}" } }] },
        { "role": "tool", "tool_call_id": "c1", "content": "{\"b\":2}" },
    ]);
    assert_eq!(messages_of(called().to_vec(), &Quirks::default()), expected);
    expected[0]["reasoning_content"] = json!("hm");
    assert_eq!(messages_of(called().to_vec(), &Quirks::default().with(Quirk::EchoReasoning)), expected);
}

#[test]
fn a_message_of_reasoning_alone_is_left_out() {
    let thought = AssistantContent::Reasoning { text: "hm".into(), provider_metadata: None };
    let list = vec![ModelMessage::user("a"), ModelMessage::Assistant(vec![thought]), ModelMessage::user("b")];
    let expected = json!([{ "role": "user", "content": "a" }, { "role": "user", "content": "b" }]);
    assert_eq!(messages_of(list, &Quirks::default()), expected);
}

#[test]
fn roles_take_turns_where_the_server_insists() {
    let [call, result] = called();
    let picture =
        UserContent::File { media_type: "image/png".into(), url: "http://x/y".into(), filename: None };
    let list = vec![
        ModelMessage::user("a"),
        ModelMessage::user("b"),
        answered("c"),
        answered("d"),
        call,
        result,
        ModelMessage::user("e"),
        ModelMessage::User(vec![picture]),
    ];
    let expected = json!([
        { "role": "user", "content": "a\n\nb" },
        { "role": "assistant", "content": "c\n\nd" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "t", "arguments": "{\"a\":1}" } }] },
        { "role": "tool", "tool_call_id": "c1", "content": "{\"b\":2}" },
        { "role": "user", "content": [
            { "type": "text", "text": "e" },
            { "type": "image_url", "image_url": { "url": "http://x/y" } }] },
    ]);
    assert_eq!(messages_of(list, &Quirks::default().with(Quirk::AlternatingRoles)), expected);
}

#[test]
fn files_travel_as_what_they_are() {
    let rows = [
        (
            "image/png",
            "data:image/png;base64,AA==",
            json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } }),
        ),
        (
            "audio/mpeg",
            "data:audio/mpeg;base64,AA==",
            json!({ "type": "input_audio", "input_audio": { "data": "AA==", "format": "mp3" } }),
        ),
        (
            "application/pdf",
            "data:application/pdf;base64,AA==",
            json!({ "type": "file", "file": { "filename": "f", "file_data": "data:application/pdf;base64,AA==" } }),
        ),
        ("text/plain", "data:text/plain;base64,w6k=", json!("[File f]\n\né")),
        ("text/csv; charset=utf-8", "data:text/csv,a%2Cb%zz", json!("[File f]\n\na,b%zz")),
        ("application/json", "data:application/json,[]", json!("[File f]\n\n[]")),
        (
            "text/plain",
            "data:text/plain;base64,/w==",
            json!("[File f, text/plain; its content cannot be shown here]"),
        ),
        (
            "application/pdf",
            "https://x/f.pdf",
            json!("[File f, application/pdf at https://x/f.pdf; its content cannot be shown here]"),
        ),
        (
            "audio/ogg",
            "data:audio/ogg;base64,AA==",
            json!("[File f, audio/ogg; its content cannot be shown here]"),
        ),
    ];
    for (media_type, url, expected) in rows {
        let file =
            UserContent::File { media_type: media_type.into(), url: url.into(), filename: Some("f".into()) };
        let expected = if expected.is_string() { expected } else { json!([expected]) };
        let messages = messages_of(vec![ModelMessage::User(vec![file])], &Quirks::default());
        assert_eq!(messages[0]["content"], expected, "{media_type} {url}");
    }
}
