//! What a killed server leaves behind, and what the next one makes of it.

use crate::support::{stage, story, tab_of, text_of, user};
use model::{Gate, Script};
use protocol::{ClientFrame, ServerFrame, TurnStatus};

// TK-044, A18
#[tokio::test]
async fn what_was_shown_survives_a_kill() {
    let gate = Gate::new();
    let script = (0..11).fold(Script::new(), |script, n| script.text(&format!("{n},"))).hold(&gate).stop();
    let before = stage([script]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "10,").await;
    let shown = text_of(&tab.seen, "r1");

    let after = before.after_kill([Script::new().text("next").stop()]).await;
    assert_eq!(after.path().await, format!("u1:say u1 *:{shown}"));
    assert_eq!(after.history().await[1].turn().unwrap().status, TurnStatus::Interrupted);
    let mut tab = after.tab().await;
    tab.until("greeting", |frame| matches!(frame, ServerFrame::Messages(_))).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    tab.ack("r1", None).await;
    let frames = tab.rest().await;
    assert_eq!(story(&frames), ["resuming r1", "chunk r1", "done r1"]);
    assert_eq!(text_of(&frames, "r1"), shown);

    // The follow-up goes on below the interrupted answer.
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(after.path().await, format!("u1:say u1 *:{shown} u2:say u2 *:next"));
    assert_eq!(after.model.requests()[0].messages.len(), 3);
}

#[tokio::test]
async fn a_turn_that_never_spoke_leaves_the_question() {
    let gate = Gate::new();
    let before = stage([Script::new().hold(&gate).stop()]).await;
    let tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(1).await;
    let after = before.after_kill([]).await;
    assert_eq!(after.path().await, "u1:say u1");
    let mut late = tab_of(&after.engine, "", Some(50)).await;
    let greeting = late.until_turn_ends("r1").await;
    assert_eq!(story(&greeting), ["identity", "messages[u1:say u1]", "turn r1 Interrupted"]);
}

#[tokio::test]
async fn queued_turns_that_never_ran_keep_their_questions_in_line() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.rest().await;
    let after = before.after_kill([]).await;
    assert_eq!(after.path().await, "u1:say u1 *:one u2:say u2");
}

#[tokio::test]
async fn a_second_start_changes_nothing_more() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    let once = before.after_kill([]).await;
    let twice = once.after_kill([]).await;
    assert_eq!(twice.history().await, once.history().await);
}
