//! Servers that refuse a part of the dialect: one extra request teaches it, and it is remembered.

use crate::fixture::{Fixture, Reply, ask, hello, hello_events, options, registry};
use model::{
    AssistantContent, ErrorClass, ModelError, ModelMessage, ModelRequest, OutputSchema, Sampling, ToolOutput,
    ToolResultContent,
};
use protocol::ToolSpec;
use providers::{ProviderConfig, ReasoningReplay};
use serde_json::{Value, json};

fn refusal(message: &str) -> Reply {
    Reply::json(400, &json!({ "error": { "message": message, "type": "invalid_request_error" } }))
}

/// Asks twice, where the first request is refused once, and gives what stood at `pointer` in each request.
async fn learn(refusal: Reply, replay: ReasoningReplay, pointer: &str) -> Vec<Option<Value>> {
    let fixture = Fixture::start([refusal, hello(), hello()]).await;
    let config = ProviderConfig { reasoning: replay, ..fixture.config() };
    let registry = registry(config, &options());
    for _ in 0..2 {
        let model = registry.model("acme/m-1").expect("acme is configured");
        assert_eq!(ask(&model, request()).await, hello_events());
    }
    fixture.seen().iter().map(|seen| seen.body.pointer(pointer).cloned()).collect()
}

/// A request with everything that some server refuses.
fn request() -> ModelRequest {
    let thought = AssistantContent::Reasoning { text: "hm".into(), provider_metadata: None };
    let call = AssistantContent::ToolCall { id: "c".into(), name: "t".into(), input: json!({}) };
    let result = ToolResultContent { id: "c".into(), name: "t".into(), output: ToolOutput::Value(json!(1)) };
    ModelRequest {
        messages: vec![ModelMessage::Assistant(vec![thought, call]), ModelMessage::Tool(vec![result])],
        tools: vec![ToolSpec { name: "t".into(), description: None, parameters: None }],
        sampling: Sampling {
            temperature: Some(0.5),
            top_p: Some(0.75),
            max_output_tokens: Some(5),
            seed: Some(3),
        },
        output: Some(OutputSchema { name: "x".into(), schema: json!({ "type": "object" }) }),
        ..ModelRequest::default()
    }
}

// G13
#[tokio::test]
async fn usage_is_asked_for_until_it_is_refused() {
    let option = Some(json!({ "include_usage": true }));
    let refused = refusal("Unrecognized request argument supplied: stream_options");
    assert_eq!(learn(refused, ReasoningReplay::Never, "/stream_options").await, [option, None, None]);
    let strict = Reply::json(
        422,
        &json!({ "detail": [{ "loc": ["body", "stream_options"], "type": "extra_forbidden" }] }),
    );
    let option = Some(json!({ "include_usage": true }));
    assert_eq!(learn(strict, ReasoningReplay::Never, "/stream_options").await, [option, None, None]);
}

// G13
#[tokio::test]
async fn numbers_are_sent_until_they_are_refused() {
    let rows = [
        (
            "Unsupported value: 'temperature' does not support 0.5 with this model.",
            "/temperature",
            json!(0.5),
        ),
        ("`temperature` is deprecated for this model.", "/temperature", json!(0.5)),
        ("Extra inputs are not permitted: top_p", "/top_p", json!(0.75)),
        ("Unknown name max_tokens", "/max_tokens", json!(5)),
    ];
    for (words, place, sent) in rows {
        let seen = learn(refusal(words), ReasoningReplay::Never, place).await;
        assert_eq!(seen, [Some(sent), None, None], "{words}");
    }
}

// G13
#[tokio::test]
async fn a_number_out_of_its_range_is_the_persons_to_correct() {
    let fixture = Fixture::start([refusal("temperature must be between 0 and 0.4")]).await;
    let items = ask(&fixture.model(), request()).await;
    let text = "acme rejected the request (400): temperature must be between 0 and 0.4";
    assert_eq!(items, [Err(ModelError::new(ErrorClass::BadRequest, text))]);
    assert_eq!(fixture.seen().len(), 1);
}

// G12
#[tokio::test]
async fn reasoning_goes_back_only_where_the_provider_wants_it() {
    let hm = || Some(json!("hm"));
    let place = "/messages/0/reasoning_content";
    let missing = || refusal("thinking is enabled but reasoning_content is missing in message 0");
    let unwanted = || refusal("messages.0: unknown field reasoning_content");
    assert_eq!(learn(missing(), ReasoningReplay::Never, place).await, [None, hm(), hm()]);
    assert_eq!(learn(unwanted(), ReasoningReplay::WithToolCalls, place).await, [hm(), None, None]);
}

#[tokio::test]
async fn the_length_limit_has_two_names_and_some_models_have_no_tools() {
    let renamed =
        refusal("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.");
    let limits = learn(renamed, ReasoningReplay::Never, "/max_completion_tokens").await;
    assert_eq!(limits, [None, Some(json!(5)), Some(json!(5))]);
    let without = refusal("registry.ollama.ai/library/gemma does not support tools");
    let names = learn(without, ReasoningReplay::Never, "/tools/0/function/name").await;
    assert_eq!(names, [Some(json!("t")), None, None]);
}

#[tokio::test]
async fn a_shape_is_told_in_words_once_it_was_refused() {
    let rows = [
        "This response_format type is unavailable and not supported",
        "Cannot use custom grammar constraints with tools.",
    ];
    for words in rows {
        let kinds = learn(refusal(words), ReasoningReplay::Never, "/response_format/type").await;
        assert_eq!(kinds, [Some(json!("json_schema")), None, None], "{words}");
        let roles = learn(refusal(words), ReasoningReplay::Never, "/messages/0/role").await;
        assert_eq!(roles, ["assistant", "system", "system"].map(|role| Some(json!(role))), "{words}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let contrary = || refusal("reasoning_content, stream_options");
    let fixture = Fixture::start((0..10).map(|_| contrary())).await;
    let items = ask(&fixture.model(), request()).await;
    let text = "acme rejected the request (400): reasoning_content, stream_options";
    let error = model::ModelError::new(model::ErrorClass::BadRequest, text);
    assert_eq!((items, fixture.seen().len()), (vec![Err(error)], 4));
    fixture.then((0..0).map(|_| contrary()));
    let first = fixture.seen().into_iter().next().map(|seen| seen.body);
    let again = ask(&fixture.model(), request()).await.len();
    let second = fixture.seen().get(4).map(|seen| seen.body.clone());
    assert_eq!((again, second), (1, first), "nothing is remembered that did not help");
}

// A schema that is refused says nothing of another one, and is not sent in vain again.
#[tokio::test]
async fn a_shape_that_is_refused_is_remembered_and_another_one_is_sent_strictly() {
    let refused =
        || refusal("Invalid schema for response_format 'x': In context=(), 'format' is not permitted.");
    let fixture = Fixture::start([refused(), refused(), hello(), hello(), hello(), hello()]).await;
    let request = |schema: &Value| ModelRequest {
        output: Some(OutputSchema { name: "x".into(), schema: schema.clone() }),
        ..ModelRequest::default()
    };
    let registry = registry(fixture.config(), &options());
    let model = registry.model("acme/m-1").expect("acme is configured");
    let odd = json!({ "type": "object", "additionalProperties": false });
    let plain = json!({ "type": "object", "additionalProperties": false, "required": [] });
    for schema in [&odd, &odd, &plain, &odd] {
        assert_eq!(ask(&model, request(schema)).await, hello_events());
    }
    let strict =
        |seen: &crate::fixture::Seen| seen.body.pointer("/response_format/json_schema/strict").cloned();
    let sent: Vec<_> = fixture.seen().iter().map(strict).collect();
    assert_eq!(sent, [Some(json!(true)), Some(json!(false)), None, None, Some(json!(true)), None]);
}
