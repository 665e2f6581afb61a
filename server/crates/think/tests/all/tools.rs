//! Tools that run elsewhere or need a person: the turn ends, the answer comes, the model goes on by itself.

use crate::support::{Stage, chunks, responses, stage, story, take_continuation, text_of, user};
use model::{Gate, ModelMessage, Script};
use protocol::{
    Answered, ChatBody, Chunk, ClientFrame, Message, ServerFrame, ToolCall, ToolResult, ToolSpec, ToolState,
    ToolVerdict, limits,
};
use serde_json::{Value, json};

fn whereabouts() -> ToolSpec {
    ToolSpec { name: "where_am_i".into(), description: None, parameters: None }
}

fn offering(id: &str, tools: Option<Vec<ToolSpec>>) -> ChatBody {
    ChatBody { messages: vec![user(id)], client_tools: tools, ..ChatBody::default() }
}

fn result(call: &str, output: Value) -> ClientFrame {
    ClientFrame::ToolResult(ToolResult {
        tool_call_id: call.into(),
        tool_name: "where_am_i".into(),
        output,
        state: None,
        error_text: None,
        auto_continue: true,
        client_tools: None,
        session_id: None,
    })
}

fn approval(call: &str, answer: &str) -> ClientFrame {
    let answer = if answer == "yes" { Answered::Yes } else { Answered::No };
    ClientFrame::ToolApproval(ToolVerdict::new(call.into(), answer))
}

async fn call_of(stage: &Stage, id: &str) -> ToolCall {
    let calls = |message: Message| message.parts.into_iter().filter_map(|part| part.as_tool().cloned());
    let mut calls = stage.history().await.into_iter().flat_map(calls);
    calls.find(|tool| tool.call.tool_call_id.as_str() == id).unwrap().call
}

// TK-064
#[tokio::test]
async fn a_browsers_result_lets_the_model_go_on() {
    let call = Script::new().tool("c1", "where_am_i", &json!({})).tool_calls();
    let stage = stage([call, Script::new().text("You are in Oslo.").stop()]).await;
    let (mut tab, mut other) = (stage.tab().await, stage.tab().await);
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until_turn_ends("r1").await;
    other.until_turn_ends("r1").await;
    assert!(stage.model.requests()[0].tools.contains(&whereabouts()));
    assert_eq!(call_of(&stage, "c1").await.state, ToolState::InputAvailable);

    tab.say(result("c1", json!({ "city": "Oslo" }))).await;
    for tab in [&mut tab, &mut other] {
        let frames =
            tab.until("the update", |frame| matches!(frame, ServerFrame::MessageUpdated { .. })).await;
        assert!(serde_json::to_string(&frames).unwrap().contains("Oslo"));
    }
    let (frames, id) = take_continuation(&mut tab).await;
    assert!(responses(&frames, &id).iter().all(|response| response.continuation), "{frames:?}");
    assert_eq!(text_of(&frames, &id), "You are in Oslo.");
    assert!(format!("{:?}", stage.model.requests()[1].messages).contains("Oslo"));

    // One message, extended in place: live, replay and reload agree.
    let history = stage.history().await;
    assert_eq!(history.len(), 2);
    assert_eq!(history[1].plain_text(), "You are in Oslo.");
    let outcomes = stage.hook_calls(2).await;
    assert_eq!(outcomes.iter().map(|outcome| outcome.is_continuation).collect::<Vec<_>>(), [false, true]);
}

// TK-065
#[tokio::test]
async fn the_first_result_wins_and_buys_one_turn() {
    let call = Script::new().tool("c1", "where_am_i", &json!({})).tool_calls();
    let stage = stage([call, Script::new().text("ok").stop()]).await;
    let mut tab = stage.tab().await;
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until_turn_ends("r1").await;
    tab.say(result("c1", json!("first"))).await;
    tab.say(result("c1", json!("second"))).await;
    tab.say(result("nobody", json!("third"))).await;
    take_continuation(&mut tab).await;
    assert_eq!(call_of(&stage, "c1").await.output, Some(json!("first")));
    assert_eq!(stage.model.requests().len(), 2);
    tab.say(result("c1", json!("late"))).await;
    assert_eq!(story(&tab.rest().await), Vec::<String>::new());
}

// TK-068
#[tokio::test]
async fn an_approved_call_runs_once_and_in_its_place() {
    let call = Script::new().tool("c2", "danger", &json!({ "target": "x" })).tool_calls();
    let stage = stage([call, Script::new().text("done").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let asked = chunks(&frames, "r1").into_iter().find_map(|chunk| match chunk {
        Chunk::ToolApprovalRequest { approval_id, .. } => Some(approval_id),
        _ => None,
    });
    assert_eq!(call_of(&stage, "c2").await.state, ToolState::ApprovalRequested);

    tab.say(approval("c2", "yes")).await;
    let (frames, id) = take_continuation(&mut tab).await;
    let call = call_of(&stage, "c2").await;
    assert_eq!((call.state, call.output), (ToolState::OutputAvailable, Some(json!({ "deleted": "x" }))));
    let approval = call.approval.unwrap();
    assert_eq!((Some(approval.id), approval.approved), (asked, Some(true)));
    assert!(format!("{:?}", stage.model.requests()[1].messages).contains("deleted"));
    let outputs =
        chunks(&frames, &id).into_iter().filter(|chunk| matches!(chunk, Chunk::ToolOutputAvailable { .. }));
    assert_eq!(outputs.count(), 1);
    assert_eq!(stage.history().await.len(), 2);
}

#[tokio::test]
async fn a_denied_call_never_runs_and_the_model_hears_of_it() {
    let call = Script::new().tool("c2", "danger", &json!({ "target": "x" })).tool_calls();
    let stage = stage([call, Script::new().text("as you wish").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.say(approval("c2", "no")).await;
    take_continuation(&mut tab).await;
    let call = call_of(&stage, "c2").await;
    assert_eq!((call.state, call.output), (ToolState::OutputDenied, None));
    let results = stage.model.requests()[1]
        .messages
        .clone()
        .into_iter()
        .filter(|message| matches!(message, ModelMessage::Tool(_)));
    assert!(format!("{:?}", results.collect::<Vec<_>>()).contains("Denied"));
}

fn answered(call: &str, more: &Value) -> ClientFrame {
    let mut frame = json!({ "type": "cf_agent_tool_approval", "toolCallId": call, "autoContinue": true });
    frame.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
    serde_json::from_value(frame).unwrap()
}

#[tokio::test]
async fn a_person_changes_the_arguments_and_the_tool_runs_with_theirs() {
    let call = Script::new().tool("c2", "danger", &json!({ "target": "x" })).tool_calls();
    let stage = stage([call, Script::new().text("done").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.say(answered("c2", &json!({ "approved": true, "input": { "aim": "y" } }))).await;
    assert_eq!(story(&tab.rest().await), ["refused BadRequest"]);
    assert_eq!(call_of(&stage, "c2").await.state, ToolState::ApprovalRequested);

    let better = json!({ "approved": true, "input": { "target": "y" }, "reason": "x is needed" });
    tab.say(answered("c2", &better)).await;
    take_continuation(&mut tab).await;
    let call = call_of(&stage, "c2").await;
    assert_eq!(call.output, Some(json!({ "deleted": "y" })));
    let approval = json!({
        "id": "approval-c2", "approved": true, "reason": "x is needed", "originalInput": { "target": "x" }
    });
    assert_eq!(serde_json::to_value(call.approval).unwrap(), approval);
}

#[tokio::test]
async fn the_reason_of_a_refusal_reaches_the_model() {
    let call = Script::new().tool("c2", "danger", &json!({ "target": "x" })).tool_calls();
    let stage = stage([call, Script::new().text("as you wish").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.say(answered("c2", &json!({ "approved": false, "reason": "keep x", "always": true }))).await;
    take_continuation(&mut tab).await;
    assert!(format!("{:?}", stage.model.requests()[1].messages).contains("Denied(Some(\"keep x\"))"));
    assert_eq!(stage.engine.approved_tools(&"".into()).await.unwrap(), Some(Vec::new()));
}

// Also over a restart, and until it is taken back; another session asks.
#[tokio::test]
async fn always_means_this_tool_in_this_session() {
    let call = |id: &str| Script::new().tool(id, "danger", &json!({ "target": id })).tool_calls();
    let done = || Script::new().text("done").stop();
    let before = stage([call("c1"), done(), call("c2"), done()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.say(answered("c1", &json!({ "approved": true, "always": true }))).await;
    take_continuation(&mut tab).await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(call_of(&before, "c2").await.state, ToolState::OutputAvailable);

    let after = before.after_kill([call("c3"), done(), call("c4"), call("c5")]).await;
    let mut tab = after.tab().await;
    tab.submit("r3", vec![user("u3")]).await;
    tab.until_turn_ends("r3").await;
    assert_eq!(call_of(&after, "c3").await.state, ToolState::OutputAvailable);
    let other = after.engine.create_session(session::NewSession::default()).await.unwrap();
    let mut elsewhere = after.tab_on(other.id.as_str(), None).await;
    elsewhere.submit("r4", vec![user("u4")]).await;
    elsewhere.until_turn_ends("r4").await;
    let asked = after.engine.messages(&other.id).await.unwrap().unwrap();
    assert!(serde_json::to_string(&asked).unwrap().contains("approval-requested"));

    assert_eq!(after.engine.approved_tools(&"".into()).await.unwrap(), Some(vec!["danger".to_owned()]));
    assert!(after.engine.ask_again(&"".into(), "danger").await.unwrap());
    assert!(!after.engine.ask_again(&"".into(), "danger").await.unwrap());
    tab.submit("r5", vec![user("u5")]).await;
    tab.until_turn_ends("r5").await;
    assert_eq!(call_of(&after, "c5").await.state, ToolState::ApprovalRequested);
}

// TK-071, the half that needs an actor: a batch is answered as a whole.
#[tokio::test]
async fn two_answers_make_one_continuation_and_half_a_batch_makes_none() {
    let calls =
        Script::new().tool("c1", "where_am_i", &json!({})).tool("c2", "where_am_i", &json!({})).tool_calls();
    let stage = stage([calls, Script::new().text("both").stop()]).await;
    let mut tab = stage.tab().await;
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until_turn_ends("r1").await;
    tab.say(result("c1", json!(1))).await;
    tab.until("the first update", |frame| matches!(frame, ServerFrame::MessageUpdated { .. })).await;
    // Longer than the moment in which answers are coalesced: the batch is held, not fired.
    tokio::time::timeout(std::time::Duration::from_millis(120), tab.until("nothing", |_| false))
        .await
        .unwrap_err();
    assert_eq!(stage.model.requests().len(), 1);
    tab.say(result("c2", json!(2))).await;
    take_continuation(&mut tab).await;
    assert_eq!(stage.model.requests().len(), 2);
}

// TK-075
#[tokio::test]
async fn a_browsers_tools_are_remembered_over_a_restart_until_taken_back() {
    let say = || Script::new().text("x").stop();
    let before = stage([say()]).await;
    let mut tab = before.tab().await;
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until_turn_ends("r1").await;
    let stage = before.after_kill([say(), say(), say()]).await;
    let mut tab = stage.tab().await;
    for (id, tools) in [("r2", None), ("r3", Some(Vec::new())), ("r4", None)] {
        tab.request(id, offering(&format!("u-{id}"), tools)).await;
        tab.until_turn_ends(id).await;
    }
    let offered: Vec<bool> =
        stage.model.requests().iter().map(|request| request.tools.contains(&whereabouts())).collect();
    assert_eq!(offered, [true, false, false]);
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM think_config WHERE key = 'lastClientTools'")
        .fetch_one(stage.file.db.reader())
        .await
        .unwrap();
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn a_browsers_tool_never_replaces_one_of_the_server() {
    let call = Script::new().tool("c1", "add", &json!({ "a": 1, "b": 2 })).tool_calls();
    let stage = stage([call, Script::new().text("3").stop()]).await;
    let mut tab = stage.tab().await;
    let forged = ToolSpec { name: "add".into(), description: Some("mine".into()), parameters: None };
    tab.request("r1", offering("u1", Some(vec![forged]))).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(call_of(&stage, "c1").await.output, Some(json!({ "sum": 3 })));
}

// The intent is durable: a restart while half the batch is answered forgets neither the answer nor that the model is
// to go on.
#[tokio::test]
async fn a_continuation_that_was_owed_begins_after_a_restart() {
    let calls = Script::new().tool("c1", "where_am_i", &json!({})).tool("c2", "where_am_i", &json!({}));
    let before = stage([calls.tool_calls()]).await;
    let mut tab = before.tab().await;
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until_turn_ends("r1").await;
    tab.say(result("c1", json!("Oslo"))).await;
    tab.rest().await;
    let after = before.after_kill([Script::new().text("went on").stop()]).await;
    let tab = after.tab().await;
    let ClientFrame::ToolResult(mut rest) = result("c2", json!("Bergen")) else { panic!("not a result") };
    rest.auto_continue = false;
    tab.say(ClientFrame::ToolResult(rest)).await;
    after.hook_calls(1).await;
    assert_eq!(after.history().await[1].plain_text(), "went on");
    assert_eq!(after.model.requests().len(), 1);
}

// Nobody fills the memory with answers to a call that runs.
#[tokio::test]
async fn only_so_many_answers_wait_for_the_end_of_a_turn() {
    let gate = Gate::new();
    let call = Script::new().tool("c1", "danger", &json!({ "target": "x" })).hold(&gate).tool_calls();
    let stage = stage([call]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let is_asked = |frame: &ServerFrame| serde_json::to_string(frame).unwrap().contains("approval-request");
    tab.until("the question", is_asked).await;
    for _ in 0..limits::HELD_REPLIES_MAX {
        tab.say(result("c1", json!(1))).await;
    }
    assert_eq!(story(&tab.rest().await), Vec::<String>::new());
    tab.say(result("c1", json!(1))).await;
    assert_eq!(story(&tab.rest().await), ["refused Busy"]);
    gate.open();
}

#[tokio::test]
async fn an_answer_that_comes_while_its_turn_still_runs_waits_for_the_end() {
    let gate = Gate::new();
    let call = Script::new().tool("c1", "where_am_i", &json!({})).hold(&gate).tool_calls();
    let stage = stage([call, Script::new().text("ok").stop()]).await;
    let mut tab = stage.tab().await;
    tab.request("r1", offering("u1", Some(vec![whereabouts()]))).await;
    tab.until("the call", |frame| {
        matches!(frame, ServerFrame::ChatResponse(response) if response.body.contains("tool-input-available"))
    })
    .await;
    tab.say(result("c1", json!("Oslo"))).await;
    tab.rest().await;
    gate.open();
    tab.until_turn_ends("r1").await;
    take_continuation(&mut tab).await;
    assert_eq!(call_of(&stage, "c1").await.output, Some(json!("Oslo")));
}
