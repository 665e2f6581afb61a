//! Tabs that come late or come back: the same bytes, none twice, none missing.

use crate::support::{responses, soon, stage, story, text_of, user};
use model::{ErrorClass, Gate, Script};
use protocol::{ClientFrame, ServerFrame};
use serde_json::json;

fn pieces(range: std::ops::Range<u32>) -> Script {
    range.fold(Script::new(), |script, n| script.text(&format!("{n},")))
}

// TK-036
#[tokio::test]
async fn an_idle_session_has_nothing_to_resume() {
    let stage = stage([]).await;
    let mut tab = stage.tab().await;
    tab.until("greeting", |frame| matches!(frame, ServerFrame::Messages(_))).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: Some(json!("p1")) }).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: Some(json!(7)) }).await;
    let answers: Vec<_> = tab.rest().await.iter().map(|frame| serde_json::to_value(frame).unwrap()).collect();
    let none = |probe: Option<&str>| {
        let mut frame = json!({ "type": "cf_agent_stream_resume_none", "reason": "idle" });
        if let Some(probe) = probe {
            frame["probeId"] = json!(probe);
        }
        frame
    };
    assert_eq!(answers, [none(Some("p1")), none(None), none(None)]);
}

// TK-037
#[tokio::test]
async fn a_tab_that_comes_in_mid_stream_gets_everything_once() {
    let gate = Gate::new();
    let script = (12..30).fold(pieces(0..12).hold(&gate), |script, n| script.text(&format!("{n},"))).stop();
    let stage = stage([script]).await;
    let mut first = stage.tab().await;
    first.submit("r1", vec![user("u1")]).await;
    first.until_text("r1", "11,").await;
    drop(first);
    let mut tab = stage.tab().await;
    let offer = tab.until("the offer", |frame| matches!(frame, ServerFrame::Resuming { .. })).await;
    assert_eq!(story(&offer), ["identity", "resuming r1"]);
    tab.ack("r1", None).await;
    let replay = tab
        .until("the replay", |frame| matches!(frame, ServerFrame::ChatResponse(end) if end.replay_complete))
        .await;
    assert!(responses(&replay, "r1").iter().all(|response| response.replay));
    assert_eq!(text_of(&replay, "r1"), (0..12).map(|n| format!("{n},")).collect::<String>());
    gate.open();
    let rest = tab.until_turn_ends("r1").await;
    assert!(responses(&rest, "r1").iter().all(|response| !response.replay));
    let all: String = text_of(&replay, "r1") + &text_of(&rest, "r1");
    assert_eq!(all, (0..30).map(|n| format!("{n},")).collect::<String>());
    assert_eq!(stage.model.requests().len(), 1);
}

#[tokio::test]
async fn no_live_chunk_slips_in_between_offer_and_acknowledgement() {
    let gate = Gate::new();
    let stage = stage([pieces(0..3).hold(&gate).text("late").stop()]).await;
    let mut first = stage.tab().await;
    first.submit("r1", vec![user("u1")]).await;
    first.until_text("r1", "2,").await;
    let mut tab = stage.tab().await;
    tab.until("the offer", |frame| matches!(frame, ServerFrame::Resuming { .. })).await;
    gate.open();
    first.until_turn_ends("r1").await;
    tab.ack("r1", None).await;
    let frames = tab.rest().await;
    assert_eq!(
        story(&frames),
        ["done r1", "messages[u1:say u1 *:0,1,2,late]", "turn r1 Complete", "chunk r1", "done r1"]
    );
    assert_eq!(text_of(&frames, "r1"), "0,1,2,late");
}

#[tokio::test]
async fn a_tab_that_knows_where_it_was_gets_the_rest_only() {
    let gate = Gate::new();
    let stage = stage([pieces(0..10).hold(&gate).stop()]).await;
    let mut first = stage.tab().await;
    first.submit("r1", vec![user("u1")]).await;
    first.until_text("r1", "9,").await;
    let chunks = responses(&first.seen, "r1");
    let seen = &chunks[..6];
    let mut back = stage.tab().await;
    back.ack("r1", Some(seen.last().unwrap().seq.unwrap() + 1)).await;
    let replay = back
        .until("the replay", |frame| matches!(frame, ServerFrame::ChatResponse(end) if end.replay_complete))
        .await;
    let bodies = |responses: &[protocol::ChatResponse]| {
        responses.iter().map(|response| response.body.clone()).collect::<Vec<_>>()
    };
    let mut joined = bodies(seen);
    joined.extend(bodies(&responses(&replay, "r1")));
    joined.pop();
    assert_eq!(joined, bodies(&chunks));
}

// TK-039
#[tokio::test]
async fn a_finished_stream_can_be_read_again() {
    let stage = stage([pieces(0..5).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.ack("r1", None).await;
    let frames = tab.rest().await;
    assert_eq!(story(&frames), ["chunk r1", "done r1"]);
    assert!(responses(&frames, "r1").iter().all(|response| response.replay));
    assert_eq!(text_of(&frames, "r1"), "0,1,2,3,4,");
    tab.ack("unknown", None).await;
    assert_eq!(story(&tab.rest().await), ["done unknown"]);
}

// TK-033, seen from outside: what is older than the retention is gone.
#[tokio::test]
async fn finished_streams_are_swept_after_their_time() {
    let stage = stage([pieces(0..5).stop(), Script::new().text("x").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    stage.clock.advance(protocol::limits::STREAM_FINISHED_RETENTION_MS + 1);
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    tab.ack("r1", None).await;
    assert_eq!(story(&tab.rest().await), ["done r1"]);
}

#[tokio::test]
async fn a_failed_turn_is_told_to_tabs_that_ask_later_until_the_next_request() {
    let stage =
        stage([pieces(0..3).error(ErrorClass::Unavailable, "boom"), Script::new().text("ok").stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let mut late = stage.tab().await;
    late.until("greeting", |frame| matches!(frame, ServerFrame::Messages(_))).await;
    late.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    late.ack("r1", None).await;
    let frames = late.rest().await;
    assert_eq!(story(&frames), ["resuming r1", "chunk r1", "done+error r1"]);
    assert_eq!(responses(&frames, "r1").last().unwrap().body, "boom");
    late.submit("r2", vec![user("u2")]).await;
    late.until_turn_ends("r2").await;
    late.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    assert_eq!(story(&late.rest().await), ["none"]);
}

#[tokio::test]
async fn a_socket_that_does_not_read_is_dropped_and_the_turn_goes_on() {
    // More bytes than a socket's queue may hold, in more batches than one.
    const PIECES: usize = 1_100;
    let piece = "x".repeat(protocol::limits::SUBSCRIBER_QUEUE_MAX_BYTES / 1_000);
    let script = (0..PIECES).fold(Script::new(), |script, _| script.text(&piece)).stop();
    let stage = stage([script]).await;
    let (mut reader, mut sleeper) = (stage.tab().await, stage.tab().await);
    reader.submit("r1", vec![user("u1")]).await;
    reader.until_turn_ends("r1").await;
    assert_eq!(soon("the drop", sleeper.until_closed()).await, Some(think::CloseReason::FellBehind));
    assert_eq!(text_of(&reader.seen, "r1").len(), PIECES * piece.len());
}
