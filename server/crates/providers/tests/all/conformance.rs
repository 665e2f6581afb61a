//! The scenarios that every adapter must meet, and how the OpenAI dialect spells them. A13 is one of them.

use crate::fixture::{Fixture, Reply, delta, finished, hasty, once, registry, said};
use model::contract::{Bench, REASONING, Report, SCENARIOS, Scenario, TEXT, calls, run};
use model::{ErrorClass, LanguageModel};
use providers::{Api, ProviderConfig};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// Each scenario has a server of its own, so that nothing of one is seen in the next.
pub(crate) struct WireBench {
    last: Mutex<Option<Arc<Fixture>>>,
    api: Api,
    /// How the wire spells a scenario, if it can.
    spell: fn(Scenario) -> Option<Reply>,
}

impl WireBench {
    pub(crate) fn new(api: Api, spell: fn(Scenario) -> Option<Reply>) -> Self {
        Self { last: Mutex::default(), api, spell }
    }
}

impl Bench for WireBench {
    async fn prepare(&self, scenario: Scenario) -> Option<Arc<dyn LanguageModel>> {
        let fixture = Arc::new(Fixture::start([(self.spell)(scenario)?]).await);
        let config = if scenario == Scenario::Failure(ErrorClass::Connection) {
            ProviderConfig::custom("acme", &closed_port().await, None)
        } else {
            fixture.config()
        };
        let config = ProviderConfig { api: self.api, ..config };
        *self.last.lock().expect("no test panics here") = Some(fixture);
        let is_silent = scenario == Scenario::Failure(ErrorClass::Timeout);
        let options = if is_silent { hasty() } else { once() };
        registry(config, &options).model("acme/m-1").ok()
    }

    async fn closed(&self) {
        let fixture = self.last.lock().expect("no test panics here").clone();
        fixture.expect("a scenario was prepared").wait_for_gone(1).await;
    }
}

fn reply(scenario: Scenario) -> Reply {
    // Two pieces, cut inside a word.
    let (head, tail) = TEXT.split_at(4);
    let spoken = || vec![said(head), said(tail)];
    let ended = |mut chunks: Vec<Value>, reason: &str| {
        chunks.push(finished(reason));
        Reply::events(&chunks)
    };
    match scenario {
        Scenario::Text => ended(spoken(), "stop").done(),
        Scenario::Reasoning => {
            let mut chunks = vec![delta(&json!({ "reasoning_content": REASONING }))];
            chunks.extend(spoken());
            ended(chunks, "stop").done()
        }
        Scenario::OneTool => ended(called(1), "tool_calls").done(),
        Scenario::TwoTools => ended(called(2), "tool_calls").done(),
        Scenario::Usage => {
            let usage = json!({ "choices": [], "usage": { "prompt_tokens": 12, "completion_tokens": 34,
                "prompt_tokens_details": { "cached_tokens": 5 },
                "completion_tokens_details": { "reasoning_tokens": 6 } } });
            ended(spoken(), "stop").event(&usage).done()
        }
        Scenario::Length => ended(spoken(), "length").done(),
        Scenario::Filtered => ended(spoken(), "content_filter").done(),
        Scenario::CutOff => Reply::events(&spoken()),
        Scenario::Cancel => Reply::events(&spoken()).hold(),
        Scenario::Failure(class) => failure(class),
    }
}

fn failure(class: ErrorClass) -> Reply {
    let words =
        |status: u16, code: &str| Reply::json(status, &json!({ "error": { "message": "m", "code": code } }));
    match class {
        ErrorClass::Connection => Reply::stream().cut(),
        ErrorClass::Timeout => Reply::stream().hold(),
        ErrorClass::RateLimited => words(429, "rate_limit_exceeded"),
        ErrorClass::Unavailable => words(503, "overloaded"),
        ErrorClass::Auth => words(401, "invalid_api_key"),
        ErrorClass::UnknownModel => words(404, "model_not_found"),
        ErrorClass::ContextOverflow => words(400, "context_length_exceeded"),
        ErrorClass::Refused => words(400, "content_filter"),
        ErrorClass::BadRequest => words(400, "invalid_value"),
        ErrorClass::Protocol => Reply::stream().raw("data: nonsense\n\n"),
    }
}

/// The first calls of the scenarios, each in three pieces, interleaved.
fn called(count: usize) -> Vec<Value> {
    let calls: Vec<_> = calls().into_iter().take(count).enumerate().collect();
    let pieces = |place: usize| {
        let piece = move |(index, (name, input)): &(usize, (&str, Value))| {
            let text = input.to_string();
            let (head, tail) = text.split_at(text.char_indices().nth(5).map_or(0, |(at, _)| at));
            match place {
                0 => json!({ "index": index, "id": format!("call-{index}"), "type": "function",
                    "function": { "name": name, "arguments": "" } }),
                1 => json!({ "index": index, "function": { "arguments": head } }),
                _ => json!({ "index": index, "function": { "arguments": tail } }),
            }
        };
        calls.iter().map(piece).map(|call| delta(&json!({ "tool_calls": [call] }))).collect::<Vec<_>>()
    };
    (0..3).flat_map(pieces).collect()
}

/// An address where nobody listens.
async fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

#[tokio::test]
async fn every_scenario_is_met_and_none_is_skipped() {
    let bench = WireBench::new(Api::OpenAi, |scenario| Some(reply(scenario)));
    let expected = Report { passed: SCENARIOS.to_vec(), skipped: vec![], failed: vec![] };
    assert_eq!(run(&bench).await, expected);
}
