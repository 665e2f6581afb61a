//! The Anthropic dialect: every scenario, whole exchanges with both sides compared, and failures as they come.

use crate::conformance::WireBench;
use crate::fixture::{Fixture, KEY, Reply, ask, once, registry};
use model::contract::{REASONING, Report, SCENARIOS, Scenario, TEXT, calls, run};
use model::{
    AssistantContent, ErrorClass, FinishReason, LanguageModel, ModelEvent, ModelMessage, ModelRequest,
    ToolOutput, ToolResultContent,
};
use protocol::{ToolCallId, ToolSpec};
use providers::{Api, ProviderConfig};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What the API says to a question that needs a tool, as recorded, cut where the network likes.
const RECORDED: &str = include_str!("anthropic/tool_turn.sse");

fn event(reply: Reply, document: &Value) -> Reply {
    let name = document["type"].as_str().expect("every event has a type");
    reply.raw(format!("event: {name}\ndata: {document}\n\n"))
}

fn events(documents: &[Value]) -> Reply {
    documents.iter().fold(Reply::stream(), event)
}

fn start() -> Value {
    json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
        "content": [] } })
}

fn block(index: usize, begin: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({ "type": "content_block_start", "index": index, "content_block": begin })];
    let delta = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    events.extend(deltas.iter().map(delta));
    events.push(json!({ "type": "content_block_stop", "index": index }));
    events
}

fn text(index: usize) -> Vec<Value> {
    let (head, tail) = TEXT.split_at(4);
    let delta = |text| json!({ "type": "text_delta", "text": text });
    block(index, &json!({ "type": "text", "text": "" }), &[delta(head), delta(tail)])
}

fn call(index: usize) -> Vec<Value> {
    let (name, input) = &calls()[index];
    let input = input.to_string();
    let (head, tail) = input.split_at(5);
    let delta = |text| json!({ "type": "input_json_delta", "partial_json": text });
    let begin = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
    block(index, &begin, &[delta(""), delta(head), delta(tail)])
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
        json!({ "type": "message_stop" }),
    ]
}

fn whole(blocks: Vec<Value>, reason: &str) -> Reply {
    events(&[vec![start(), json!({ "type": "ping" })], blocks, stop(reason).to_vec()].concat())
}

fn cut(blocks: &[Value]) -> Reply {
    // Without the end of the block.
    events(&[vec![start()], blocks[..blocks.len() - 1].to_vec()].concat())
}

fn refusal(status: u16, kind: &str, message: &str) -> Reply {
    Reply::json(status, &json!({ "type": "error", "error": { "type": kind, "message": message } }))
}

fn spell(scenario: Scenario) -> Option<Reply> {
    Some(match scenario {
        Scenario::Text => whole(text(0), "end_turn"),
        Scenario::Reasoning => {
            let thought = json!({ "type": "thinking_delta", "thinking": REASONING });
            let signature = json!({ "type": "signature_delta", "signature": "c2ln" });
            let begin = json!({ "type": "thinking", "thinking": "", "signature": "" });
            whole([block(0, &begin, &[thought, signature]), text(1)].concat(), "end_turn")
        }
        Scenario::OneTool => whole(call(0), "tool_use"),
        Scenario::TwoTools => whole([call(0), call(1)].concat(), "tool_use"),
        // The API does not count reasoning on its own; its numbers are compared below.
        Scenario::Usage => return None,
        Scenario::Length => whole(text(0), "max_tokens"),
        Scenario::Filtered => whole(text(0), "refusal"),
        Scenario::CutOff => cut(&text(0)),
        Scenario::Cancel => cut(&text(0)).hold(),
        Scenario::Failure(class) => failure(class)?,
    })
}

fn failure(class: ErrorClass) -> Option<Reply> {
    Some(match class {
        ErrorClass::Connection => Reply::stream().cut(),
        ErrorClass::Timeout => Reply::stream().hold(),
        ErrorClass::RateLimited => refusal(429, "rate_limit_error", "m"),
        ErrorClass::Unavailable => refusal(529, "overloaded_error", "Overloaded"),
        ErrorClass::Auth => refusal(401, "authentication_error", "invalid x-api-key"),
        ErrorClass::UnknownModel => refusal(404, "not_found_error", "model: claude-0"),
        ErrorClass::ContextOverflow => {
            refusal(400, "invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum")
        }
        // It says so with a stop reason only.
        ErrorClass::Refused => return None,
        ErrorClass::BadRequest => refusal(400, "invalid_request_error", "messages: field required"),
        ErrorClass::Protocol => Reply::stream().raw("data: nonsense\n\n"),
    })
}

#[tokio::test]
async fn every_scenario_that_the_wire_can_spell_is_met() {
    let skipped = vec![Scenario::Usage, Scenario::Failure(ErrorClass::Refused)];
    let passed = SCENARIOS.into_iter().filter(|scenario| !skipped.contains(scenario)).collect();
    let report = run(&WireBench::new(Api::Anthropic, spell)).await;
    assert_eq!(report, Report { passed, skipped, failed: vec![] });
}

fn model(fixture: &Fixture) -> Arc<dyn LanguageModel> {
    let config = ProviderConfig { api: Api::Anthropic, ..fixture.config() };
    registry(config, &once()).model("acme/claude-sonnet-4-5").expect("acme is configured")
}

fn question() -> ModelMessage {
    ModelMessage::user("How warm is it in Ålesund?")
}

fn request(messages: Vec<ModelMessage>) -> ModelRequest {
    let schema = json!({ "type": "object", "properties": { "place": { "type": "string" } } });
    let description = Some("Tells the weather.".to_owned());
    let weather = ToolSpec { name: "weather".to_owned(), description, parameters: Some(schema) };
    ModelRequest {
        system: Some("Be brief.".to_owned()),
        messages,
        tools: vec![weather],
        ..ModelRequest::default()
    }
}

/// The call of the recording, as it goes back.
fn called() -> ModelMessage {
    ModelMessage::Assistant(vec![
        AssistantContent::Reasoning {
            text: "The weather tool knows. 木".to_owned(),
            provider_metadata: Some(json!({ "anthropic": { "signature": "EqQBCgIYAhIM" } })),
        },
        AssistantContent::Text("I will look.".to_owned()),
        AssistantContent::ToolCall {
            id: ToolCallId::from("toolu_01A"),
            name: "weather".to_owned(),
            input: json!({ "place": "Ålesund" }),
        },
    ])
}

fn recorded_events() -> Vec<ModelEvent> {
    let (text, thought) = (|| "text-1".to_owned(), || "reasoning-0".to_owned());
    let tool = || ToolCallId::from("toolu_01A");
    let input = |delta: &str| ModelEvent::ToolInputDelta { id: tool(), delta: delta.to_owned() };
    let reasoning = |delta: &str| ModelEvent::ReasoningDelta {
        id: thought(),
        delta: delta.to_owned(),
        provider_metadata: None,
    };
    vec![
        ModelEvent::ReasoningStart { id: thought(), provider_metadata: None },
        reasoning("The weather tool "),
        reasoning("knows. 木"),
        ModelEvent::ReasoningEnd {
            id: thought(),
            provider_metadata: Some(json!({ "anthropic": { "signature": "EqQBCgIYAhIM" } })),
        },
        ModelEvent::TextStart { id: text() },
        ModelEvent::TextDelta { id: text(), delta: "I will look.".to_owned() },
        ModelEvent::TextEnd { id: text() },
        ModelEvent::ToolInputStart { id: tool(), name: "weather".to_owned() },
        input("{\"place\": \"Åle"),
        input("sund\"}"),
        ModelEvent::ToolInputEnd {
            id: tool(),
            name: "weather".to_owned(),
            input: "{\"place\": \"Ålesund\"}".to_owned(),
        },
        ModelEvent::Usage(protocol::Usage {
            input_tokens: 21 + 188 + 3,
            output_tokens: 89,
            cached_tokens: Some(188),
            reasoning_tokens: None,
        }),
        ModelEvent::Finish { reason: FinishReason::ToolCalls },
    ]
}

// G03, G12
#[tokio::test]
async fn a_turn_with_a_tool_is_read_and_goes_back_with_its_signed_reasoning() {
    let recorded = Reply::stream().byte_by_byte(RECORDED.as_bytes());
    let fixture = Fixture::start([recorded, whole(text(0), "end_turn")]).await;
    let model = model(&fixture);
    let items = ask(&model, request(vec![question()])).await;
    assert_eq!(items, recorded_events().into_iter().map(Ok).collect::<Vec<_>>());

    let result = ToolResultContent {
        id: ToolCallId::from("toolu_01A"),
        name: "weather".to_owned(),
        output: ToolOutput::Value(json!({ "celsius": 9 })),
    };
    let _answer = ask(&model, request(vec![question(), called(), ModelMessage::Tool(vec![result])])).await;
    let seen = fixture.seen();
    let marked = json!({ "type": "ephemeral" });
    let common = |messages: Value| {
        json!({
            "model": "claude-sonnet-4-5", "max_tokens": 64_000, "stream": true, "messages": messages,
            "system": [{ "type": "text", "text": "Be brief.", "cache_control": marked }],
            "tools": [{ "name": "weather", "description": "Tells the weather.",
                "input_schema": { "type": "object", "properties": { "place": { "type": "string" } } } }],
            "tool_choice": { "type": "auto" },
        })
    };
    let asked = |mark: bool| {
        let mut block = json!({ "type": "text", "text": "How warm is it in Ålesund?" });
        if mark {
            block["cache_control"] = marked.clone();
        }
        json!({ "role": "user", "content": [block] })
    };
    assert_eq!(seen[0].body, common(json!([asked(true)])));
    let back = json!([
        asked(false),
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "The weather tool knows. 木", "signature": "EqQBCgIYAhIM" },
            { "type": "text", "text": "I will look." },
            { "type": "tool_use", "id": "toolu_01A", "name": "weather", "input": { "place": "Ålesund" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "toolu_01A", "content": "{\"celsius\":9}", "cache_control": marked },
        ] },
    ]);
    assert_eq!(seen[1].body, common(back));
    for seen in seen {
        let header =
            |name: &str| seen.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        assert_eq!(seen.path, "/v1/messages");
        assert_eq!(header("x-api-key").as_deref(), Some(KEY));
        assert_eq!(header("anthropic-version").as_deref(), Some("2023-06-01"));
        assert_eq!(header("authorization"), None);
    }
}

#[tokio::test]
async fn an_overload_in_the_middle_is_told_after_what_came() {
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let fixture = Fixture::start([event(cut(&text(0)), &error)]).await;
    let items = ask(&model(&fixture), request(vec![question()])).await;
    let failure = items.last().and_then(|item| item.clone().err()).expect("a failure");
    assert_eq!((items.len(), failure.class), (4, ErrorClass::Unavailable));
    assert_eq!(failure.message, "acme is overloaded or broken: Overloaded");
}

#[tokio::test]
async fn a_limit_of_requests_says_how_long_to_wait() {
    let reply = refusal(429, "rate_limit_error", "Slow down").header("retry-after", "41");
    let fixture = Fixture::start([reply]).await;
    let items = ask(&model(&fixture), request(vec![question()])).await;
    let failure = items.last().and_then(|item| item.clone().err()).expect("a failure");
    assert_eq!(
        (failure.class, failure.retry_after),
        (ErrorClass::RateLimited, Some(Duration::from_secs(41)))
    );
}

#[tokio::test]
async fn models_are_listed_with_their_windows() {
    let list = json!({ "data": [{ "type": "model", "id": "claude-sonnet-4-5", "display_name": "Sonnet" }],
        "has_more": false });
    let fixture = Fixture::start([Reply::json(200, &list)]).await;
    let registry = registry(ProviderConfig { api: Api::Anthropic, ..fixture.config() }, &once());
    let listing = registry.survey().await;
    let found: Vec<_> =
        listing.models.iter().map(|model| (model.name.as_str(), model.context_window)).collect();
    assert_eq!(found, [("acme/claude-sonnet-4-5", Some(200_000)), ("builtin/guide", None)]);
    assert_eq!(registry.context_window("acme/claude-opus-4-5").await, Some(200_000));
    assert_eq!(fixture.seen().len(), 1, "a table needs no request");
}
