//! Requests that come while a turn runs: one line, one at a time, nothing lost.

use crate::support::{stage, story, user};
use model::{Gate, ModelMessage, Script};
use protocol::ServerFrame;

#[tokio::test]
async fn a_queued_question_hangs_below_the_answer_before_it() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop(), Script::new().text("two").stop()]).await;
    let (mut a, mut b) = (stage.tab().await, stage.tab().await);
    a.submit("r1", vec![user("u1")]).await;
    a.until_text("r1", "one").await;
    // The second tab knows nothing of the answer that is being written.
    b.submit("r2", vec![user("u1"), user("u2")]).await;
    a.until("u2", |frame| matches!(frame, ServerFrame::Messages(list) if list.messages.len() == 2)).await;
    gate.open();
    b.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two");
    let roles: Vec<bool> = stage.model.requests()[1]
        .messages
        .iter()
        .map(|message| matches!(message, ModelMessage::User(_)))
        .collect();
    assert_eq!(roles, [true, false, true], "the second prompt is question, answer, question");
}

#[tokio::test]
async fn a_queued_question_moves_up_when_nothing_came_of_the_turn_before() {
    let gate = Gate::new();
    let stage = stage([Script::new().hold(&gate), Script::new().text("two").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    stage.model.wait_for_calls(1).await;
    tab.submit("r2", vec![user("u1"), user("u2")]).await;
    gate.open();
    tab.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 u2:say u2 *:two");
}

// B01
#[tokio::test]
async fn twenty_questions_from_two_tabs_at_once_make_one_line() {
    let stage = stage((0..20).map(|n| Script::new().text(&format!("answer {n}")).stop())).await;
    let (mut a, mut b) = (stage.tab().await, stage.tab().await);
    for n in 0..10 {
        let (left, right) = (format!("l{n}"), format!("r{n}"));
        tokio::join!(a.submit(&left, vec![user(&left)]), b.submit(&right, vec![user(&right)]));
    }
    a.until_turn_ends("l9").await;
    b.until_turn_ends("r9").await;
    let history = stage.history().await;
    assert_eq!(history.len(), 40);
    let users: Vec<&str> = history.iter().step_by(2).map(|message| message.id.as_str()).collect();
    let mut sorted = users.clone();
    sorted.sort_unstable();
    let mut expected: Vec<String> = (0..10).flat_map(|n| [format!("l{n}"), format!("r{n}")]).collect();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let answers: Vec<String> =
        history.iter().skip(1).step_by(2).map(|message| message.plain_text()).collect();
    assert_eq!(answers, (0..20).map(|n| format!("answer {n}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_waiting_turn_can_be_cancelled_and_never_calls_the_model() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.say(protocol::ClientFrame::Cancel { id: "r2".into() }).await;
    let frames = tab.until("done", |frame| matches!(frame, ServerFrame::ChatResponse(end) if end.done)).await;
    assert_eq!(story(&frames), ["done r2"]);
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2");
    assert_eq!(stage.model.requests().len(), 1);
}

#[tokio::test]
async fn a_request_that_is_running_is_not_taken_twice() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until("a refusal", |frame| matches!(frame, ServerFrame::Error { .. })).await;
    assert_eq!(story(&frames), ["refused Conflict"]);
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one");
}
