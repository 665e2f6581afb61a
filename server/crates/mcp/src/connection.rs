//! One server, kept connected: connect, list, list again when it says so; after a loss wait and begin again.

use crate::link::{self, Link, Listener};
use crate::offers::{Offers, list};
use crate::outcome::bounded;
use crate::servers::{ServerConfig, Surroundings};
use crate::tool;
use rmcp::service::QuitReason;
use rmcp::{Peer, RoleClient};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use think::Tool;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Where a connection stands, in the words of the public client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Connecting,
    Ready,
    Failed,
}

impl Phase {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }
}

/// What is known of a server now.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    /// Why it is not connected, or what of its list is left out.
    pub(crate) error: Option<String>,
    /// None while it is not connected.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
}

/// One server: what was configured, and what is known.
pub(crate) struct Connection {
    pub(crate) config: ServerConfig,
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

impl Connection {
    pub(crate) fn new(config: ServerConfig, changes: watch::Sender<u64>) -> Self {
        let state = State { phase: Phase::Connecting, error: None, tools: Vec::new() };
        Self { config, state: Mutex::new(state), changes }
    }

    pub(crate) fn state(&self) -> State {
        self.lock().clone()
    }

    /// Returns when it is told to stop; the server's process is gone then.
    pub(crate) async fn keep(&self, surroundings: &Surroundings, stopping: &CancellationToken) {
        let (first, longest) = surroundings.retry;
        let mut pause = first;
        loop {
            let (was_ready, error) = self.connect(surroundings, stopping).await;
            if stopping.is_cancelled() {
                return;
            }
            if was_ready {
                pause = first;
            }
            let error = self.config.without_secrets(&error);
            tracing::warn!(mcp.server = %self.config.name, "a tool server is not connected: {error}");
            self.set(State { phase: Phase::Failed, error: Some(bounded(&error)), tools: Vec::new() });
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stopping.cancelled() => return,
            }
            pause = (pause * 2).min(longest);
        }
    }

    /// One connection, from its beginning to its end. Gives whether it was of use, and why it ended.
    async fn connect(&self, surroundings: &Surroundings, stopping: &CancellationToken) -> (bool, String) {
        let listener = Listener::default();
        let opened = tokio::select! {
            opened = link::open(&self.config, surroundings, listener.clone()) => opened,
            () = stopping.cancelled() => return (false, String::new()),
        };
        let Link { service, process } = match opened {
            Ok(link) => link,
            Err(error) => return (false, error),
        };
        let (peer, closer) = (service.peer().clone(), service.cancellation_token());
        let (mut ended, mut was_ready) = (Box::pin(service.waiting()), false);
        let error = loop {
            tokio::select! {
                biased;
                () = stopping.cancelled() => break String::new(),
                reason = &mut ended => break reason.map_or_else(|error| error.to_string(), |reason| quit(&reason)),
                listed = next_list(&peer, &listener, was_ready.then_some(())) => match listed {
                    Ok(offers) => self.show(offers, &peer),
                    Err(error) => break error,
                },
            }
            was_ready = true;
        };
        closer.cancel();
        end(process, &self.config.name).await;
        (was_ready, error)
    }

    fn show(&self, offers: Offers, peer: &Peer<RoleClient>) {
        let Offers { good, mut left_out } = offers;
        let tools = tool::tools(&self.config, (good, &mut left_out), peer);
        tracing::info!(mcp.server = %self.config.name, tools = tools.len(), "a tool server is connected");
        let error = (!left_out.is_empty()).then(|| self.config.without_secrets(&told(&left_out)));
        if let Some(error) = &error {
            tracing::warn!(mcp.server = %self.config.name, "{error}");
        }
        self.set(State { phase: Phase::Ready, error: error.as_deref().map(bounded), tools });
    }

    fn set(&self, state: State) {
        *self.lock() = state;
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A state is replaced as a whole, so it is whole even if somebody died with the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left out of a list, for people.
fn told(left_out: &[String]) -> String {
    format!("{} of its tools left out: {}", left_out.len(), left_out.join("; "))
}

/// The list: the first one at once, a later one when the server says that it is another.
async fn next_list(
    peer: &Peer<RoleClient>,
    listener: &Listener,
    before: Option<()>,
) -> Result<Offers, String> {
    if before.is_some() {
        listener.changed.notified().await;
    }
    list(peer).await
}

fn quit(reason: &QuitReason) -> String {
    if matches!(reason, QuitReason::Closed) {
        return "it closed the connection".to_owned();
    }
    format!("the connection ended: {reason:?}")
}

async fn end(process: Option<tokio::process::Child>, server: &str) {
    if let Some(mut process) = process
        && let Err(error) = process.kill().await
    {
        tracing::warn!(mcp.server = %server, "a tool server's process was not ended: {error}");
    }
}
