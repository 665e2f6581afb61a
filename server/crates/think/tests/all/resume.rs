//! Tabs that come late or come back: the same bytes, none twice, none missing.

use crate::support::{Stage, Tab, responses, soon, stage, story, text_of, user};
use model::{ErrorClass, Gate, Script};
use protocol::{ClientFrame, ServerFrame, limits};
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

// TK-033, row by row: what counts is when a stream ended, or when it last gave a sign of life.
#[tokio::test]
async fn streams_are_kept_for_their_time_and_go_with_their_chunks() {
    const MINUTE: i64 = 60_000;
    let stage = stage([pieces(0..5).stop()]).await;
    let now = 1_000 * MINUTE;
    stage.clock.set(now.cast_unsigned());
    let rows = [
        ("finished 11 min ago", "completed", now - 20 * MINUTE, Some(now - 11 * MINUTE), now - 12 * MINUTE),
        ("finished 9 min ago", "error", now - 20 * MINUTE, Some(now - 9 * MINUTE), now - 12 * MINUTE),
        ("alive 5 min ago", "streaming", now - 120 * MINUTE, None, now - 5 * MINUTE),
        ("silent for 61 min", "streaming", now - 120 * MINUTE, None, now - 61 * MINUTE),
    ];
    for (id, status, created, completed, chunk) in rows {
        let stream = "INSERT INTO cf_ai_chat_stream_metadata (id, request_id, status, created_at, completed_at) \
            VALUES (?1, ?1, ?2, ?3, ?4)";
        let stream = sqlx::query(stream).bind(id).bind(status).bind(created).bind(completed);
        stream.execute(stage.file.db.writer()).await.unwrap();
        let piece = "INSERT INTO cf_ai_chat_stream_chunks (stream_id, body, chunk_index, created_at) \
            VALUES (?, '{}', 0, ?)";
        sqlx::query(piece).bind(id).bind(chunk).execute(stage.file.db.writer()).await.unwrap();
    }
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.rest().await;
    for (table, id) in [("cf_ai_chat_stream_metadata", "id"), ("cf_ai_chat_stream_chunks", "stream_id")] {
        let sql = format!("SELECT DISTINCT {id} FROM {table} WHERE {id} LIKE '% %' ORDER BY 1");
        let kept: Vec<String> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(stage.file.db.reader()).await.unwrap();
        assert_eq!(kept, ["alive 5 min ago", "finished 9 min ago"], "{table}");
    }
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

/// An answer of so many pieces, each stored by itself, and the tab that asked for it.
async fn stored_in_pieces(pieces: usize, size: usize) -> (Stage, Tab, Gate) {
    let gates: Vec<Gate> = (0..=pieces).map(|_| Gate::new()).collect();
    let piece = |number: usize| format!("{number}:{}", "x".repeat(size));
    let script = |script: Script, number: usize| script.text(&piece(number)).hold(&gates[number]);
    let stage = stage([(0..pieces).fold(Script::new(), script).hold(&gates[pieces]).stop()]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    for (number, gate) in gates.iter().enumerate().take(pieces) {
        let is_there = |frame: &ServerFrame| match frame {
            ServerFrame::ChatResponse(chunk) => chunk.body.contains(&format!("{number}:")),
            _ => false,
        };
        tab.until("a piece", is_there).await;
        gate.open();
    }
    (stage, tab, gates[pieces].clone())
}

// However long an answer is, a tab that comes back holds a page of it at a time.
#[tokio::test]
async fn a_replay_is_read_page_by_page_as_the_socket_takes_it() {
    let size = limits::REPLAY_PAGE_BYTES / 6;
    let (stage, mut tab, _gate) = stored_in_pieces(24, size).await;
    let mut back = stage.tab().await;
    back.ack("r1", None).await;
    let (mut pages, mut replayed) = (Vec::new(), Vec::<ServerFrame>::new());
    let is_end = |frame: &ServerFrame| matches!(frame, ServerFrame::ChatResponse(it) if it.replay_complete);
    while !replayed.last().is_some_and(is_end) {
        let batch = back.batch().await;
        pages.push(batch.iter().map(bytes::Bytes::len).sum::<usize>());
        replayed.extend(batch.iter().map(|text| serde_json::from_slice::<ServerFrame>(text).unwrap()));
    }
    assert_eq!(text_of(&replayed, "r1"), text_of(&tab.seen, "r1"));
    let most = limits::REPLAY_PAGE_BYTES + 2 * size;
    assert!(pages.iter().all(|bytes| *bytes < most) && pages.len() > 5, "{pages:?}");

    // What it has not taken yet is nowhere but in the log.
    back.ack("r1", None).await;
    tab.say(ClientFrame::Clear {}).await;
    tab.rest().await;
    let rest = back.until("the clear", |frame| matches!(frame, ServerFrame::Clear {})).await;
    assert_eq!(text_of(&rest, "r1"), "");
}

// From every chunk on, in a stream that runs and in one that has ended: all that follow, each once.
#[tokio::test]
async fn a_replay_begins_and_ends_exactly_where_it_shall() {
    let (stage, mut tab, gate) = stored_in_pieces(12, limits::REPLAY_PAGE_BYTES / 4).await;
    for state in ["running", "ended"] {
        let all = responses(&tab.seen, "r1").iter().filter_map(|chunk| chunk.seq).max().unwrap() + 1;
        let mut back = stage.tab().await;
        back.rest().await;
        for from in 0..=all + 1 {
            back.ack("r1", Some(from)).await;
            let heard = back.rest().await;
            let heard: Vec<u64> = responses(&heard, "r1").iter().filter_map(|chunk| chunk.seq).collect();
            assert_eq!(heard, (from..all).collect::<Vec<_>>(), "{state} from {from}");
        }
        if state == "running" {
            gate.open();
            tab.until_turn_ends("r1").await;
        }
    }
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
