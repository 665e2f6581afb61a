//! Frame by frame: what clients may send at odd moments, and what they may count on.

use crate::support::{Stage, Tab, responses, stage, stage_with, user};
use model::{Gate, Script, ScriptedModel};
use protocol::{ChatBody, ClientFrame, Message, Part, ServerFrame, ToolSpec, ToolState, TurnOutcome};
use serde_json::{Value, json};
use session::NewSession;
use think::OutcomeStatus;
use think::turn::Overlap;

fn frame(frame: Value) -> ClientFrame {
    serde_json::from_value(frame).unwrap()
}

fn result(call: &str, output: &str) -> ClientFrame {
    frame(json!({ "type": "cf_agent_tool_result", "toolCallId": call, "toolName": "where_am_i",
        "output": output, "autoContinue": true }))
}

/// A turn that has ended in calls of a browser's tool.
async fn asked(calls: &[&str], rest: Script) -> (Stage, Tab) {
    let call = |script: Script, id: &&str| script.tool(id, "where_am_i", &json!({}));
    let stage = stage([calls.iter().fold(Script::new(), call).tool_calls(), rest]).await;
    let mut tab = stage.tab().await;
    let tools = vec![ToolSpec { name: "where_am_i".into(), description: None, parameters: None }];
    let body = ChatBody { messages: vec![user("u1")], client_tools: Some(tools), ..ChatBody::default() };
    tab.request("r1", body).await;
    tab.until_turn_ends("r1").await;
    (stage, tab)
}

/// Half of the batch is answered: the continuation is pending, and nothing lets it begin.
async fn half_answered() -> (Stage, Tab) {
    let (stage, mut tab) = asked(&["c1", "c2"], Script::new().text("no").stop()).await;
    tab.rest().await;
    tab.say(result("c1", "Oslo")).await;
    tab.rest().await;
    (stage, tab)
}

/// What a tab is told that asks whether there is something to resume.
async fn probe(tab: &mut Tab) -> Value {
    tab.say(frame(json!({ "type": "cf_agent_stream_resume_request", "probeId": "p" }))).await;
    serde_json::to_value(tab.rest().await.last().unwrap()).unwrap()
}

async fn state_of(stage: &Stage) -> ToolState {
    let history: Vec<Message> = stage.history().await;
    history.iter().flat_map(|message| &message.parts).find_map(Part::as_tool).unwrap().call.state
}

// Every frame of a continuation says that it is one, its end included, however it ends.
#[tokio::test]
async fn the_end_of_a_continuation_says_that_it_is_one() {
    for how in ["clear", "cancel"] {
        let gate = Gate::new();
        let (stage, mut tab) = asked(&["c1"], Script::new().text("go").hold(&gate).stop()).await;
        tab.say(result("c1", "Oslo")).await;
        let offer = tab.until("offer", |frame| matches!(frame, ServerFrame::Resuming { .. })).await;
        let Some(ServerFrame::Resuming { id, .. }) = offer.last().cloned() else { panic!("{offer:?}") };
        stage.model.wait_for_calls(2).await;
        tab.ack(id.as_str(), None).await;
        tab.until_text(id.as_str(), "go").await;
        let end = if how == "clear" { ClientFrame::Clear {} } else { ClientFrame::Cancel { id: id.clone() } };
        tab.say(end).await;
        let heard = tab.rest().await;
        let done: Vec<_> = responses(&heard, id.as_str()).into_iter().filter(|end| end.done).collect();
        assert_eq!(done.len(), 1, "{how}");
        assert!(done.iter().all(|end| end.continuation), "{how}: {done:?}");
    }
}

// Nobody waits for a continuation that somebody gave up.
#[tokio::test]
async fn a_continuation_that_is_given_up_lets_go_of_who_waits_for_it() {
    for how in ["cancel", "dismiss"] {
        let (stage, mut tab) = half_answered().await;
        let pending = probe(&mut tab).await;
        assert_eq!((&pending["type"], &pending["probeId"]), (&json!("cf_agent_stream_pending"), &json!("p")));
        if how == "cancel" {
            tab.say(ClientFrame::Cancel { id: pending["id"].as_str().unwrap().into() }).await;
        } else {
            let answer = stage.history().await[1].id.clone();
            let _dismissed = stage.engine.dismiss(&"".into(), &answer).await.unwrap();
        }
        let heard = tab.rest().await;
        let bare = json!({ "type": "cf_agent_stream_resume_none" });
        assert_eq!(serde_json::to_value(heard.last().unwrap()).unwrap(), bare, "{how}");
        assert_eq!(stage.model.requests().len(), 1);
    }
}

// A continuation belongs to the public tab that gave the answer, while that is open; our own pages may all wait for it.
#[tokio::test]
async fn a_pending_continuation_is_its_owners() {
    let (stage, mut tab) = half_answered().await;
    let (mut other, mut page) = (stage.tab().await, stage.page().await);
    let none = json!({ "type": "cf_agent_stream_resume_none", "reason": "idle", "probeId": "p" });
    assert_eq!(probe(&mut other).await, none);
    let pending = probe(&mut tab).await;
    assert_eq!(pending["type"], "cf_agent_stream_pending");
    assert_eq!(probe(&mut page).await, pending);
    drop(tab);
    assert_eq!(probe(&mut other).await, pending, "nobody's now");
}

// A repetition of a request that is being answered must not end it.
#[tokio::test]
async fn a_request_that_is_sent_twice_has_one_end() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.rest().await;
    gate.open();
    tab.until_turn_ends("r1").await;
    let done: Vec<_> = responses(&tab.seen, "r1").into_iter().filter(|end| end.done).collect();
    assert_eq!(done.len(), 1, "{done:?}");
    assert_eq!(stage.path().await, "u1:say u1 *:one");
}

// What a socket asked for in another session it may also stop.
#[tokio::test]
async fn a_request_in_another_session_can_be_stopped_by_who_made_it() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let other = stage.engine.create_session(NewSession::default()).await.unwrap();
    let mut tab = stage.tab().await;
    let session_id = Some(other.id.clone());
    tab.request("r1", ChatBody { messages: vec![user("u1")], session_id, ..ChatBody::default() }).await;
    tab.until_text("r1", "one").await;
    tab.say(ClientFrame::Cancel { id: "r1".into() }).await;
    let heard =
        tab.until("the end", |frame| matches!(frame, ServerFrame::ChatResponse(end) if end.done)).await;
    assert!(responses(&heard, "r1").iter().all(|end| !end.error));
}

// A yes to a call that only a browser can run: there is nothing to run here, and the model is told so.
#[tokio::test]
async fn a_yes_to_a_browsers_call_does_not_hang_the_session() {
    let (stage, tab) = asked(&["c1"], Script::new().text("fine").stop()).await;
    let yes = json!({ "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "autoContinue": true });
    tab.say(frame(yes)).await;
    let outcome = stage.hook_calls(2).await.pop().unwrap();
    assert_eq!((outcome.status, stage.model.requests().len()), (OutcomeStatus::Completed, 2));
    assert_eq!(state_of(&stage).await, ToolState::OutputError);
    assert!(format!("{:?}", stage.model.requests()[1].messages).contains("Only the browser"));
}

// A place that does not exist: nothing is stored, and the end is told.
#[tokio::test]
async fn a_request_below_an_unknown_message_is_refused_whole() {
    let stage = stage([Script::new().text("ok").stop()]).await;
    let mut tab = stage.tab().await;
    let parent_id = Some("nobody".into());
    tab.request("r1", ChatBody { messages: vec![user("u1")], parent_id, ..ChatBody::default() }).await;
    let heard = tab.rest().await;
    let ends: Vec<_> = responses(&heard, "r1").into_iter().map(|end| (end.done, end.error)).collect();
    assert_eq!((ends, stage.history().await), (vec![(true, true)], Vec::new()));
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.history().await.len(), 2);
}

// Who was told to wait goes on waiting, whatever it acknowledges meanwhile.
#[tokio::test]
async fn an_acknowledgement_of_something_else_does_not_end_the_wait() {
    let (stage, mut tab) = half_answered().await;
    assert_eq!(probe(&mut tab).await["type"], "cf_agent_stream_pending");
    tab.ack("r1", None).await;
    tab.rest().await;
    tab.say(result("c2", "Bergen")).await;
    tab.until("the offer", |frame| matches!(frame, ServerFrame::Resuming { .. })).await;
    stage.model.wait_for_calls(2).await;
}

#[tokio::test]
async fn a_third_party_that_waits_goes_on_waiting_after_an_old_acknowledgement() {
    let (stage, tab) = half_answered().await;
    let mut page = stage.page().await;
    assert_eq!(probe(&mut page).await["type"], "cf_agent_stream_pending");
    page.ack("r1", None).await;
    page.rest().await;
    tab.say(result("c2", "Bergen")).await;
    page.until("the offer", |frame| matches!(frame, ServerFrame::Resuming { .. })).await;
}

/// How a request is said to have ended.
async fn outcome(tab: &mut Tab, id: &str) -> Option<TurnOutcome> {
    let is_end =
        |frame: &ServerFrame| matches!(frame, ServerFrame::ChatResponse(end) if end.done && end.id == id);
    match tab.until("the end", is_end).await.pop() {
        Some(ServerFrame::ChatResponse(end)) => end.outcome,
        other => panic!("{other:?}"),
    }
}

// The public client counts turns by it.
#[tokio::test]
async fn the_end_of_a_request_says_whether_it_was_stopped_or_never_had_a_turn() {
    let held = || Script::new().text("one").hold(&Gate::new()).stop();
    let model = ScriptedModel::new([held(), Script::new().text("two").stop(), held(), held()]);
    let stage = stage_with(model, |spec| spec.turns.overlap = Overlap::Latest).await;
    let mut tab = stage.tab().await;
    for id in ["r1", "r2", "r3"] {
        tab.submit(id, vec![user(&format!("u-{id}"))]).await;
    }
    assert_eq!(outcome(&mut tab, "r2").await, Some(TurnOutcome::Skipped), "replaced by a newer one");
    tab.until_text("r1", "one").await;
    tab.say(ClientFrame::Cancel { id: "r1".into() }).await;
    assert_eq!(outcome(&mut tab, "r1").await, Some(TurnOutcome::Aborted));
    assert_eq!(outcome(&mut tab, "r3").await, None, "it ended by itself");
    tab.submit("r4", vec![user("u4")]).await;
    tab.until_text("r4", "one").await;
    tab.submit("r5", vec![user("u5")]).await;
    tab.say(ClientFrame::Cancel { id: "r5".into() }).await;
    assert_eq!(outcome(&mut tab, "r5").await, Some(TurnOutcome::Aborted));
    tab.submit("r6", vec![user("u6")]).await;
    tab.say(ClientFrame::Clear {}).await;
    assert_eq!(outcome(&mut tab, "r6").await, Some(TurnOutcome::Skipped));
    assert_eq!(outcome(&mut tab, "r4").await, Some(TurnOutcome::Aborted));
}

// What a client sent while it had no connection is not in the first transcript, and is not dropped for that.
#[tokio::test]
async fn the_first_transcript_of_a_socket_says_that_it_is_the_first() {
    let stage = stage([Script::new().text("one").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let heard = tab.until_turn_ends("r1").await;
    let transcripts = heard.iter().filter_map(|frame| match frame {
        ServerFrame::Messages(transcript) => Some(transcript.connect),
        _ => None,
    });
    assert_eq!(transcripts.collect::<Vec<_>>(), [true, false]);
}
