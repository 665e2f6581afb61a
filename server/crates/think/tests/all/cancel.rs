//! Stop, clear, shutdown: what is kept, what is told, what is closed.

use crate::support::{soon, stage, story, user};
use model::{Gate, Script};
use protocol::{ClientFrame, ServerFrame, TurnStatus};
use think::{CloseReason, OutcomeStatus};

// TK-054, TK-050
#[tokio::test]
async fn stop_closes_the_call_and_keeps_the_part() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("a").text("b").text("c").hold(&gate).stop()]).await;
    let (mut a, mut b) = (stage.tab().await, stage.tab().await);
    a.submit("r1", vec![user("u1")]).await;
    a.until_text("r1", "abc").await;
    b.until_text("r1", "abc").await;
    b.say(ClientFrame::Cancel { id: "r1".into() }).await;
    soon("the upstream is closed", stage.model.wait_for_cancelled(1)).await;
    for tab in [&mut a, &mut b] {
        let frames = tab.until_turn_ends("r1").await;
        assert_eq!(story(&frames), ["chunk r1", "done r1", "messages[u1:say u1 *:abc]", "turn r1 Stopped"]);
    }
    assert_eq!(stage.hook_calls(1).await[0].status, OutcomeStatus::Aborted);
    // Again, and of something unknown: silence.
    a.say(ClientFrame::Cancel { id: "r1".into() }).await;
    a.say(ClientFrame::Cancel { id: "nobody".into() }).await;
    assert_eq!(story(&a.rest().await), Vec::<String>::new());
}

#[tokio::test]
async fn stop_reaches_a_model_that_has_not_said_a_word() {
    let gate = Gate::new();
    let stage = stage([Script::new().hold(&gate).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    soon("the call", stage.model.wait_for_calls(1)).await;
    tab.say(ClientFrame::Cancel { id: "r1".into() }).await;
    soon("the upstream is closed", stage.model.wait_for_cancelled(1)).await;
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1");
}

// TK-057
#[tokio::test]
async fn clear_leaves_no_trace() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("abc").hold(&gate).stop(), Script::new().text("new").stop()]).await;
    let (mut a, mut b) = (stage.tab().await, stage.tab().await);
    a.submit("r1", vec![user("u1")]).await;
    a.until_text("r1", "abc").await;
    b.until_text("r1", "abc").await;
    a.say(ClientFrame::Clear {}).await;
    for tab in [&mut a, &mut b] {
        let frames = tab.until("clear", |frame| matches!(frame, ServerFrame::Clear {})).await;
        assert_eq!(story(&frames), ["done r1", "clear"]);
    }
    gate.open();
    a.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    assert_eq!(story(&a.rest().await), ["none"]);
    assert_eq!(stage.path().await, "");
    for table in
        ["assistant_messages", "cf_ai_chat_stream_metadata", "cf_ai_chat_stream_chunks", "think_turns"]
    {
        assert_eq!(count(&stage, table).await, 0, "{table}");
    }
    a.submit("r2", vec![user("u2")]).await;
    a.until_turn_ends("r2").await;
    assert_eq!(stage.model.requests()[1].messages.len(), 1);
    assert_eq!(stage.hook_calls(1).await.len(), 1, "no hook for the cleared turn");
}

// What was asked comes back from the trash; the places of answers that were running or waiting do not.
#[tokio::test]
async fn a_cleared_conversation_comes_back_without_answers_that_never_came() {
    let stage = stage([Script::new().text("abc").hold(&Gate::new()).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "abc").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.submit("r3", vec![user("u3")]).await;
    tab.rest().await;
    assert!(stage.engine.clear_session(&"".into()).await.unwrap());
    let restored = stage.engine.restore_message(&"".into(), &"u1".into()).await.unwrap();
    assert_eq!((restored, stage.path().await.as_str()), (Some(3), "u1:say u1 u2:say u2 u3:say u3"));
}

async fn count(stage: &crate::support::Stage, table: &'static str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(stage.file.db.reader()).await.unwrap()
}

#[tokio::test]
async fn shutdown_keeps_the_part_and_closes_the_tabs() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("abc").hold(&gate).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "abc").await;
    soon("shutdown", stage.engine.shutdown()).await;
    assert_eq!(tab.until_closed().await, Some(CloseReason::Stopping));
    let history = stage.history().await;
    assert_eq!(history[1].plain_text(), "abc");
    assert_eq!(history[1].turn().unwrap().status, TurnStatus::Interrupted);
    assert!(stage.engine.connect(&"".into(), think::ConnectOptions::default()).await.is_err());
}
