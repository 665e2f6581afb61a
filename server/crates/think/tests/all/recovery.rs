//! What a killed server leaves behind, and what the next one makes of it.

use crate::support::{Stage, stage, story, tab_of, text_of, user};
use model::{Gate, Script};
use protocol::{ClientFrame, ServerFrame, TurnStatus};
use think::Recovery;

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
async fn a_turn_that_never_spoke_runs_again_once() {
    let before = silent().await;
    let gate = Gate::new();
    let after = before.after_kill([Script::new().text("again").hold(&gate).stop()]).await;
    let mut tab = after.tab().await;
    after.model.wait_for_calls(1).await;
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(after.path().await, "u1:say u1 *:again");
    assert_eq!(after.hook_calls(1).await.len(), 1);
}

#[tokio::test]
async fn a_turn_that_never_speaks_is_not_tried_for_ever() {
    let before = silent().await;
    let gate = Gate::new();
    let between = before.after_kill([Script::new().hold(&gate).stop()]).await;
    between.model.wait_for_calls(1).await;
    let after = between.after_kill([]).await;
    assert_eq!(after.path().await, "u1:say u1");
    let mut late = tab_of(&after.engine, "", Some(50)).await;
    let greeting = late.until_turn_ends("r1").await;
    assert_eq!(story(&greeting), ["identity", "messages[u1:say u1]", "turn r1 Interrupted"]);
    assert_eq!(after.model.requests().len(), 0);
}

#[tokio::test]
async fn without_recovery_a_silent_turn_is_marked() {
    let after = silent().await.after_kill_with([], |spec| spec.turns.recovery = Recovery::Mark).await;
    let mut late = tab_of(&after.engine, "", Some(50)).await;
    let greeting = late.until_turn_ends("r1").await;
    assert_eq!(story(&greeting), ["identity", "messages[u1:say u1]", "turn r1 Interrupted"]);
}

/// A turn whose model was called and has not said a word.
async fn silent() -> Stage {
    let gate = Gate::new();
    let stage = stage([Script::new().hold(&gate).stop()]).await;
    stage.tab().await.submit("r1", vec![user("u1")]).await;
    stage.model.wait_for_calls(1).await;
    stage
}

#[tokio::test]
async fn queued_turns_that_never_ran_keep_their_place_and_run() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.submit("r3", vec![user("u3")]).await;
    tab.rest().await;
    let after = before.after_kill(["two", "three"].map(|text| Script::new().text(text).stop())).await;
    let ended: Vec<String> =
        after.hook_calls(2).await.iter().map(|outcome| outcome.request_id.to_string()).collect();
    assert_eq!(ended, ["r2", "r3"]);
    assert_eq!(after.path().await, "u1:say u1 *:one u2:say u2 *:two u3:say u3 *:three");
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
