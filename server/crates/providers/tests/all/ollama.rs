//! Ollama's own dialect: every scenario that it can spell, and a whole exchange with both sides compared.

use crate::conformance::WireBench;
use crate::fixture::{Fixture, Reply, ask, once, registry};
use model::contract::{REASONING, Report, SCENARIOS, Scenario, TEXT, calls, run};
use model::{
    AssistantContent, ErrorClass, ModelMessage, ModelRequest, OutputSchema, Sampling, ToolOutput,
    ToolResultContent, UserContent,
};
use protocol::ToolSpec;
use providers::{Api, ProviderConfig};
use serde_json::{Value, json};

fn lines(lines: &[Value]) -> Reply {
    let reply = Reply::page(200, "application/x-ndjson", "");
    lines.iter().fold(reply, |reply, line| reply.raw(format!("{line}\n")))
}

fn said(message: &Value) -> Value {
    json!({ "model": "m", "created_at": "2025-01-01T00:00:00Z", "message": message, "done": false })
}

fn text() -> Vec<Value> {
    let (head, tail) = TEXT.split_at(4);
    [head, tail].map(|text| said(&json!({ "role": "assistant", "content": text }))).to_vec()
}

fn call(index: usize) -> Value {
    let (name, input) = &calls()[index];
    let call = json!({ "function": { "name": name, "arguments": input } });
    said(&json!({ "role": "assistant", "content": "", "tool_calls": [call] }))
}

fn whole(mut said: Vec<Value>, reason: &str) -> Reply {
    said.push(
        json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": reason }),
    );
    lines(&said)
}

fn refusal(status: u16, words: &str) -> Reply {
    Reply::json(status, &json!({ "error": words }))
}

fn spell(scenario: Scenario) -> Option<Reply> {
    Some(match scenario {
        Scenario::Text => whole(text(), "stop"),
        Scenario::Reasoning => {
            let thought = said(&json!({ "role": "assistant", "content": "", "thinking": REASONING }));
            whole([vec![thought], text()].concat(), "stop")
        }
        Scenario::OneTool => whole(vec![call(0)], "stop"),
        Scenario::TwoTools => whole(vec![call(0), call(1)], "stop"),
        Scenario::Length => whole(text(), "length"),
        Scenario::CutOff => lines(&text()),
        Scenario::Cancel => lines(&text()).hold(),
        // It counts neither its cache nor reasoning, and it has no filter.
        Scenario::Usage | Scenario::Filtered => return None,
        Scenario::Failure(class) => match class {
            ErrorClass::Connection => lines(&[]).cut(),
            ErrorClass::Timeout => lines(&[]).hold(),
            ErrorClass::Unavailable => refusal(500, "llama runner process has terminated"),
            ErrorClass::UnknownModel => refusal(404, "model 'm' not found"),
            ErrorClass::BadRequest => refusal(400, "invalid message"),
            ErrorClass::Protocol => lines(&[]).raw("nonsense\n"),
            ErrorClass::RateLimited => refusal(429, "too many requests"),
            ErrorClass::Auth => refusal(401, "unauthorized"),
            ErrorClass::ContextOverflow => refusal(400, "the input length exceeds the context length"),
            ErrorClass::Refused => return None,
        },
    })
}

#[tokio::test]
async fn every_scenario_that_the_wire_can_spell_is_met() {
    let skipped = vec![Scenario::Usage, Scenario::Filtered, Scenario::Failure(ErrorClass::Refused)];
    let passed = SCENARIOS.into_iter().filter(|scenario| !skipped.contains(scenario)).collect();
    let report = run(&WireBench::new(Api::Ollama, spell)).await;
    assert_eq!(report, Report { passed, skipped, failed: vec![] });
}

#[tokio::test]
async fn the_history_goes_out_with_a_context_that_holds_it() {
    let call = AssistantContent::ToolCall { id: "c".into(), name: "t".into(), input: json!({ "a": 1 }) };
    let thought = AssistantContent::Reasoning { text: "hm".into(), provider_metadata: None };
    let result = ToolResultContent { id: "c".into(), name: "t".into(), output: ToolOutput::Value(json!(2)) };
    let image = UserContent::File {
        media_type: "image/png".to_owned(),
        url: "data:image/png;base64,AA==".to_owned(),
        filename: None,
    };
    let request = |length: usize| ModelRequest {
        system: Some("Be brief.".to_owned()),
        messages: vec![
            ModelMessage::User(vec![UserContent::Text("x".repeat(length)), image.clone()]),
            ModelMessage::Assistant(vec![thought.clone(), call.clone()]),
            ModelMessage::Tool(vec![result.clone()]),
        ],
        tools: vec![ToolSpec { name: "t".to_owned(), description: None, parameters: None }],
        sampling: Sampling {
            temperature: Some(0.5),
            top_p: Some(0.75),
            max_output_tokens: Some(100),
            seed: Some(3),
        },
        ..ModelRequest::default()
    };
    let fixture = Fixture::start([whole(text(), "stop"), whole(text(), "stop")]).await;
    // The address of the compatible API is taken for the one beside it.
    let config = ProviderConfig { api: Api::Ollama, ..fixture.config() };
    let model = registry(config, &once()).model("acme/m").expect("acme is configured");
    for length in [1, 60_000] {
        let _answer = ask(&model, request(length)).await;
    }
    let body = |length: usize, context: u32| {
        json!({ "model": "m", "stream": true, "keep_alive": "10m", "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "x".repeat(length), "images": ["AA=="] },
            { "role": "assistant", "content": "", "thinking": "hm",
                "tool_calls": [{ "function": { "name": "t", "arguments": { "a": 1 } } }] },
            { "role": "tool", "tool_name": "t", "content": "2" },
        ], "tools": [{ "type": "function",
            "function": { "name": "t", "description": "", "parameters": { "type": "object" } } }],
        "options": { "num_ctx": context, "temperature": 0.5, "top_p": 0.75, "num_predict": 100, "seed": 3 } })
    };
    let paths = fixture.seen().into_iter().map(|seen| seen.path).collect::<Vec<_>>();
    assert_eq!(paths, ["/api/chat", "/api/chat"]);
    let seen = fixture.seen().into_iter().map(|seen| seen.body).collect::<Vec<_>>();
    assert_eq!(seen, [body(1, 8_192), body(60_000, 32_768)]);
}

#[tokio::test]
async fn a_shape_is_sent_unless_there_are_tools_which_it_would_forbid() {
    let schema = json!({ "type": "object" });
    let tool = ToolSpec { name: "t".to_owned(), description: None, parameters: None };
    let fixture = Fixture::start([whole(text(), "stop"), whole(text(), "stop")]).await;
    let config = ProviderConfig { api: Api::Ollama, ..fixture.config() };
    let model = registry(config, &once()).model("acme/m").expect("acme is configured");
    for tools in [vec![], vec![tool]] {
        let messages = vec![ModelMessage::user("hi")];
        let output = Some(OutputSchema { name: "x".to_owned(), schema: schema.clone() });
        let _answer = ask(&model, ModelRequest { messages, tools, output, ..ModelRequest::default() }).await;
    }
    let seen = fixture
        .seen()
        .into_iter()
        .map(|seen| (seen.body.get("format").cloned(), seen.body["messages"][0]["role"].clone()));
    assert_eq!(seen.collect::<Vec<_>>(), [(Some(schema), json!("user")), (None, json!("system"))]);
}
