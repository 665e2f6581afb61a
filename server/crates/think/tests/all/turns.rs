//! Turns that run to their end: order of frames, what is stored, tools, failures.

use crate::support::{chunks, id_of, responses, soon, stage, stage_with, story, text_of, user};
use model::{ErrorClass, Script, ScriptedModel};
use protocol::{Chunk, ClientFrame, Part, PartState, RequestInit, ServerFrame, ToolState, TurnStatus};
use serde_json::json;
use think::OutcomeStatus;

// TK-006, TK-007, TK-009
#[tokio::test]
async fn a_first_answer_streams_and_stays() {
    let stage = stage([Script::new().text("Good ").text("morning").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;

    assert_eq!(text_of(&frames, "r1"), "Good morning");
    let done: Vec<_> = responses(&frames, "r1").into_iter().filter(|response| response.done).collect();
    assert_eq!(done.len(), 1);
    assert_eq!((done[0].body.as_str(), done[0].error), ("", false));
    assert_eq!(
        story(&frames),
        [
            "identity",
            "messages[]",
            "chunk r1",
            "done r1",
            "messages[u1:say u1 *:Good morning]",
            "turn r1 Complete"
        ]
    );

    let history = stage.history().await;
    let Some(Chunk::Start { message_id, .. }) = chunks(&frames, "r1").first().cloned() else {
        panic!("no start")
    };
    assert_eq!(message_id, Some(id_of(&history[1])));
    let Part::Text(text) = &history[1].parts[1] else { panic!("{:?}", history[1].parts) };
    assert_eq!((text.text.as_str(), text.state), ("Good morning", Some(PartState::Done)));
    let hooks = stage.hook_calls(1).await;
    assert_eq!((hooks[0].status, hooks[0].turn_status), (OutcomeStatus::Completed, TurnStatus::Complete));
    assert_eq!(hooks[0].message.as_ref(), Some(&history[1]));
}

// TK-008
#[tokio::test]
async fn other_tabs_hear_the_question_first_and_the_same_chunks() {
    let stage = stage([Script::new().text("a").text("b").stop()]).await;
    let (mut a, mut b) = (stage.tab().await, stage.tab().await);
    for tab in [&mut a, &mut b] {
        tab.until("greeting", |frame| matches!(frame, ServerFrame::Messages(_))).await;
    }
    a.submit("r1", vec![user("u1")]).await;
    let (heard_a, heard_b) = (a.until_turn_ends("r1").await, b.until_turn_ends("r1").await);
    let end = ["chunk r1", "done r1", "messages[u1:say u1 *:ab]", "turn r1 Complete"];
    assert_eq!(story(&heard_a), end);
    assert_eq!(story(&heard_b)[0], "messages[u1:say u1]");
    assert_eq!(story(&heard_b)[1..], end);
    assert_eq!(responses(&heard_a, "r1"), responses(&heard_b, "r1"));
}

// TK-010
#[tokio::test]
async fn a_second_turn_follows_the_first() {
    let stage = stage([Script::new().text("one").stop(), Script::new().text("two").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let before = stage.history().await;
    let list = before.iter().cloned().chain([user("u2")]).collect();
    tab.submit("r2", list).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two");
    assert_eq!(stage.history().await[..2], before);
    let prompt: Vec<_> = stage.model.requests()[1].messages.clone();
    assert_eq!(prompt.len(), 3, "the question, its answer, the new question: {prompt:?}");
}

// TK-012
#[tokio::test]
async fn the_step_cap_ends_a_tool_loop() {
    let model = ScriptedModel::answering(|_| {
        Script::new().tool("c1", "add", &json!({ "a": 1, "b": 1 })).tool_calls()
    });
    let stage = stage_with(model, |spec| spec.max_steps = 3).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    assert_eq!(stage.model.requests().len(), 3);
    assert!(responses(&frames, "r1").iter().all(|response| !response.error));
    let message = stage.history().await.pop().unwrap();
    let shape: Vec<_> = message
        .parts
        .iter()
        .map(|part| part.as_tool().map(|tool| (tool.call.state, tool.call.output.clone())))
        .collect();
    let call = Some((ToolState::OutputAvailable, Some(json!({ "sum": 2 }))));
    assert_eq!(shape, [None, call.clone(), None, call.clone(), None, call]);
    assert_eq!(message.turn().unwrap().status, TurnStatus::StepLimit);
    assert_eq!(stage.hook_calls(1).await[0].status, OutcomeStatus::Completed);
}

// TK-013, its half without blocks
#[tokio::test]
async fn without_blocks_the_system_prompt_is_the_agents() {
    let model = ScriptedModel::new([Script::new().text("ok").stop()]);
    let stage = stage_with(model, |spec| spec.system_prompt = "Base persona".into()).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.model.requests()[0].system.as_deref(), Some("Base persona"));
}

// TK-016
#[tokio::test]
async fn an_error_in_the_stream_keeps_what_arrived() {
    let stage = stage([Script::new().text("par").error(ErrorClass::RateLimited, "quota hit")]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let ends: Vec<_> = responses(&frames, "r1")
        .into_iter()
        .rev()
        .take(2)
        .map(|end| (end.done, end.error, end.body))
        .collect();
    assert_eq!(ends, [(true, false, String::new()), (false, true, "quota hit".into())]);
    assert_eq!(stage.path().await, "u1:say u1 *:par");
    let info = stage.history().await[1].turn().unwrap();
    assert_eq!((info.status, info.error.as_deref()), (TurnStatus::Failed, Some("quota hit")));
    let outcome = stage.hook_calls(1).await[0].clone();
    assert_eq!((outcome.status, outcome.error.as_deref()), (OutcomeStatus::Error, Some("quota hit")));
}

// A16: a stream that just stops is no complete answer.
#[tokio::test]
async fn a_cut_stream_is_told_as_one() {
    let stage = stage([Script::new().text("par")]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    assert_eq!(story(&tab.until_turn_ends("r1").await).last().unwrap(), "turn r1 CutOff");
    assert_eq!(stage.history().await[1].turn().unwrap().status, TurnStatus::CutOff);
}

#[tokio::test]
async fn a_failure_before_any_answer_leaves_the_question_and_is_told_to_late_tabs() {
    let stage = stage([Script::new().error(ErrorClass::Auth, "the key is wrong")]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1");
    let mut late = stage.page().await;
    let greeting = late.until_turn_ends("r1").await;
    assert_eq!(story(&greeting), ["identity", "messages[u1:say u1]", "turn r1 Failed"]);
}

#[tokio::test]
async fn an_unknown_model_fails_in_the_turn() {
    let stage = stage_with(ScriptedModel::new([]), |spec| spec.default_model = "test/none".into()).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let error = responses(&frames, "r1").into_iter().find(|response| response.error).unwrap();
    assert_eq!(error.body, "there is no model test/none");
}

// TK-003
#[tokio::test]
async fn wrong_requests_change_nothing_and_are_answered() {
    let stage = stage([Script::new().text("fine").stop()]).await;
    let mut tab = stage.tab().await;
    let init = |method: &str, body: Option<&str>| RequestInit {
        method: method.into(),
        body: body.map(str::to_owned),
    };
    let wrong = [
        init("GET", Some("{\"messages\":[]}")),
        init("POST", None),
        init("POST", Some(r#"{"messages":"x"}"#)),
    ];
    for (at, init) in wrong.into_iter().enumerate() {
        tab.say(ClientFrame::ChatRequest { id: format!("w{at}").into(), init }).await;
        let id = format!("w{at}");
        let frames = tab.until("an answer", |frame| matches!(frame, ServerFrame::ChatResponse(_))).await;
        assert!(responses(&frames, &id).iter().all(|end| end.done && end.error), "{frames:?}");
    }
    assert_eq!(stage.path().await, "");
    assert!(stage.model.requests().is_empty());
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1 *:fine");
}

#[tokio::test]
async fn a_flood_of_deltas_arrives_whole() {
    let script = (0..5_000).fold(Script::new(), |script, n| script.text(&format!("{n} "))).stop();
    let stage = stage([script]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let expected: String = (0..5_000).map(|n| format!("{n} ")).collect();
    assert_eq!(text_of(&frames, "r1"), expected);
    let seqs: Vec<u64> = responses(&frames, "r1").iter().filter_map(|response| response.seq).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>(), "numbers without a gap");
    soon("the store", async { assert_eq!(stage.history().await[1].plain_text(), expected) }).await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_to_keep_is_not_called_complete() {
    let script = (0..20).fold(Script::new(), |script, _| script.text(&"x".repeat(100_000))).stop();
    let stage = stage([script]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let Some(ServerFrame::Turn { status, error, .. }) = frames.last() else { panic!("no end") };
    assert_eq!(*status, TurnStatus::CutOff);
    let error = error.clone().unwrap();
    assert!(error.ends_with("at most 1800000 are kept (MESSAGE_MAX_BYTES); the rest is missing."), "{error}");
    let turn = stage.history().await[1].turn().unwrap();
    assert_eq!((turn.status, turn.error), (TurnStatus::CutOff, Some(error)));
}
