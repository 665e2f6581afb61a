//! What the stories share: a server, a scripted provider, browser tabs, and a limit on every wait.

mod process;
mod provider;
mod tab;
mod test_app;

pub(crate) use process::Bough;
pub(crate) use provider::{Piece, Provider};
pub(crate) use tab::{Frame, Tab, chat, kind, text_of, user};
pub(crate) use test_app::{GUIDE, TestApp, call, client, config, hist_text};

use std::time::Duration;

/// Longest wait for anything. Only a failing test ever waits so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for something, but not forever; `what` is told when it does not come.
#[track_caller]
pub(crate) fn within<F: Future>(what: &str, future: F) -> impl Future<Output = F::Output> {
    let place = std::panic::Location::caller();
    async move {
        match tokio::time::timeout(PATIENCE, future).await {
            Ok(output) => output,
            Err(_) => panic!("{place}: waited too long for {what}"),
        }
    }
}
