//! Turns that programs ask for, and methods called over a socket: the same turns as any other.

use crate::support::{Stage, Tab, soon, stage, stage_with, story, user};
use async_trait::async_trait;
use futures::future::BoxFuture;
use model::{Gate, Script, ScriptedModel};
use protocol::{ClientFrame, Message, RequestId, Role, RpcReply, ServerFrame, SessionId, ToolSpec};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use think::tools::Tool;
use think::{
    AbortSignal, ChatOptions, ClientTools, Engine, OutcomeStatus, ResultStatus, StreamCallback, ThinkError,
};

/// The default session.
fn main_session() -> SessionId {
    SessionId::default()
}

#[derive(Default)]
struct Heard {
    words: Mutex<Vec<String>>,
    is_broken: bool,
    added: tokio::sync::Notify,
}

impl Heard {
    fn note(&self, word: &str) {
        self.words.lock().unwrap().push(word.to_owned());
        self.added.notify_waiters();
        assert!(!self.is_broken, "the callback is broken");
    }

    fn words(&self) -> Vec<String> {
        let mut words = self.words.lock().unwrap().clone();
        words.dedup();
        words
    }
}

#[async_trait]
impl StreamCallback for Heard {
    async fn on_start(&self, _request_id: &RequestId) {
        self.note("start");
    }

    async fn on_event(&self, json: &str) {
        let chunk: Value = serde_json::from_str(json).unwrap();
        self.note(chunk["type"].as_str().unwrap());
    }

    async fn on_done(&self) {
        self.note("done");
    }

    async fn on_error(&self, text: &str) {
        self.note(&format!("error {text}"));
    }
}

#[tokio::test]
async fn a_callback_hears_the_turn_and_so_do_open_tabs() {
    let stage = stage([Script::new().text("hello").stop()]).await;
    let mut tab = stage.tab().await;
    let heard = Heard::default();
    let result = stage.engine.chat(&main_session(), "hi", &heard, ChatOptions::default()).await.unwrap();
    assert_eq!(
        (result.status, result.message.unwrap().plain_text().as_str()),
        (ResultStatus::Completed, "hello")
    );
    let expected = [
        "start",
        "start",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
        "done",
    ];
    assert_eq!(heard.words(), expected[1..]);
    let frames = tab.until_turn_ends(result.request_id.as_str()).await;
    assert!(story(&frames).contains(&format!("done {}", result.request_id)), "{frames:?}");
    let texts: Vec<String> = stage.history().await.iter().map(Message::plain_text).collect();
    assert_eq!(texts, ["hi", "hello"]);
}

#[tokio::test]
async fn an_error_is_heard_and_a_broken_callback_breaks_nothing() {
    let failing = || Script::new().text("par").error(model::ErrorClass::RateLimited, "quota hit");
    let stage = stage([failing(), Script::new().text("ok").stop()]).await;
    let heard = Heard::default();
    let result = stage.engine.chat(&main_session(), "hi", &heard, ChatOptions::default()).await.unwrap();
    assert_eq!((result.status, result.error.as_deref()), (ResultStatus::Error, Some("quota hit")));
    assert_eq!(heard.words().last().unwrap(), "error quota hit");
    assert_eq!(result.message.unwrap().plain_text(), "par");
    let broken = Heard { is_broken: true, ..Heard::default() };
    let result = stage.engine.chat(&main_session(), "again", &broken, ChatOptions::default()).await.unwrap();
    assert_eq!((result.status, broken.words()), (ResultStatus::Completed, vec!["start".to_owned()]));
}

#[tokio::test]
async fn the_signal_and_giving_up_both_stop_the_turn_and_keep_the_part() {
    let gate = Gate::new();
    let part = || Script::new().text("par").hold(&gate).stop();
    let stage = stage([part(), part()]).await;
    let mut tab = stage.tab().await;
    let signal = AbortSignal::new();
    let options = ChatOptions { signal: Some(signal.clone()), ..ChatOptions::default() };
    let (engine, heard) = (stage.engine.clone(), Heard::default());
    let (session, stop) = (main_session(), async {
        until_chunk(&mut tab).await;
        signal.abort();
    });
    let (result, ()) = tokio::join!(engine.chat(&session, "hi", &heard, options), stop);
    let result = result.unwrap();
    assert_eq!(
        (result.status, result.message.unwrap().plain_text().as_str()),
        (ResultStatus::Aborted, "par")
    );
    assert_eq!(heard.words().last().unwrap(), "done");
    tab.until_turn_ends(result.request_id.as_str()).await;
    {
        let dropped = engine.chat(&session, "hi again", &(), ChatOptions::default());
        tokio::select! {
            result = dropped => panic!("it cannot end: {result:?}"),
            () = until_chunk(&mut tab) => {}
        }
    }
    let outcomes = stage.hook_calls(2).await;
    assert_eq!(outcomes[1].status, OutcomeStatus::Aborted);
    soon("both calls are closed", stage.model.wait_for_cancelled(2)).await;
}

async fn until_chunk(tab: &mut Tab) {
    tab.until(
        "the text",
        |frame| matches!(frame, ServerFrame::ChatResponse(response) if response.body.contains("par")),
    )
    .await;
}

struct Oslo;

#[async_trait]
impl ClientTools for Oslo {
    async fn on_client_tool_call(&self, name: &str, input: Value) -> Result<Value, String> {
        assert_eq!(name, "where_am_i");
        if input["fail"] == json!(true) { Err("lost".to_owned()) } else { Ok(json!("Oslo")) }
    }
}

#[tokio::test]
async fn a_programs_tools_are_run_by_it_and_forgotten() {
    let call = |fail: bool| Script::new().tool("c1", "where_am_i", &json!({ "fail": fail })).tool_calls();
    let say = || Script::new().text("ok").stop();
    let stage = stage([call(false), say(), call(true), say(), say()]).await;
    let spec = ToolSpec { name: "where_am_i".into(), description: None, parameters: None };
    let options = ChatOptions {
        client_tools: vec![spec],
        on_client_tool_call: Some(Arc::new(Oslo)),
        ..ChatOptions::default()
    };
    for expected in ["Oslo", "lost"] {
        let result = stage.engine.chat(&main_session(), "where?", &(), options.clone()).await.unwrap();
        let text = format!("{:?}", result.message.unwrap().parts);
        assert!(text.contains(expected), "{text}");
    }
    stage.engine.chat(&main_session(), "bye", &(), ChatOptions::default()).await.unwrap();
    let names = |at: usize| {
        let requests = stage.model.requests();
        requests[at].tools.iter().any(|tool| tool.name == "where_am_i")
    };
    assert_eq!((names(0), names(4)), (true, false));
}

#[tokio::test]
async fn messages_are_saved_added_made_and_gone_on_with() {
    let say = |text: &str| Script::new().text(text).stop();
    let stage = stage([say("one"), say("two"), say("three")]).await;
    let (engine, session) = (&stage.engine, main_session());
    let none = engine.save_messages(&session, Vec::new()).await.unwrap();
    assert_eq!(none.status, ResultStatus::Skipped);
    assert_eq!(engine.continue_last_turn(&session).await.unwrap().status, ResultStatus::Skipped);
    let notes = vec![user("u1"), Message::text("a0", Role::Assistant, "noted"), user("u2")];
    assert_eq!(engine.save_messages(&session, notes).await.unwrap().status, ResultStatus::Completed);
    assert_eq!(engine.continue_last_turn(&session).await.unwrap().status, ResultStatus::Completed);
    assert_eq!(stage.path().await, "u1:say u1 a0:noted u2:say u2 *:one\ntwo");
    let made = engine.save_messages_with(&session, |history| {
        vec![Message::text("u3", Role::User, format!("after {}", history.len()))]
    });
    assert_eq!(made.await.unwrap().status, ResultStatus::Completed);
    let added =
        engine.add_messages(&session, vec![user("u4"), user("u5")], Some(&"u1".into())).await.unwrap();
    assert_eq!(added, ["u4".into(), "u5".into()]);
    assert_eq!(stage.path().await, "u1:say u1 u4:say u4 u5:say u5");
    engine.add_messages(&session, vec![user("u6")], Some(&"nobody".into())).await.unwrap_err();
    assert_eq!(stage.model.requests().len(), 3);
}

// What is made of the history waits for the turns before it; clearing skips it.
#[tokio::test]
async fn what_is_made_of_the_history_sees_the_turns_before_it() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop(), Script::new().text("two").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    let session = main_session();
    let made = stage.engine.save_messages_with(&session, |history| {
        assert_eq!(history.len(), 2);
        vec![user("u2")]
    });
    let release = async {
        tab.rest().await;
        gate.open();
    };
    let (result, ()) = tokio::join!(made, release);
    assert_eq!(result.unwrap().status, ResultStatus::Completed);
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two");
}

#[tokio::test]
async fn stability_waits_for_turns_and_for_people() {
    let gate = Gate::new();
    let call = Script::new().tool("c1", "danger", &json!({ "target": "x" })).hold(&gate).tool_calls();
    let stage = stage([call, Script::new().text("ok").stop()]).await;
    let (engine, session) = (stage.engine.clone(), main_session());
    assert!(engine.wait_until_stable(&session, Duration::from_secs(5)).await.unwrap());
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    assert!(!engine.wait_until_stable(&session, Duration::ZERO).await.unwrap());
    gate.open();
    tab.until_turn_ends("r1").await;
    assert!(engine.has_pending_interaction(&session).await.unwrap());
    let waiting = engine.wait_until_stable(&session, Duration::from_secs(20));
    let answer = async {
        let approval = json!({ "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "autoContinue": true });
        tab.say(serde_json::from_value(approval).unwrap()).await;
    };
    let (is_stable, ()) = tokio::join!(waiting, answer);
    assert!(is_stable.unwrap());
    assert!(!engine.has_pending_interaction(&session).await.unwrap());
    assert_eq!(stage.model.requests().len(), 2);
}

/// Asks for a turn from inside a turn.
#[derive(Clone, Default)]
struct Asks(Arc<OnceLock<Engine>>, &'static str);

impl Tool for Asks {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "asks".into(), description: None, parameters: None }
    }

    fn run(&self, _input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let (engine, session) = (self.0.get().unwrap().clone(), SessionId::from(self.1));
        Box::pin(async move {
            let result = engine.chat(&session, "from inside", &(), ChatOptions::default()).await;
            result.map(|result| json!(result.status.as_str())).map_err(|error| error.to_string())
        })
    }
}

async fn asks(session: &'static str, scripts: impl IntoIterator<Item = Script>) -> Stage {
    let tool = Asks(Arc::default(), session);
    let cell = Arc::clone(&tool.0);
    let stage = stage_with(ScriptedModel::new(scripts), |spec| spec.tools = vec![Arc::new(tool)]).await;
    assert!(cell.set(stage.engine.clone()).is_ok());
    stage
}

#[tokio::test]
async fn nobody_waits_for_a_turn_that_waits_for_him() {
    let call = Script::new().tool("c1", "asks", &json!({})).tool_calls();
    let stage = asks("", [call, Script::new().text("ok").stop()]).await;
    let result = stage.engine.chat(&main_session(), "hi", &(), ChatOptions::default()).await.unwrap();
    let text = format!("{:?}", result.message.unwrap().parts);
    assert!(text.contains("cannot wait for another one of the same session"), "{text}");
    let error = stage.engine.chat(&"nobody".into(), "hi", &(), ChatOptions::default()).await.unwrap_err();
    assert!(matches!(error, ThinkError::UnknownSession(_)), "{error}");
}

async fn call(tab: &mut Tab, method: &str, args: Vec<Value>) -> Vec<RpcReply> {
    tab.say(ClientFrame::Rpc { id: "x".into(), method: method.into(), args }).await;
    let is_last = |frame: &ServerFrame| matches!(frame, ServerFrame::Rpc(reply) if reply.done != Some(false));
    let frames = tab.until(method, is_last).await;
    let reply = |frame| if let ServerFrame::Rpc(reply) = frame { Some(reply) } else { None };
    frames.into_iter().filter_map(reply).collect()
}

#[tokio::test]
async fn the_state_is_told_to_open_and_to_new_sockets() {
    let stage = stage([]).await;
    let mut early = stage.tab().await;
    stage.engine.set_state(&json!({ "mood": "good" })).await.unwrap();
    let mut late = stage.tab().await;
    for tab in [&mut early, &mut late] {
        let frames = tab.until("the state", |frame| matches!(frame, ServerFrame::State { .. })).await;
        assert_eq!(frames.last(), Some(&ServerFrame::State { state: json!({ "mood": "good" }) }));
    }
}

#[tokio::test]
async fn methods_are_called_by_name() {
    let stage = stage([Script::new().text("hello").stop()]).await;
    stage.engine.configure(&json!({ "theme": "dark" })).await.unwrap();
    let mut tab = stage.tab().await;
    let replies = call(&mut tab, "chat", vec![json!("hi")]).await;
    let (end, chunks) = replies.split_last().unwrap();
    assert!(chunks.iter().all(|reply| reply.success && reply.done == Some(false)), "{replies:?}");
    assert!(
        chunks.iter().any(|reply| reply.result.as_ref().unwrap()["delta"] == json!("hello")),
        "{replies:?}"
    );
    assert_eq!(
        (end.success, end.done, &end.result.as_ref().unwrap()["status"]),
        (true, Some(true), &json!("completed"))
    );
    let rows = [
        ("getMessages", vec![], "\"text\":\"hello\""),
        ("hasPendingInteraction", vec![], "\"result\":false"),
        ("getConfig", vec![], "\"theme\":\"dark\""),
        ("continueLastTurn", vec![], "\"success\":false"),
        ("saveMessages", vec![json!([])], "\"status\":\"skipped\""),
        ("saveMessages", vec![json!(1)], "saveMessages takes a list of messages"),
        ("chat", vec![], "chat takes a text or a message"),
        ("clearMessages", vec![], "\"result\":null"),
        ("getMessages", vec![], "\"result\":[]"),
        ("rm", vec![], "there is no method \\\"rm\\\""),
    ];
    for (method, args, expected) in rows {
        let replies = call(&mut tab, method, args).await;
        let text = serde_json::to_string(replies.last().unwrap()).unwrap();
        assert!(text.contains(expected), "{method}: {text}");
    }
}
