//! Stopping a turn, forgetting a conversation, stopping the server: what is kept and who is told.

use crate::support::{Piece, Provider, TestApp, chat, hist_text, kind, text_of, user};
use serde_json::json;

fn endless() -> Vec<Piece> {
    ["a", "b", "c"].map(|text| Piece::Text(text.to_owned())).into_iter().chain([Piece::Hold]).collect()
}

// TK-054
#[tokio::test]
async fn a_stopped_turn_closes_the_call_and_keeps_what_had_arrived() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(endless());
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _heard = tab.until_text("r1", "abc").await;
    let cancel = |id: &str| json!({"type": "cf_agent_chat_request_cancel", "id": id});
    tab.send(cancel("r1")).await;
    let end = tab.until_turn_ends("r1").await;
    let done = end.iter().find(|frame| frame["done"] == true).unwrap();
    assert_eq!((&done["body"], done.get("error")), (&json!(""), None));
    assert_eq!(end.last().unwrap()["status"], "stopped");
    provider.left(1).await;
    let hist = app.hist().await;
    assert_eq!(hist_text(&hist)[1], ("assistant".to_owned(), "abc".to_owned()));
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "stopped");

    let _rest = tab.drain().await;
    tab.send(cancel("r1")).await;
    tab.send(cancel("never")).await;
    assert_eq!(tab.drain().await, Vec::<serde_json::Value>::new());
}

// TK-057
#[tokio::test]
async fn a_cleared_conversation_is_gone_for_everybody_and_stays_gone() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(endless());
    let (mut a, mut b) = (app.greeted_tab().await, app.greeted_tab().await);
    a.send(chat("r1", &[user("u1", "hi")])).await;
    let _part = b.until(|frame| text_of(std::slice::from_ref(frame), "r1") == "a").await;
    a.send(json!({"type": "cf_agent_chat_clear"})).await;
    for tab in [&mut a, &mut b] {
        let _cleared = tab.until(|frame| kind(frame) == "cf_agent_chat_clear").await;
    }
    provider.left(1).await;
    provider.release();
    assert_eq!(app.hist().await, Vec::<serde_json::Value>::new());
    a.send(json!({"type": "cf_agent_stream_resume_request", "probeId": "p"})).await;
    let answer = a.until(|frame| frame["probeId"] == "p").await;
    assert_eq!(answer.last().unwrap()["reason"], "idle");
    provider.say(["new"]);
    a.send(chat("r2", &[user("u2", "fresh")])).await;
    let _turn = a.until_turn_ends("r2").await;
    let prompt = provider.calls()[1].said();
    assert_eq!(prompt.last().unwrap(), &("user".to_owned(), "fresh".to_owned()));
    assert_eq!(prompt.iter().filter(|(role, _)| role == "user").count(), 1);
    assert_eq!(app.hist().await.len(), 2);
}

#[tokio::test]
async fn a_stopping_server_keeps_what_had_arrived_and_says_goodbye() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play(endless());
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _heard = tab.until_text("r1", "abc").await;
    app.begin_stop();
    assert_eq!(tab.close_code().await.map(|(code, _)| code), Some(1012));
    provider.left(1).await;
    let app = app.restart(&[]).await;
    let hist = app.hist().await;
    assert_eq!(hist_text(&hist)[1], ("assistant".to_owned(), "abc".to_owned()));
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "interrupted");
}

#[tokio::test]
async fn a_deleted_sessions_sockets_are_closed() {
    let app = TestApp::start().await;
    let sessions = app.url("/api/v1/agents/assistant/default/sessions");
    let made = app.client.post(&sessions).json(&json!({"id": "s1"})).send().await.unwrap();
    assert_eq!(made.status().as_u16(), 201);
    let mut tab = app.tab_at("/agents/assistant/default?session=s1").await;
    let gone = app.client.delete(format!("{sessions}/s1")).send().await.unwrap();
    assert_eq!(gone.status().as_u16(), 204);
    assert_eq!(tab.close_code().await.map(|(code, _)| code), Some(1000));
}
