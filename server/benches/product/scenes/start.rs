//! Starting, and what an open server costs.

use super::Fresh;
use crate::process::Bough;
use crate::provider::Provider;
use crate::report::{Report, ms, percentile};
use crate::tab::Tab;
use std::time::Instant;
use tempfile::TempDir;

/// From the start of the process to the first page, on an empty folder.
pub(super) async fn cold(provider: &Provider, report: &Report) {
    let mut times = Vec::new();
    for _ in 0..9 {
        let data = TempDir::new().unwrap();
        let start = Instant::now();
        let bough = Bough::start(data.path(), provider.address).await;
        let _page = bough.get("/").await;
        times.push(start.elapsed());
    }
    report.line("cold start to first page, empty data", &ms(percentile(&mut times, 0.5)), "< 150 ms");
}

/// After one page, and with 50 chats open that have had an answer each.
pub(super) async fn memory(provider: &Provider, report: &Report) {
    let fresh = Fresh::start(provider).await;
    let _page = fresh.bough.get("/").await;
    report.line("memory idle", &format!("{:.1} MB", fresh.bough.memory()), "< 60 MB");
    let mut tabs = Vec::new();
    for session in fresh.sessions(50).await {
        let mut tab = Tab::open(fresh.bough.address, &session).await;
        tab.ask(&session, "flood 200").await;
        let _outcome = tab.done(&session).await;
        tabs.push(tab);
    }
    report.line("memory after 50 chats, all open", &format!("{:.1} MB", fresh.bough.memory()), "< 120 MB");
}
