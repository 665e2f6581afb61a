//! What is measured, row by row.

mod long;
mod start;
mod streaming;

use crate::process::Bough;
use crate::provider::Provider;
use crate::report::Report;
use serde_json::Value;
use tempfile::TempDir;

/// Every row.
pub(crate) async fn all(provider: &Provider, report: &mut Report) {
    if report.wants("start") {
        start::cold(provider, report).await;
        start::memory(provider, report).await;
    }
    if report.wants("first") {
        streaming::first_token(provider, report).await;
    }
    if report.wants("stream") {
        streaming::one_chat(provider, report).await;
        streaming::many_chats(provider, report).await;
        streaming::paced_chats(provider, report).await;
    }
    if report.wants("fan") {
        streaming::watched_chats(provider, report).await;
        streaming::tabs(provider, report).await;
    }
    if report.wants("resume") {
        streaming::resume(provider, report).await;
    }
    if report.wants("long") {
        long::load(provider, report).await;
    }
    if report.wants("turn") {
        long::turn(provider, report).await;
    }
}

/// A server on an empty folder.
struct Fresh {
    bough: Bough,
    _data: TempDir,
}

impl Fresh {
    async fn start(provider: &Provider) -> Self {
        let data = TempDir::new().unwrap();
        let bough = Bough::start(data.path(), provider.address).await;
        Self { bough, _data: data }
    }

    /// Makes sessions and gives their ids.
    async fn sessions(&self, count: usize) -> Vec<String> {
        let client = reqwest::Client::new();
        let url = format!("http://{}/api/v1/agents/assistant/default/sessions", self.bough.address);
        let mut ids = Vec::new();
        for _ in 0..count {
            let made = client.post(&url).header("content-type", "application/json").body("{}").send().await;
            let body = made.unwrap().text().await.unwrap();
            let row: Value = serde_json::from_str(&body).unwrap();
            ids.push(row["id"].as_str().unwrap().to_owned());
        }
        ids
    }
}
