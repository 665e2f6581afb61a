//! What breaks in the field, at the real server: sockets cut at random, a process killed at random, and providers that
//! stall, die, stammer or stop without a word. What was shown is what is stored, statuses are honest, nothing is doubled,
//! and nothing is left open.

use crate::support::{Bough, Frame, Piece, Provider, Tab, chat, kind, text_of, user, within};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;

/// The same numbers in every run.
struct Chance(u64);

/// Where the numbers begin; another one tells another story.
const SEED: u64 = 20_260_101;

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const WHOLE: &str = "/agents/assistant/default";
const WINDOWED: &str = "/agents/assistant/default?window=200";

async fn open(address: SocketAddr) -> Tab {
    Tab::open(address, WINDOWED, &[]).await.unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

async fn get(address: SocketAddr, path: &str) -> Value {
    let answer = within(path, reqwest::get(format!("http://{address}{path}"))).await.unwrap();
    answer.json().await.unwrap()
}

async fn hist(address: SocketAddr) -> Vec<Value> {
    let messages = get(address, "/agents/assistant/default/get-messages").await;
    messages.as_array().unwrap().clone()
}

async fn numbers_of(address: SocketAddr) -> String {
    let answer = within("the numbers", reqwest::get(format!("http://{address}/metrics"))).await.unwrap();
    answer.text().await.unwrap()
}

async fn tasks_of(address: SocketAddr) -> usize {
    let numbers = numbers_of(address).await;
    let line = numbers.lines().find_map(|line| line.strip_prefix("bough_tasks_alive "));
    line.and_then(|number| number.parse().ok()).unwrap()
}

/// Waits until no more tasks than this are alive.
async fn until_tasks(address: SocketAddr, most: usize) {
    while tasks_of(address).await > most {}
}

/// Chunks by their numbers. A number that comes twice must bring the same chunk.
fn keep(chunks: &mut BTreeMap<u64, String>, frames: &[Frame]) {
    for frame in frames.iter().filter(|frame| kind(frame) == "cf_agent_use_chat_response") {
        let Some(seq) = frame["seq"].as_u64() else { continue };
        let body = frame["body"].as_str().unwrap().to_owned();
        if let Some(known) = chunks.insert(seq, body.clone()) {
            assert_eq!(known, body, "chunk {seq} came twice, and not the same");
        }
    }
}

fn text_of_message(message: &Value) -> String {
    let parts = message["parts"].as_array().unwrap().iter();
    parts.filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str()).collect()
}

// A05: every cut comes at another moment of the handshake or of the stream.
#[tokio::test]
async fn a_hundred_cut_sockets_in_one_turn_lose_nothing() {
    const CUTS: usize = 100;
    let mut chance = Chance(SEED);
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    let bough = Bough::start(data.path(), &provider).await;
    let piece = |number: usize| [Piece::Text(format!("{number} ")), Piece::Hold];
    provider.play((0..=CUTS).flat_map(piece));
    let mut tab = open(bough.address).await;
    let _greeting = tab.until(|frame| kind(frame) == "cf_agent_chat_messages").await;
    tab.send(chat("r", &[user("u", "count")])).await;
    let mut chunks = BTreeMap::new();
    for _ in 0..CUTS {
        // One more piece comes for certain. Some leave before it, some with it, some in the middle of a replay.
        provider.release();
        if chance.below(2) > 0 {
            keep(&mut chunks, &[tab.next().await]);
        }
        drop(tab);
        tab = open(bough.address).await;
        if chance.below(4) > 0 {
            keep(&mut chunks, &tab.until(|frame| kind(frame) == "cf_agent_stream_resuming").await);
            let from = chunks.len() as u64;
            tab.send(json!({"type": "cf_agent_stream_resume_ack", "id": "r", "fromSeq": from})).await;
            keep(
                &mut chunks,
                &tab.until(|frame| frame["replayComplete"] == true || frame["done"] == true).await,
            );
        } else {
            // Whatever comes first; at least the identity does.
            keep(&mut chunks, &[tab.next().await]);
            drop(tab);
            tab = open(bough.address).await;
            let offer = tab.until(|frame| kind(frame) == "cf_agent_stream_resuming").await;
            keep(&mut chunks, &offer);
            tab.send(json!({"type": "cf_agent_stream_resume_ack", "id": "r", "fromSeq": 0})).await;
        }
    }
    drop(tab);
    let mut last = open(bough.address).await;
    last.send(json!({"type": "cf_agent_stream_resume_ack", "id": "r", "fromSeq": 0})).await;
    provider.release();
    keep(&mut chunks, &last.until_done("r").await);
    let numbers: Vec<u64> = chunks.keys().copied().collect();
    assert_eq!(numbers, (0..chunks.len() as u64).collect::<Vec<_>>(), "no gap");
    let frames: Vec<Frame> = chunks
        .values()
        .map(|body| json!({"type": "cf_agent_use_chat_response", "id": "r", "body": body, "done": false}))
        .collect();
    let whole: String = (0..=CUTS).map(|number| format!("{number} ")).collect();
    assert_eq!(text_of(&frames, "r"), whole);
    let stored = hist(bough.address).await;
    assert_eq!((stored.len(), text_of_message(&stored[1])), (2, whole));
    assert_eq!(stored[1]["metadata"]["bough"]["status"], "complete");
    assert_eq!(provider.calls().len(), 1);
    drop(last);
    let let_go = async { while !numbers_of(bough.address).await.contains("bough_sockets_open 0") {} };
    within("the server to let go of its sockets", let_go).await;
    let numbers = numbers_of(bough.address).await;
    assert!(numbers.contains("bough_turns_running{agent=\"assistant\"} 0"), "{numbers}");
}

/// Calls `add`, and says what it gave.
fn calculating(request: &Value) -> Vec<Piece> {
    let messages = request["messages"].as_array().unwrap();
    let calls = messages.iter().filter(|message| message["role"] == "tool").count();
    if messages.last().unwrap()["role"] == "tool" {
        return ["It ", "is ", "3."].map(|text| Piece::Text(text.to_owned())).to_vec();
    }
    let id = format!("call-{}-{calls}", messages.len());
    vec![Piece::Text("Let me see. ".to_owned()), Piece::Tool(id.leak(), "add", json!({"a": 1, "b": 2}))]
}

async fn kill_after(data: &Path, provider: &Provider, (round, frames): (usize, u64)) -> bool {
    let bough = Bough::start(data, provider).await;
    let mut tab = open(bough.address).await;
    let _greeting = tab.until(|frame| kind(frame) == "cf_agent_chat_messages").await;
    let id = format!("r{round}");
    tab.send(chat(&id, &[user(&format!("u{round}"), "1 + 2?")])).await;
    let mut is_shown = false;
    for _ in 0..frames {
        let frame = tab.next().await;
        is_shown |= kind(&frame) == "cf_agent_use_chat_response" && frame["id"] == *id;
        if kind(&frame) == "bough_turn" && frame["id"] == *id {
            break;
        }
    }
    bough.kill9().await;
    is_shown
}

// A18
#[tokio::test]
async fn fifty_kills_in_the_middle_of_tool_turns_lose_and_double_nothing() {
    const KILLS: usize = 50;
    let mut chance = Chance(SEED);
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    provider.answer(calculating);
    std::fs::write(data.path().join("bough.toml"), "[agents.assistant]\ntools = ['demo']\n").unwrap();
    let mut shown = BTreeSet::new();
    for round in 0..KILLS {
        if kill_after(data.path(), &provider, (round, chance.below(16))).await {
            let _new = shown.insert(format!("u{round}"));
        }
    }
    let bough = Bough::start(data.path(), &provider).await;
    let mut tab = open(bough.address).await;
    // A turn after all others: when it has ended, whatever was owed before it has too.
    tab.send(chat("last", &[user("last", "1 + 2?")])).await;
    let _turn = tab.until_turn_ends("last").await;
    let stored = hist(bough.address).await;
    let asked: Vec<String> = stored
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "a question is there twice");
    assert!(shown.iter().all(|id| asked.contains(id)), "a question is lost: {shown:?} {asked:?}");
    for answer in stored.iter().filter(|message| message["role"] == "assistant") {
        check_answer(answer);
    }
    let doctor = get(bough.address, "/api/v1/agents/assistant/default/doctor").await;
    assert_eq!(doctor["findings"], json!([]));
}

/// A whole answer, or an honest part of one.
fn check_answer(answer: &Value) {
    let status = answer["metadata"]["bough"]["status"].as_str().unwrap();
    assert!(["complete", "interrupted", "failed"].contains(&status), "{answer}");
    let parts = answer["parts"].as_array().unwrap();
    let calls: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool-add").collect();
    let ids: BTreeSet<&str> = calls.iter().filter_map(|call| call["toolCallId"].as_str()).collect();
    assert_eq!(ids.len(), calls.len(), "a call is there twice: {answer}");
    for call in &calls {
        let state = call["state"].as_str().unwrap();
        assert!(["output-available", "output-error"].contains(&state), "{answer}");
    }
    let text = text_of_message(answer);
    assert!(text.matches("It ").count() <= 1, "said twice: {answer}");
    if status == "complete" {
        assert!(text.ends_with("It is 3."), "{answer}");
        assert!(!calls.is_empty(), "{answer}");
    }
}

fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

fn raw(text: &str) -> Piece {
    Piece::Raw(text.as_bytes().to_vec())
}

/// What a provider sends, what is shown and stored of it, and what the turn is called.
fn oddities() -> Vec<(&'static str, Vec<Piece>, &'static str, &'static str)> {
    let (stop, done) = (
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    let tree = event("grüße 🌳");
    let middle = tree.find('🌳').unwrap_or_default() + 2;
    let (head, tail) = tree.as_bytes().split_at(middle);
    let said = || Piece::Text("said".to_owned());
    vec![
        (
            "CRLF",
            vec![raw(&event("a").replace('\n', "\r\n")), raw(&stop.replace('\n', "\r\n")), Piece::End],
            "a",
            "complete",
        ),
        (
            "keep-alives",
            vec![
                raw(": wait\n\n"),
                raw(&event("a")),
                raw(":\n\n: still\n\n"),
                raw(&event("b")),
                raw(stop),
                raw(done),
                Piece::End,
            ],
            "ab",
            "complete",
        ),
        (
            "half a character",
            vec![Piece::Raw(head.to_vec()), Piece::Raw(tail.to_vec()), raw(stop), raw(done), Piece::End],
            "grüße 🌳",
            "complete",
        ),
        (
            "a character that never ends",
            vec![said(), Piece::Raw(head.to_vec()), Piece::End],
            "said",
            "cut_off",
        ),
        ("no finish reason", vec![said(), Piece::End], "said", "cut_off"),
        ("a finish reason and no more", vec![said(), raw(stop), Piece::End], "said", "complete"),
        ("a connection that dies", vec![said(), Piece::Hold, Piece::Die], "said", "cut_off"),
        ("an error in the middle", vec![said(), Piece::Error("quota")], "said", "failed"),
        ("a stall", vec![said(), Piece::Hold], "said", "cut_off"),
    ]
}

// A16, TK-016
#[tokio::test]
async fn whatever_a_provider_does_what_was_shown_is_stored_with_the_right_name() {
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    std::fs::write(data.path().join("bough.toml"), "[agents.assistant]\nstall_timeout_ms = 700\n").unwrap();
    // A process of its own: of several servers in one process only the first counts.
    let bough = Bough::start(data.path(), &provider).await;
    let whole = async || Tab::open(bough.address, WHOLE, &[]).await.ok().unwrap();
    let (mut tab, mut unread) = (whole().await, whole().await);
    let _greeting = tab.until(|frame| kind(frame) == "cf_agent_chat_messages").await;
    // As many as there are after the first answer: the connections to the provider are kept.
    let mut tasks = None;
    for (at, (name, pieces, text, status)) in oddities().into_iter().enumerate() {
        let id = format!("r{at}");
        provider.play(pieces);
        tab.send(chat(&id, &[user(&format!("u{at}"), name)])).await;
        let mut frames = Vec::new();
        if name == "a connection that dies" {
            // It dies once what it said has left it; bytes that were not sent cannot be kept.
            frames = tab.until(|frame| text_of(std::slice::from_ref(frame), &id) == "said").await;
            provider.release();
        }
        frames.extend(tab.until_turn_ends(&id).await);
        let stored = hist(bough.address).await;
        let answer = stored.last().unwrap();
        let told = frames.last().unwrap();
        let seen = (text_of(&frames, &id), text_of_message(answer), told["status"].as_str());
        assert_eq!(seen, (text.to_owned(), text.to_owned(), Some(status)), "{name}");
        assert_eq!(answer["metadata"]["bough"]["status"], status, "{name}");
        let ends = frames.iter().filter(|frame| frame["id"] == *id && frame["done"] == true).count();
        assert_eq!((ends, stored.len()), (1, 2 * at + 2), "{name}");
        // Nothing of it is left: no call, no further socket, no task.
        provider.at_rest().await;
        let before = *tasks.get_or_insert(tasks_of(bough.address).await);
        within(name, until_tasks(bough.address, before)).await;
        assert!(numbers_of(bough.address).await.contains("bough_sockets_open 2\n"), "{name}");
    }
    // The stalled call was given up.
    provider.left(1).await;
    // A tab that did not read all the time has held nobody up, and finds everything.
    let late = unread.until_turn_ends("r8").await;
    assert_eq!(text_of(&late, "r8"), "said");
}
