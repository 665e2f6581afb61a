//! Answers on their way to the tabs.

use super::Fresh;
use crate::provider::Provider;
use crate::report::{Report, ms, percentile};
use crate::tab::{Outcome, Tab};
use futures::StreamExt;
use futures::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Chats of the first row, and questions in each.
const CHATS: usize = 30;
const ROUNDS: usize = 10;

/// How much later the first token comes than from the model server itself.
pub(super) async fn first_token(provider: &Provider, report: &Report) {
    let client = reqwest::Client::new();
    let url = format!("http://{}/v1/chat/completions", provider.address);
    let body =
        json!({ "model": "scripted", "messages": [{ "role": "user", "content": "flood 1" }] }).to_string();
    let fresh = Fresh::start(provider).await;
    let (mut direct, mut through) = (Vec::new(), Vec::new());
    for session in fresh.sessions(CHATS).await {
        let mut tab = Tab::open(fresh.bough.address, &session).await;
        for round in 0..ROUNDS {
            let start = Instant::now();
            let response = client.post(&url).body(body.clone()).send().await.unwrap();
            let mut chunks = response.bytes_stream();
            let _first = chunks.next().await;
            direct.push(start.elapsed());
            while chunks.next().await.is_some() {}
            let id = format!("r{round}");
            let start = Instant::now();
            tab.ask(&id, "flood 1").await;
            let _first = tab.until(|frame| frame.contains("text-delta")).await;
            through.push(start.elapsed());
            let _outcome = tab.done(&id).await;
        }
    }
    for (name, share, aim) in [("p50", 0.5, "< 2 ms"), ("p95", 0.95, "< 5 ms")] {
        let added = percentile(&mut through, share).saturating_sub(percentile(&mut direct, share));
        report.line(&format!("first token, added to the model server's own, {name}"), &ms(added), aim);
    }
}

/// One chat as fast as the model gives.
pub(super) async fn one_chat(provider: &Provider, report: &Report) {
    const TOKENS: u32 = 20_000;
    let fresh = Fresh::start(provider).await;
    let (mut times, mut work) = (Vec::new(), Duration::ZERO);
    for session in fresh.sessions(5).await {
        let mut tab = Tab::open(fresh.bough.address, &session).await;
        let (start, cpu) = (Instant::now(), fresh.bough.cpu());
        tab.ask("r", &format!("flood {TOKENS}")).await;
        assert_eq!(tab.done("r").await, Outcome::Complete);
        times.push(start.elapsed());
        work += fresh.bough.cpu().saturating_sub(cpu);
    }
    let rate = f64::from(TOKENS) / percentile(&mut times, 0.5).as_secs_f64();
    report.line("one chat flat out, 20,000 tokens", &format!("{rate:.0} tokens/s"), "> 50,000 tokens/s");
    let per_10k = work.as_secs_f64() / 10.0;
    report.line("server CPU for 10,000 tokens", &format!("{per_10k:.3} s"), "< 0.15 s");
}

/// 50 chats at once, as fast as the model gives.
pub(super) async fn many_chats(provider: &Provider, report: &Report) {
    const TOKENS: u32 = 2_000;
    let fresh = Fresh::start(provider).await;
    let mut tabs = open_all(&fresh, 50).await;
    let start = Instant::now();
    let outcomes = join_all(tabs.iter_mut().map(|tab| async {
        tab.ask("r", &format!("flood {TOKENS}")).await;
        tab.done("r").await
    }))
    .await;
    let rate = f64::from(TOKENS * 50) / start.elapsed().as_secs_f64();
    let failed = outcomes.iter().filter(|outcome| **outcome == Outcome::Failed).count();
    let measured = format!("{rate:.0} tokens/s, {failed} failed");
    report.line("50 chats flat out, all together", &measured, "> 50,000 tokens/s, none");
}

/// 50 chats at 50 tokens a second each: how late a token is.
pub(super) async fn paced_chats(provider: &Provider, report: &Report) {
    let fresh = Fresh::start(provider).await;
    let mut tabs = open_all(&fresh, 50).await;
    for tab in &mut tabs {
        tab.ask("r", "paced 250 20").await;
    }
    let mut late = lateness(provider, tabs).await;
    let measured = format!("{} of {}", ms(percentile(&mut late, 0.95)), late.len());
    report.line("50 chats at 50 tokens/s, p95 lateness", &measured, "< 20 ms");
}

/// The same with 20 tabs watching each chat.
pub(super) async fn watched_chats(provider: &Provider, report: &Report) {
    let fresh = Fresh::start(provider).await;
    let mut tabs = Vec::new();
    for session in fresh.sessions(50).await {
        for _ in 0..20 {
            tabs.push(Tab::open(fresh.bough.address, &session).await);
        }
    }
    let cpu = fresh.bough.cpu();
    for tab in tabs.iter_mut().step_by(20) {
        tab.ask("r", "paced 250 20").await;
    }
    let mut late = lateness(provider, tabs).await;
    let measured = format!("{} of {}", ms(percentile(&mut late, 0.95)), late.len());
    report.line("the same with 20 tabs watching each, p95 lateness", &measured, "");
    let work = fresh.bough.cpu().saturating_sub(cpu).as_secs_f64();
    report.line("server CPU and memory of that", &format!("{work:.1} s, {:.0} MB", fresh.bough.memory()), "");
}

/// How late each token came to each of the tabs, until their turns are done.
async fn lateness(provider: &Provider, tabs: Vec<Tab>) -> Vec<Duration> {
    let epoch = provider.shared.epoch;
    let late = join_all(tabs.into_iter().map(|mut tab| async move {
        let mut late = Vec::new();
        loop {
            let frame = tab.next().await;
            late.extend(stamps(&frame).map(|sent| epoch.elapsed().saturating_sub(sent)));
            if frame.contains("\"done\":true") {
                return late;
            }
        }
    }))
    .await;
    late.into_iter().flatten().collect()
}

/// When the tokens of a frame were sent.
fn stamps(frame: &str) -> impl Iterator<Item = Duration> {
    let is_chunk = frame.contains("text-delta");
    let pieces = frame.split('@').skip(1).filter(move |_| is_chunk);
    pieces.filter_map(|piece| {
        let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().map(Duration::from_micros)
    })
}

/// One answer, 20 tabs.
pub(super) async fn tabs(provider: &Provider, report: &Report) {
    let fresh = Fresh::start(provider).await;
    let session = fresh.sessions(1).await.remove(0);
    let mut tabs = Vec::new();
    for _ in 0..20 {
        tabs.push(Tab::open(fresh.bough.address, &session).await);
    }
    let mut times = Vec::new();
    for round in 0..5 {
        let id = format!("r{round}");
        let start = Instant::now();
        if let Some(first) = tabs.first_mut() {
            first.ask(&id, "flood 2000").await;
        }
        let _outcomes = join_all(tabs.iter_mut().map(|tab| tab.done(&id))).await;
        times.push(start.elapsed());
    }
    report.line(
        "one producer, 20 tabs, 2,000 tokens: last tab done",
        &ms(percentile(&mut times, 0.5)),
        "< 150 ms",
    );
}

/// A tab that comes back after 10,000 tokens.
pub(super) async fn resume(provider: &Provider, report: &Report) {
    let fresh = Fresh::start(provider).await;
    let session = fresh.sessions(1).await.remove(0);
    let mut first = Tab::open(fresh.bough.address, &session).await;
    first.ask("r", "hold 10000").await;
    let (mut words, mut seq) = (0, 0);
    while words < 10_000 {
        let frame: Value = serde_json::from_str(&first.next().await).unwrap();
        if let Some(body) = frame["body"].as_str().filter(|body| body.contains("text-delta")) {
            words += body.matches(" word").count();
            seq = frame["seq"].as_u64().unwrap();
        }
    }
    for (name, from, aim) in [("whole", None, "< 40 ms"), ("by offset", Some(seq), "< 5 ms")] {
        let mut times = Vec::new();
        for _ in 0..9 {
            let start = Instant::now();
            let mut tab = Tab::unread(fresh.bough.address, &session).await;
            tab.send(&json!({ "type": "cf_agent_stream_resume_request", "fromSeq": from })).await;
            let _offer = tab.until(|frame| frame.contains("cf_agent_stream_resuming")).await;
            tab.send(&json!({ "type": "cf_agent_stream_resume_ack", "id": "r", "fromSeq": from })).await;
            let _caught_up = tab.until(|frame| frame.contains("\"replayComplete\":true")).await;
            times.push(start.elapsed());
        }
        let what = format!("reconnect after 10,000 tokens, {name}");
        report.line(&what, &ms(percentile(&mut times, 0.5)), aim);
    }
    provider.shared.release.notify_waiters();
}

async fn open_all(fresh: &Fresh, count: usize) -> Vec<Tab> {
    let mut tabs = Vec::new();
    for session in fresh.sessions(count).await {
        tabs.push(Tab::open(fresh.bough.address, &session).await);
    }
    tabs
}
