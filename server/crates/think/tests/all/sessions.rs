//! Several sessions of one instance: no cross-talk, and every page knows the list.

use crate::support::{soon, stage, stage_with, story, user};
use model::{Gate, Script, ScriptedModel};
use protocol::{ChatBody, ClientFrame, RequestInit, ServerFrame, SessionId};
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
