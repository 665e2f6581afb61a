//! Points in a script where it waits until a test lets it go on, and counters that tests wait for.

use tokio::sync::watch;

/// A closed gate; whoever plays the script waits at it. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    state: watch::Sender<GateState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct GateState {
    is_open: bool,
    arrivals: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Self { state: watch::Sender::new(GateState::default()) }
    }
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens it for good.
    pub fn open(&self) {
        self.state.send_modify(|state| state.is_open = true);
    }

    /// Waits until a script stands at the gate, or has passed it.
    pub async fn reached(&self) {
        wait(&self.state, |state| state.arrivals > 0).await;
    }

    /// Goes through, as soon as it is open.
    pub(super) async fn pass(self) {
        self.state.send_modify(|state| state.arrivals += 1);
        wait(&self.state, |state| state.is_open).await;
    }
}

/// A number that only grows.
#[derive(Debug)]
pub(super) struct Counter {
    count: watch::Sender<usize>,
}

impl Default for Counter {
    fn default() -> Self {
        Self { count: watch::Sender::new(0) }
    }
}

impl Counter {
    pub(super) fn add(&self) {
        self.count.send_modify(|count| *count += 1);
    }

    pub(super) fn get(&self) -> usize {
        *self.count.borrow()
    }

    pub(super) async fn reach(&self, wanted: usize) {
        wait(&self.count, |count| *count >= wanted).await;
    }
}

async fn wait<T>(sender: &watch::Sender<T>, is_so: impl FnMut(&T) -> bool) {
    // The sender is held by the caller, so the channel cannot close meanwhile.
    let _closed = sender.subscribe().wait_for(is_so).await.is_err();
}
