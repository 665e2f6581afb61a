//! Several sessions of one instance: no cross-talk, and every page knows the list.

use crate::support::{Stage, Tab, soon, stage, stage_with, story, take_continuation, user, words};
use model::{Gate, Script, ScriptedModel};
use protocol::{
    Answered, ChatBody, ClientFrame, ErrorCode, RequestInit, ServerFrame, SessionId, ToolVerdict,
};
use serde_json::json;
use session::NewSession;
use think::CloseReason;

#[tokio::test]
async fn two_sessions_stream_at_the_same_time_without_cross_talk() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = ScriptedModel::answering(move |request| {
        let is_first = format!("{request:?}").contains("say a1");
        if is_first {
            Script::new().text("first").hold(&held).stop()
        } else {
            Script::new().text("second").stop()
        }
    });
    let stage = stage_with(model, |_| {}).await;
    let one = stage.engine.create_session(NewSession::default()).await.unwrap();
    let two = stage.engine.create_session(NewSession::default()).await.unwrap();
    let mut a = stage.tab_on(one.id.as_str(), None).await;
    let mut b = stage.tab_on(two.id.as_str(), None).await;
    a.submit("r1", vec![user("a1")]).await;
    a.until_text("r1", "first").await;
    b.submit("r2", vec![user("b1")]).await;
    let heard = b.until_turn_ends("r2").await;
    assert!(story(&heard).iter().all(|word| !word.contains("r1")), "{heard:?}");
    gate.open();
    a.until_turn_ends("r1").await;
}

#[tokio::test]
async fn a_request_may_name_another_session_and_an_unknown_one_is_refused() {
    let stage = stage([Script::new().text("there").stop()]).await;
    let other = stage.engine.create_session(NewSession::default()).await.unwrap();
    let mut tab = stage.tab().await;
    let body = |id: &SessionId| ChatBody {
        messages: vec![user("u1")],
        session_id: Some(id.clone()),
        ..ChatBody::default()
    };
    tab.request("r1", body(&other.id)).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "");
    assert_eq!(stage.engine.messages(&other.id).await.unwrap().unwrap().len(), 2);
    assert_eq!(stage.engine.messages(&"nosuch".into()).await.unwrap(), None);
    assert!(stage.engine.connect(&"nosuch".into(), think::ConnectOptions::default()).await.is_err());
}

/// A session in which a call of this name waits for consent; the tab that asked looks at the default session.
async fn waiting_elsewhere(stage: &Stage, tab: &mut Tab) -> SessionId {
    let other = stage.engine.create_session(NewSession::default()).await.unwrap();
    let body =
        ChatBody { messages: vec![user("u1")], session_id: Some(other.id.clone()), ..ChatBody::default() };
    tab.request("r1", body).await;
    tab.until_turn_ends("r1").await;
    other.id
}

fn asking() -> Script {
    Script::new().tool("c1", "danger", &json!({ "target": "x" })).tool_calls()
}

fn yes(session_id: Option<SessionId>) -> ClientFrame {
    ClientFrame::ToolApproval(ToolVerdict { session_id, ..ToolVerdict::new("c1".into(), Answered::Yes) })
}

async fn path_of(stage: &Stage, session: &SessionId) -> String {
    words(&stage.engine.messages(session).await.unwrap().unwrap())
}

// The public client names a session in its requests, and nowhere else.
#[tokio::test]
async fn an_answer_to_a_call_reaches_the_session_that_asked_and_the_model_goes_on_there() {
    let stage = stage([asking(), Script::new().text("done").stop()]).await;
    let mut tab = stage.tab().await;
    let other = waiting_elsewhere(&stage, &mut tab).await;
    tab.say(yes(None)).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: Some(json!("p")) }).await;
    let (heard, id) = take_continuation(&mut tab).await;
    assert!(story(&heard).contains(&format!("done {id}")), "{heard:?}");
    assert_eq!(path_of(&stage, &other).await, "u1:say u1 *:done");
    assert_eq!(stage.path().await, "");
    // Nothing goes on any more, in either of them.
    tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    assert_eq!(story(&tab.rest().await), ["none"]);
}

#[tokio::test]
async fn an_answer_to_a_call_may_name_its_session() {
    let stage = stage([asking(), Script::new().text("done").stop()]).await;
    let other = waiting_elsewhere(&stage, &mut stage.tab().await).await;
    // One that has never asked anything there.
    let mut tab = stage.tab().await;
    tab.say(yes(None)).await;
    assert_eq!(stage.model.requests().len(), 1, "unknown here");
    let nowhere = tab.try_to_say(yes(Some("nowhere".into()))).await.unwrap_err();
    assert_eq!(nowhere.code, ErrorCode::UnknownSession);
    tab.say(yes(Some(other.clone()))).await;
    take_continuation(&mut tab).await;
    assert_eq!(path_of(&stage, &other).await, "u1:say u1 *:done");
}

// Providers number their calls anew in each conversation.
#[tokio::test]
async fn of_two_calls_with_one_id_the_one_of_the_sockets_own_session_is_meant() {
    let stage = stage([asking(), asking(), Script::new().text("done").stop()]).await;
    let mut tab = stage.tab().await;
    let other = waiting_elsewhere(&stage, &mut tab).await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    tab.say(yes(None)).await;
    take_continuation(&mut tab).await;
    assert_eq!(stage.path().await, "u2:say u2 *:done");
    assert_eq!(path_of(&stage, &other).await, "u1:say u1 *:");
}

#[tokio::test]
async fn every_tab_hears_of_changes_in_the_list() {
    let stage = stage([Script::new().text("x").stop()]).await;
    let mut tab = stage.tab().await;
    let info = stage.engine.create_session(NewSession::default()).await.unwrap();
    stage.engine.rename_session(&info.id, "Trip").await.unwrap();
    let heard = tab
        .until(
            "the new name",
            |frame| matches!(frame, ServerFrame::SessionChanged { session } if session.name == "Trip"),
        )
        .await;
    assert!(
        heard
            .iter()
            .any(|frame| matches!(frame, ServerFrame::SessionChanged { session } if session.id == info.id))
    );
    let mut other = stage.tab_on(info.id.as_str(), None).await;
    assert!(stage.engine.delete_session(&info.id).await.unwrap());
    tab.until("the removal", |frame| matches!(frame, ServerFrame::SessionRemoved { id } if *id == info.id))
        .await;
    assert_eq!(other.until_closed().await, Some(CloseReason::SessionGone));
    assert!(stage.engine.restore_session(&info.id).await.unwrap().is_some());
}

#[tokio::test]
async fn a_session_is_named_after_its_first_message_and_marked_while_it_runs() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("x").hold(&gate).stop()]).await;
    let info = stage.engine.create_session(NewSession::default()).await.unwrap();
    let mut tab = stage.tab_on(info.id.as_str(), None).await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "x").await;
    let running = stage.engine.get_session(&info.id).await.unwrap().unwrap();
    assert_eq!((running.name.as_str(), running.is_running), ("say u1", true));
    gate.open();
    tab.until(
        "quiet",
        |frame| matches!(frame, ServerFrame::SessionChanged { session } if !session.is_running),
    )
    .await;
}

#[tokio::test]
async fn every_request_to_a_session_that_goes_is_ended_once() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("x").hold(&gate).stop()]).await;
    let info = stage.engine.create_session(NewSession::default()).await.unwrap();
    let connection = stage.engine.connect(&info.id, think::ConnectOptions::default()).await.unwrap();
    let (sender, mut reader) = connection.split();
    let ids: Vec<String> = (0..20).map(|n| format!("r{n}")).collect();
    let submit = |id: String| {
        let body = ChatBody { messages: vec![user(&format!("u{id}"))], ..ChatBody::default() };
        let body = Some(serde_json::to_string(&body).unwrap());
        let init = RequestInit { method: "POST".into(), body };
        sender.handle(ClientFrame::ChatRequest { id: id.as_str().into(), init })
    };
    submit(ids[0].clone()).await.unwrap();
    stage.model.wait_for_calls(1).await;
    let rest = async {
        let mut refused = Vec::new();
        for id in &ids[1..] {
            let taken = submit(id.clone()).await;
            refused.extend(taken.is_err().then(|| id.clone()));
        }
        refused
    };
    let (mut ended, gone) = tokio::join!(rest, stage.engine.delete_session(&info.id));
    assert!(gone.unwrap());
    while let Some(batch) = soon("the end", reader.receive()).await {
        let frames = batch.iter().map(|text| serde_json::from_slice::<ServerFrame>(text).unwrap());
        ended.extend(frames.filter_map(done_id));
    }
    ended.sort();
    let mut expected = ids.clone();
    expected.sort();
    assert_eq!(ended, expected);
    // Nothing of them comes back with the session.
    stage.engine.restore_session(&info.id).await.unwrap();
    let restored = stage.after_kill([]).await;
    let mut late = restored.tab_on(info.id.as_str(), Some(50)).await;
    late.rest().await;
    assert_eq!(restored.model.requests().len(), 0);
}

fn done_id(frame: ServerFrame) -> Option<String> {
    if let ServerFrame::ChatResponse(end) = frame { end.done.then_some(end.id) } else { None }
}
