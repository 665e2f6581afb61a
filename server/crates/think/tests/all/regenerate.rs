//! Another version of an answer: a sibling, made from the same question, the old one kept.

use crate::support::{stage, user};
use model::{ErrorClass, Gate, Script};
use protocol::{ChatBody, ServerFrame, SessionId, Trigger, TurnStatus};

// TK-081, I5, C01
#[tokio::test]
async fn a_new_version_stands_beside_the_old_one() {
    let stage = stage([Script::new().text("OLDANSWER").stop(), Script::new().text("v2").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.regenerate("r2", vec![user("u1")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 *:v2");
    let request = format!("{:?}", stage.model.requests()[1]);
    assert!(request.contains("say u1") && !request.contains("OLDANSWER"), "{request}");
    let session = stage.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    let mut versions = Vec::new();
    for id in session.children(Some(&"u1".into())).await.unwrap() {
        versions.push(session.get(&id).await.unwrap().unwrap().plain_text());
    }
    assert_eq!(versions, ["OLDANSWER", "v2"]);
}

#[tokio::test]
async fn a_version_that_says_nothing_leaves_the_old_answer_active() {
    let scripts = [Script::new().text("old").stop(), Script::new().error(ErrorClass::Unavailable, "down")];
    let stage = stage(scripts).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.regenerate("r2", vec![user("u1")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 *:old");
}

#[tokio::test]
async fn a_killed_version_is_a_sibling_too() {
    let gate = Gate::new();
    let before =
        stage([Script::new().text("old").stop(), Script::new().text("half").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.regenerate("r2", vec![user("u1")]).await;
    tab.until_text("r2", "half").await;
    let after = before.after_kill([]).await;
    assert_eq!(after.path().await, "u1:say u1 *:half");
    let session = after.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    assert_eq!(session.children(Some(&"u1".into())).await.unwrap().len(), 2);
}

/// What the question says of a turn that left nothing.
async fn note(stage: &crate::support::Stage) -> Option<(TurnStatus, Option<String>)> {
    let session = stage.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    let turn = session.get(&"u1".into()).await.unwrap().unwrap().turn()?;
    Some((turn.status, turn.error))
}

#[tokio::test]
async fn a_turn_that_leaves_nothing_is_noted_on_its_question_until_there_is_an_answer() {
    let scripts = [Script::new().error(ErrorClass::Unavailable, "down"), Script::new().text("up").stop()];
    let stage = stage(scripts).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let (status, error) = note(&stage).await.expect("a note");
    assert!(status == TurnStatus::Failed && error.is_some_and(|error| error.contains("down")));
    assert_eq!(stage.path().await, "u1:say u1");
    tab.regenerate("r2", vec![user("u1")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!((stage.path().await.as_str(), note(&stage).await), ("u1:say u1 *:up", None));
}

#[tokio::test]
async fn one_turn_may_have_a_model_of_its_own() {
    let stage = stage([Script::new().text("one").stop(), Script::new().text("two").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let again = |model: &str| ChatBody {
        messages: vec![user("u1")],
        trigger: Some(Trigger::RegenerateMessage),
        model: Some(model.to_owned()),
        ..ChatBody::default()
    };
    tab.request("r2", again("test/other")).await;
    tab.until_turn_ends("r2").await;
    let session = stage.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    let mut models = Vec::new();
    for id in session.children(Some(&"u1".into())).await.unwrap() {
        models.push(session.get(&id).await.unwrap().unwrap().turn().unwrap().model);
    }
    assert_eq!(models, ["test/scripted", "test/other"]);
    let row = stage.engine.get_session(&SessionId::default()).await.unwrap().unwrap();
    assert_eq!(row.model, None, "the session's own choice is as it was");
    tab.request("r3", again("test/none")).await;
    let _refused = tab.until("a refusal", |frame| matches!(frame, ServerFrame::Error { .. })).await;
    assert_eq!(stage.path().await, "u1:say u1 *:two");
}
