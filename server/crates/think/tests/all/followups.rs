//! What the agent is told of turns, and what it may do then.

use crate::support::{Stage, soon, stage_with, take_continuation, user};
use async_trait::async_trait;
use model::{Gate, Script, ScriptedModel};
use protocol::{ChatBody, ClientFrame, SessionId, ToolResult, ToolSpec};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use think::turn::Overlap;
use think::{Agent, ChatOptions, ChatOutcome, Engine, StreamCallback};

/// Writes down what it is told; may ask something of its own in the first place, or break.
#[derive(Clone, Default)]
struct Told {
    log: Arc<Mutex<Vec<(String, bool)>>>,
    asks: Option<&'static str>,
    calls: Arc<AtomicUsize>,
}

impl Told {
    /// Whether each answer so far was a continuation, once there are so many.
    async fn until(&self, count: usize) -> Vec<(String, bool)> {
        let told = || self.log.lock().unwrap().clone();
        let many = async {
            while told().len() < count {
                tokio::task::yield_now().await;
            }
        };
        soon("the hook", many).await;
        told()
    }
}

struct Nobody;

#[async_trait]
impl StreamCallback for Nobody {}

#[async_trait]
impl Agent for Told {
    async fn on_chat_response(&self, engine: &Engine, outcome: ChatOutcome) {
        let text = outcome.message.map(|message| message.plain_text()).unwrap_or_default();
        self.log.lock().unwrap().push((text, outcome.is_continuation));
        let is_first = self.calls.fetch_add(1, Ordering::Relaxed) == 0;
        let Some(question) = self.asks.filter(|_| is_first) else { return };
        assert_ne!(question, "panic", "broken");
        engine.chat(&outcome.session_id, question, &Nobody, ChatOptions::default()).await.unwrap();
    }
}

async fn with(told: &Told, scripts: Vec<Script>, overlap: Overlap) -> Stage {
    let agent = told.clone();
    stage_with(ScriptedModel::new(scripts), |spec| {
        spec.agent = Arc::new(agent);
        spec.turns.overlap = overlap;
    })
    .await
}

fn says(text: &str) -> Script {
    Script::new().text(text).stop()
}

// TK-090
#[tokio::test]
async fn every_kind_of_turn_is_told_once_and_what_was_cleared_or_dropped_is_not() {
    let (told, gate) = (Told::default(), Gate::new());
    let call = Script::new().tool("c1", "where_am_i", &json!({})).tool_calls();
    let held = Script::new().text("never").hold(&gate).stop();
    let scripts = vec![says("socket"), says("program"), call, says("Oslo"), held, says("last")];
    let stage = with(&told, scripts, Overlap::Drop).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    stage.engine.chat(&SessionId::default(), "hi", &Nobody, ChatOptions::default()).await.unwrap();
    let here = ToolSpec { name: "where_am_i".into(), description: None, parameters: None };
    let body = ChatBody { messages: vec![user("u2")], client_tools: Some(vec![here]), ..ChatBody::default() };
    tab.request("r2", body).await;
    tab.until_turn_ends("r2").await;
    tab.say(ClientFrame::ToolResult(ToolResult {
        tool_call_id: "c1".into(),
        tool_name: "where_am_i".into(),
        output: json!("Oslo"),
        state: None,
        error_text: None,
        auto_continue: true,
        client_tools: None,
        session_id: None,
    }))
    .await;
    take_continuation(&mut tab).await;
    tab.submit("r3", vec![user("u3")]).await;
    tab.until_text("r3", "never").await;
    tab.submit("dropped", vec![user("u4")]).await;
    tab.say(ClientFrame::Clear {}).await;
    tab.rest().await;
    tab.submit("r5", vec![user("u5")]).await;
    tab.until_turn_ends("r5").await;
    let expected = [("socket", false), ("program", false), ("", false), ("Oslo", true), ("last", false)];
    assert_eq!(told.until(5).await, expected.map(|(text, more)| (text.to_owned(), more)));
}

// TK-090: also where what it does takes a turn of the same session, and where it breaks.
#[tokio::test]
async fn an_agent_may_ask_on_when_it_is_told_and_may_break() {
    for (asks, expected) in [("and then?", &["one", "two", "three"][..]), ("panic", &["one", "two"])] {
        let told = Told { asks: Some(asks), ..Told::default() };
        let stage = with(&told, vec![says("one"), says("two"), says("three")], Overlap::Queue).await;
        let mut tab = stage.tab().await;
        tab.submit("r1", vec![user("u1")]).await;
        tab.until_turn_ends("r1").await;
        told.until(expected.len() - 1).await;
        tab.submit("r2", vec![user("u2")]).await;
        tab.until_turn_ends("r2").await;
        let heard: Vec<String> = told.until(expected.len()).await.into_iter().map(|(text, _)| text).collect();
        assert_eq!(heard, expected, "{asks}");
    }
}
