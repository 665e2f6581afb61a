//! Reconnecting: a tab that was away sees the same bytes, once and in order.

use crate::support::{Bough, Frame, Piece, Provider, Tab, TestApp, chat, hist_text, kind, text_of, user};
use serde_json::{Value, json};

/// `count` numbered pieces with a hold after `held`.
fn pieces(count: usize, held: usize) -> Vec<Piece> {
    let text = |number: usize| Piece::Text(format!("{number} "));
    let before = (0..held).map(text).chain([Piece::Hold]);
    before.chain((held..count).map(text)).collect()
}

fn whole(count: usize) -> String {
    (0..count).map(|number| format!("{number} ")).collect()
}

fn ack(id: &str) -> Value {
    json!({"type": "cf_agent_stream_resume_ack", "id": id})
}

/// Asks, and reads until `text` has arrived.
async fn ask(tab: &mut Tab, text: &str) -> Vec<Frame> {
    tab.send(chat("r1", &[user("u1", "count")])).await;
    tab.until_text("r1", text).await
}

// TK-036
#[tokio::test]
async fn an_idle_session_has_nothing_to_resume() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    let request = |probe: Option<&str>| {
        let mut frame = json!({"type": "cf_agent_stream_resume_request"});
        if let Some(probe) = probe {
            frame["probeId"] = json!(probe);
        }
        frame
    };
    tab.send(request(Some("p1"))).await;
    let none = json!({"type": "cf_agent_stream_resume_none", "reason": "idle", "probeId": "p1"});
    assert_eq!(tab.next().await, none);
    tab.send(request(None)).await;
    assert_eq!(tab.next().await, json!({"type": "cf_agent_stream_resume_none", "reason": "idle"}));
}

// TK-037
#[tokio::test]
async fn a_tab_that_comes_back_in_mid_stream_hears_everything_once() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(pieces(30, 12));
    let mut gone = app.greeted_tab().await;
    let _heard = ask(&mut gone, &whole(12)).await;
    drop(gone);

    let mut tab = app.tab().await;
    let greeting = tab.until(|frame| kind(frame) == "cf_agent_stream_resuming").await;
    assert!(greeting.iter().all(|frame| kind(frame) != "cf_agent_chat_messages"));
    assert_eq!(greeting.last().unwrap()["id"], "r1");
    tab.send(ack("r1")).await;
    let replay = tab.until(|frame| frame["replayComplete"] == true).await;
    let (end, chunks) = replay.split_last().unwrap();
    assert!(chunks.iter().all(|frame| frame["replay"] == true), "{chunks:?}");
    assert_eq!((&end["replay"], &end["done"], &end["body"]), (&json!(true), &json!(false), &json!("")));
    assert_eq!(text_of(chunks, "r1"), whole(12));
    provider.release();
    let live = tab.until_turn_ends("r1").await;
    assert!(live.iter().all(|frame| frame.get("replay").is_none()), "{live:?}");
    assert_eq!(text_of(chunks, "r1") + &text_of(&live, "r1"), whole(30));
    assert_eq!(live.iter().filter(|frame| frame["id"] == "r1" && frame["done"] == true).count(), 1);
    assert_eq!(provider.calls().len(), 1);
}

#[tokio::test]
async fn a_tab_that_knows_a_part_gets_only_the_rest() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(pieces(10, 6));
    let mut gone = app.greeted_tab().await;
    let heard = ask(&mut gone, &whole(6)).await;
    drop(gone);
    let known = heard.iter().filter_map(|frame| frame["seq"].as_u64()).max().expect("numbered chunks");

    let mut tab = app.tab_at("/agents/assistant/default?window=60").await;
    let greeting = tab.until(|frame| kind(frame) == "cf_agent_stream_resuming").await;
    assert!(greeting.iter().any(|frame| kind(frame) == "cf_agent_chat_messages"), "a window comes with it");
    tab.send(json!({"type": "cf_agent_stream_resume_ack", "id": "r1", "fromSeq": known + 1})).await;
    let replay = tab.until(|frame| frame["replayComplete"] == true).await;
    assert_eq!(text_of(&replay, "r1"), "");
    provider.release();
    assert_eq!(text_of(&heard, "r1") + &text_of(&tab.until_turn_ends("r1").await, "r1"), whole(10));
}

// TK-039
#[tokio::test]
async fn a_finished_turn_can_be_replayed() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["Good ", "morning"]);
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _turn = tab.until_turn_ends("r1").await;
    let mut late = app.greeted_tab().await;
    late.send(ack("r1")).await;
    let frames = late.until_done("r1").await;
    assert!(frames.iter().all(|frame| frame["replay"] == true), "{frames:?}");
    assert_eq!(text_of(&frames, "r1"), "Good morning");
}

// TK-044
#[tokio::test]
async fn a_killed_server_has_lost_nothing_that_was_shown() {
    let provider = Provider::start().await;
    let data = tempfile::tempdir().unwrap();
    let bough = Bough::start(data.path(), &provider).await;
    provider.play(pieces(20, 11));
    let mut tab = Tab::open(bough.address, "/agents/assistant/default", &[]).await.ok().unwrap();
    let shown = text_of(&ask(&mut tab, &whole(11)).await, "r1");
    bough.kill9().await;

    let bough = Bough::start(data.path(), &provider).await;
    let mut tab = Tab::open(bough.address, "/agents/assistant/default", &[]).await.ok().unwrap();
    tab.send(ack("r1")).await;
    let replay = tab.until_done("r1").await;
    assert_eq!(text_of(&replay, "r1"), shown);
    assert_eq!(replay.last().unwrap()["replay"], true);
    let hist: Vec<Value> =
        reqwest::get(format!("http://{}/agents/assistant/default/get-messages", bough.address))
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
    let expected = [("user".to_owned(), "count".to_owned()), ("assistant".to_owned(), shown)];
    assert_eq!(hist_text(&hist), expected);
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "interrupted");
    assert_eq!(provider.calls().len(), 1);
}

// A turn that had said nothing is taken up again by the next start; tabs are told so as long as it runs.
#[tokio::test]
async fn a_tab_hears_that_an_interrupted_answer_is_being_finished() {
    let provider = Provider::start().await;
    let data = tempfile::tempdir().unwrap();
    let bough = Bough::start(data.path(), &provider).await;
    provider.play([Piece::Hold]);
    let mut tab = Tab::open(bough.address, "/agents/assistant/default", &[]).await.ok().unwrap();
    tab.send(chat("r1", &[user("u1", "count")])).await;
    provider.called(1).await;
    bough.kill9().await;

    provider.play(pieces(2, 0));
    let bough = Bough::start(data.path(), &provider).await;
    let mut tab = Tab::open(bough.address, "/agents/assistant/default", &[]).await.ok().unwrap();
    let told = |frames: &[Frame]| -> Vec<Frame> {
        frames.iter().filter(|frame| kind(frame) == "cf_agent_chat_recovering").cloned().collect()
    };
    let recovering = |now: bool| json!({"type": "cf_agent_chat_recovering", "recovering": now, "id": "r1"});
    assert_eq!(told(&tab.drain().await), [recovering(true)]);
    provider.release();
    let end = tab.until_turn_ends("r1").await;
    assert_eq!(told(&end), [recovering(false)]);
    assert_eq!(told(&tab.drain().await), [] as [Frame; 0]);
}

// TK-050
#[tokio::test]
async fn any_tab_may_stop_a_turn() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(pieces(20, 3));
    let (mut a, mut b) = (app.greeted_tab().await, app.greeted_tab().await);
    let _heard = ask(&mut a, &whole(3)).await;
    b.send(json!({"type": "cf_agent_chat_request_cancel", "id": "r1"})).await;
    for tab in [&mut a, &mut b] {
        let frames = tab.until_done("r1").await;
        assert_eq!(frames.last().unwrap().get("error"), None);
    }
    provider.left(1).await;
    let _end = a.until_turn_ends("r1").await;
    assert_eq!(hist_text(&app.hist().await)[1], ("assistant".to_owned(), whole(3)));
}
