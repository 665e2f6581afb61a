//! What is folded in the list of sessions stays folded in this browser.

use crate::browser;
use crate::client::Client;
use crate::sessions::deeds::ListDeeds;
use leptos::prelude::*;
use protocol::SessionId;

/// Folds that are kept, the latest ones.
const FOLDS_MAX: usize = 200;

/// Brings back what was folded, and keeps what is folded from now on.
pub fn remember(client: Client, deeds: ListDeeds) {
    let key = format!("bough.folded.{}", client.instance());
    let kept: Vec<SessionId> = browser::load(&key).unwrap_or_default().lines().map(SessionId::from).collect();
    if !kept.is_empty() {
        deeds.folded.set(kept);
    }
    let _runs_by_itself = Effect::watch(
        move || deeds.folded.get(),
        move |folded, _, _| {
            let latest = folded.iter().rev().take(FOLDS_MAX).rev();
            let text = latest.map(SessionId::as_str).collect::<Vec<_>>().join("\n");
            browser::store(&key, &text);
        },
        false,
    );
}
