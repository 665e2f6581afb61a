//! What a long conversation costs to read and to go on with.

use crate::process::Bough;
use crate::provider::Provider;
use crate::report::{Report, ms, percentile};
use crate::tab::Tab;
use db::{Database, SystemClock, UuidSource};
use protocol::{Message, Role, SessionId};
use serde_json::{Value, json};
use session::{Parent, SessionManager};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MESSAGES: &str = "/agents/assistant/default/get-messages";
const WINDOW: &str = "/api/v1/agents/assistant/default/sessions/~/messages?limit=50";

/// Fills the default session of the page's instance.
async fn prepare(data: &Path, count: usize) {
    let file = data.join("agents/assistant/default.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let database = Database::open(&file).await.unwrap();
    let manager = SessionManager::new(database.clone(), Arc::new(SystemClock), Arc::new(UuidSource));
    let session = manager.session(&SessionId::default()).await.unwrap().unwrap();
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(8);
    let messages: Vec<Message> = (0..count)
        .map(|at| {
            let role = if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
            Message::text(&*format!("m{at:06}"), role, &text)
        })
        .collect();
    let _stored = session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    database.close().await.unwrap();
}

/// Reading 10,000 messages.
pub(super) async fn load(provider: &Provider, report: &Report) {
    let data = TempDir::new().unwrap();
    prepare(data.path(), 10_000).await;
    let (mut first, mut warm, mut window, mut page) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        let bough = Bough::start(data.path(), provider.address).await;
        first.push(bough.get(MESSAGES).await.0);
        for _ in 0..5 {
            warm.push(bough.get(MESSAGES).await.0);
            window.push(bough.get(WINDOW).await.0);
            page.push(bough.get("/s/~").await.0);
        }
        bough.end().await;
    }
    let row = |what: &str, times: &mut [Duration], aim: &str| {
        report.line(&format!("10,000 messages, {what}"), &ms(percentile(times, 0.5)), aim);
    };
    row("whole, first after a restart", &mut first, "< 60 ms");
    row("whole, warm", &mut warm, "< 20 ms");
    row("window of 50", &mut window, "< 5 ms");
    row("the page, rendered", &mut page, "");
}

/// A turn at the end of 2,000 messages.
pub(super) async fn turn(provider: &Provider, report: &Report) {
    let data = TempDir::new().unwrap();
    prepare(data.path(), 2_000).await;
    let bough = Bough::start(data.path(), provider.address).await;
    let all =
        reqwest::get(format!("http://{}{MESSAGES}", bough.address)).await.unwrap().text().await.unwrap();
    let mut list: Vec<Value> = serde_json::from_str(&all).unwrap();
    let mut tab = Tab::open(bough.address, "").await;
    let (mut short, mut whole, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..20 {
        let id = format!("s{round}");
        let start = Instant::now();
        tab.ask(&id, "flood 1").await;
        let _outcome = tab.done(&id).await;
        short.push(start.elapsed());
    }
    let all =
        reqwest::get(format!("http://{}{MESSAGES}", bough.address)).await.unwrap().text().await.unwrap();
    list = serde_json::from_str(&all).unwrap_or(list);
    for round in 0..10 {
        let id = format!("w{round}");
        let start = Instant::now();
        tab.ask_after(&id, "flood 1", &list).await;
        let _outcome = tab.done(&id).await;
        whole.push(start.elapsed());
    }
    let (url, body) = (format!("http://{}/v1/chat/completions", provider.address), as_asked(&list));
    let client = reqwest::Client::new();
    for _ in 0..20 {
        let start = Instant::now();
        let _answer = client.post(&url).body(body.clone()).send().await.unwrap().bytes().await.unwrap();
        own.push(start.elapsed());
    }
    let own = percentile(&mut own, 0.5);
    for (what, times, aim) in
        [("new message only", &mut short, "< 10 ms"), ("whole list uploaded", &mut whole, "< 40 ms")]
    {
        let added = percentile(times, 0.5).saturating_sub(own);
        report.line(&format!("a turn on 2,000 messages over the model's, {what}"), &ms(added), aim);
    }
}

/// What the model server is sent for this list, with a question it answers at once.
fn as_asked(list: &[Value]) -> String {
    let said = |message: &Value| json!({ "role": message["role"], "content": message["parts"][0]["text"] });
    let mut messages: Vec<Value> = list.iter().map(said).collect();
    messages.push(json!({ "role": "user", "content": "flood 1" }));
    json!({ "model": "scripted", "stream": true, "messages": messages }).to_string()
}
