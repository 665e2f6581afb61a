//! A tab that does not read, and instances that nobody uses: neither costs the others anything, and both come back.

use crate::support::{Bough, Frame, Piece, Provider, Tab, chat, text_of, user, within};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Long answers: more than the system keeps for a socket that is not read.
const ANSWERS: usize = 4;
const ANSWER_BYTES: usize = 1_500_000;
/// Frames after that: more than the server keeps, since every clear is told twice.
const CLEARS: usize = 600;

async fn numbers_of(address: SocketAddr) -> String {
    let answer = within("the numbers", reqwest::get(format!("http://{address}/metrics"))).await.unwrap();
    answer.text().await.unwrap()
}

/// Waits until the server counts so many.
async fn count(address: SocketAddr, what: &str, number: usize) {
    let line = format!("{what} {number}\n");
    let counted = async { while !numbers_of(address).await.contains(&line) {} };
    within(&line, counted).await;
}

async fn get(address: SocketAddr, path: &str) -> Value {
    let answer = within(path, reqwest::get(format!("http://{address}{path}"))).await.unwrap();
    answer.json().await.unwrap()
}

fn long_answer(_request: &Value) -> Vec<Piece> {
    vec![Piece::Text("x".repeat(ANSWER_BYTES))]
}

#[tokio::test]
async fn a_tab_that_does_not_read_is_let_go_with_a_code_and_finds_everything_later() {
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    provider.answer(long_answer);
    let bough = Bough::start(data.path(), &provider).await;
    let open =
        async |path: &str| Tab::open(bough.address, path, &[]).await.unwrap_or_else(|it| panic!("{it:?}"));
    let mut unread = open("/agents/assistant/default").await;
    let mut tab = open("/agents/assistant/default?window=2").await;
    for turn in 0..ANSWERS {
        let id = format!("r{turn}");
        let body = json!({"messages": [user("u", "more")], "trigger": "regenerate-message"}).to_string();
        let init = json!({"method": "POST", "body": body});
        tab.send(json!({"type": "cf_agent_use_chat_request", "id": id, "init": init})).await;
        // Nobody waits for the other tab.
        let heard = tab.until_turn_ends(&id).await;
        assert_eq!(text_of(&heard, &id).len(), ANSWER_BYTES, "{id}");
    }
    for _ in 0..CLEARS {
        tab.send(json!({"type": "cf_agent_chat_clear"})).await;
        let _told = tab.until(|frame: &Frame| frame["type"] == "cf_agent_chat_clear").await;
    }
    let (code, reason) = unread.close_code().await.expect("a goodbye");
    assert_eq!(code, 1013, "{reason}");
    drop(unread);
    count(bough.address, "bough_sockets_open", 1).await;

    provider.say(["still ", "here"]);
    tab.send(chat("last", &[user("v", "and now?")])).await;
    let heard = tab.until_turn_ends("last").await;
    let live: Vec<&Frame> = heard.iter().filter(|frame| frame["seq"].as_u64() >= Some(3)).collect();
    let mut back = open("/agents/assistant/default?window=2").await;
    back.send(json!({"type": "cf_agent_stream_resume_ack", "id": "last", "fromSeq": 3})).await;
    let replayed = back.until_done("last").await;
    let bodies = |frame: &Frame| (frame["seq"].clone(), frame["body"].clone());
    let replayed: Vec<_> = replayed.iter().filter(|frame| frame["seq"].is_u64()).map(bodies).collect();
    assert_eq!(replayed, live.into_iter().map(bodies).collect::<Vec<_>>());
    assert_eq!(replayed[0].0, 3);
}

#[tokio::test]
async fn an_instance_that_nobody_uses_is_closed_and_opened_again_when_somebody_comes() {
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    std::fs::write(data.path().join("bough.toml"), "instance_idle_ms = 100\n").unwrap();
    let bough = Bough::start(data.path(), &provider).await;
    let address = bough.address;
    let mut tab =
        Tab::open(address, "/agents/assistant/other", &[]).await.unwrap_or_else(|it| panic!("{it:?}"));
    let _greeting = tab.until(|frame: &Frame| frame["type"] == "cf_agent_chat_messages").await;
    // The page's own goes; the one with an open socket stays.
    count(address, "bough_instances_open", 1).await;
    provider.say(["kept"]);
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _turn = tab.until_turn_ends("r1").await;
    drop(tab);
    count(address, "bough_instances_open", 0).await;
    let stored = get(address, "/agents/assistant/other/get-messages").await;
    assert_eq!(stored.as_array().map(Vec::len), Some(2));
    assert_eq!(get(address, "/agents/assistant/default/get-messages").await, json!([]));
    count(address, "bough_instances_open", 0).await;
    bough.signal("TERM").await;
    let (code, said) = bough.ended().await;
    assert_eq!(code, Some(0), "{said}");
}
