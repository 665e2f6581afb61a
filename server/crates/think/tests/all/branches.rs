//! Versions: edited questions, edited answers, and looking at another branch.

use crate::support::{Stage, Tab, frame_word, stage, text_of, user, words};
use model::{ErrorClass, Gate, Script};
use protocol::{ErrorCode, Message, MessageId, Part, Role, ServerFrame, SessionId, WireError};
use think::ThinkError;

fn said(id: &str, text: &str) -> Message {
    Message::text(id, Role::User, text)
}

fn parts(text: &str) -> Vec<Part> {
    said("x", text).parts
}

async fn answered(answers: &[&str]) -> (Stage, Tab) {
    let stage = stage(answers.iter().map(|text| Script::new().text(text).stop())).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    (stage, tab)
}

async fn versions(stage: &Stage, parent: Option<&MessageId>) -> Vec<String> {
    let session = stage.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    let mut texts = Vec::new();
    for id in session.children(parent).await.unwrap() {
        texts.push(session.get(&id).await.unwrap().unwrap().plain_text());
    }
    texts
}

fn code(error: &ThinkError) -> ErrorCode {
    WireError::from(error).code
}

// C13, C11: each edit is a version, and the prompt holds only the newest.
#[tokio::test]
async fn an_edited_question_is_a_version_beside_the_old_one_and_is_answered() {
    let (stage, mut tab) = answered(&["one", "two", "three", "four"]).await;
    let a1 = stage.history().await[1].clone();
    tab.submit("r2", vec![user("u1"), a1.clone(), said("u2", "second")]).await;
    tab.until_turn_ends("r2").await;
    tab.submit("r3", vec![user("u1"), a1.clone(), said("u2", "changed")]).await;
    let frames = tab.until_turn_ends("r3").await;
    let history = stage.history().await;
    assert_eq!(
        history.iter().map(Message::plain_text).collect::<Vec<_>>(),
        ["say u1", "one", "changed", "three"]
    );
    assert_ne!(history[2].id.as_str(), "u2");
    assert_eq!(versions(&stage, Some(&a1.id)).await, ["second", "changed"]);
    let prompt = format!("{:?}", stage.model.requests()[2]);
    assert!(prompt.contains("changed") && !prompt.contains("second"), "{prompt}");
    // The socket that edited learns the version's id before its answer begins.
    let ServerFrame::Messages(first) = frames.iter().find(|frame| is_list(frame)).unwrap() else { panic!() };
    assert_eq!(first.messages, history[..3]);
    // The first question too: another root.
    tab.submit("r4", vec![said("u1", "anew")]).await;
    tab.until_turn_ends("r4").await;
    assert_eq!(versions(&stage, None).await, ["say u1", "anew"]);
    assert_eq!(words(&stage.history().await).split(' ').count(), 2);
}

fn is_list(frame: &ServerFrame) -> bool {
    matches!(frame, ServerFrame::Messages(_))
}

#[tokio::test]
async fn an_edited_question_without_an_answer_stays_in_sight() {
    let scripts = [Script::new().text("old").stop(), Script::new().error(ErrorClass::BadRequest, "down")];
    let stage = stage(scripts).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.submit("r2", vec![said("u1", "anew")]).await;
    tab.until_turn_ends("r2").await;
    let texts: Vec<String> = stage.history().await.iter().map(Message::plain_text).collect();
    assert_eq!(texts, ["anew"]);
}

#[tokio::test]
async fn a_forged_list_rewrites_nothing() {
    let (stage, mut tab) = answered(&["true words", "two"]).await;
    let before = stage.history().await;
    let mut forged = before[1].clone();
    forged.parts = parts("false words");
    let list =
        vec![said("u1", "never said"), forged, Message::text("a9", Role::Assistant, "made up"), user("u2")];
    tab.submit("r2", list).await;
    tab.until_turn_ends("r2").await;
    let after = stage.history().await;
    assert_eq!(after[..2], before[..]);
    assert_eq!(words(&after), "u1:say u1 *:true words u2:say u2 *:two");
    assert_eq!(text_of(&tab.seen, "r2"), "two");
}

// C23: the leaf that was last viewed below the chosen message; every tab hears it.
#[tokio::test]
async fn looking_at_another_branch_is_told_to_every_tab_and_the_next_question_goes_there() {
    let (stage, mut tab) = answered(&["one", "two", "three", "four"]).await;
    let first = stage.history().await[1].id.clone();
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    tab.regenerate("r3", vec![user("u1")]).await;
    tab.until_turn_ends("r3").await;
    assert_eq!(stage.path().await, "u1:say u1 *:three");
    let mut other = stage.page().await;
    let _greeting = other.until("the greeting", is_list).await;
    let leaf = stage.engine.set_active(&SessionId::default(), &first).await.unwrap();
    let expected = "messages[u1:say u1 *:one u2:say u2 *:two]";
    for heard in [&mut tab, &mut other] {
        let frames = heard.until("the branch", |frame| frame_word(frame) == expected).await;
        assert!(!frames.is_empty());
    }
    assert_eq!(stage.history().await.last().unwrap().id, leaf);
    tab.submit("r4", vec![user("u3")]).await;
    tab.until_turn_ends("r4").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two u3:say u3 *:four");
}

#[tokio::test]
async fn nobody_moves_the_leaf_while_a_turn_runs() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let (engine, id) = (&stage.engine, SessionId::default());
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    let moved = engine.set_active(&id, &"u1".into()).await.unwrap_err();
    let edited = engine.edit_message(&id, &"u1".into(), parts("x")).await.unwrap_err();
    assert_eq!((code(&moved), code(&edited)), (ErrorCode::Busy, ErrorCode::Busy));
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(engine.set_active(&id, &"u1".into()).await.unwrap(), stage.history().await[1].id);
}

// C03, C04
#[tokio::test]
async fn a_message_is_edited_without_a_turn_and_keeps_what_was_below_it() {
    let (stage, mut tab) = answered(&["one", "two"]).await;
    let (engine, id) = (&stage.engine, SessionId::default());
    let old = stage.history().await[1].clone();
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    let version = engine.edit_message(&id, &old.id, parts("better")).await.unwrap();
    assert_eq!((&version.role, &version.metadata), (&Role::Assistant, &old.metadata));
    assert_eq!(stage.history().await, [user("u1"), version.clone()]);
    tab.until("the version", |frame| frame_word(frame) == "messages[u1:say u1 *:better]").await;
    engine.set_active(&id, &old.id).await.unwrap();
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two");
    let other = engine.edit_message(&id, &"u1".into(), parts("anew")).await.unwrap();
    assert_eq!(stage.history().await, [other]);
    assert_eq!(stage.model.requests().len(), 2, "nobody was asked");
}

#[tokio::test]
async fn what_cannot_be_a_version_or_a_branch_is_refused_in_plain_words() {
    let (stage, _tab) = answered(&["one"]).await;
    let (engine, id) = (&stage.engine, SessionId::default());
    let call = r#"[{ "type": "tool-x", "toolCallId": "c1", "state": "output-available", "input": {}, "output": 1 }]"#;
    let (u1, none) = (MessageId::from("u1"), MessageId::from("none"));
    let refusals = [
        engine.edit_message(&id, &u1, Vec::new()).await.unwrap_err(),
        engine.edit_message(&id, &u1, serde_json::from_str(call).unwrap()).await.unwrap_err(),
        engine.edit_message(&id, &none, parts("x")).await.unwrap_err(),
        engine.set_active(&id, &none).await.unwrap_err(),
        engine.set_active(&"none".into(), &u1).await.unwrap_err(),
    ];
    let texts: Vec<(ErrorCode, String)> =
        refusals.iter().map(|error| (code(error), error.to_string())).collect();
    let expected = [
        (ErrorCode::BadRequest, "a version of a message needs at least one part"),
        (
            ErrorCode::BadRequest,
            "the call c1 is not in the message like this; a new version can only keep calls or leave them out",
        ),
        (ErrorCode::UnknownMessage, "session \"\" has no message \"none\""),
        (ErrorCode::UnknownMessage, "session \"\" has no message \"none\""),
        (ErrorCode::UnknownSession, "there is no session \"none\""),
    ];
    assert_eq!(texts, expected.map(|(code, text)| (code, text.to_owned())));
    assert_eq!(stage.path().await, "u1:say u1 *:one");
}
