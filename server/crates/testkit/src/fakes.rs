//! Time and ids a test can foretell.

use db::{Clock, IdSource};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct FakeClock {
    now_ms: AtomicU64,
    /// Told when it is moved.
    moved: Notify,
}

impl FakeClock {
    /// A clock that shows `now_ms`.
    pub fn at(now_ms: u64) -> Self {
        Self { now_ms: AtomicU64::new(now_ms), moved: Notify::new() }
    }

    /// Lets time pass.
    pub fn advance(&self, by_ms: u64) {
        let _before = self.now_ms.fetch_add(by_ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }

    /// Sets the clock, also back.
    pub fn set(&self, now_ms: u64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }
}

impl FakeClock {
    async fn moved_to(&self, at_ms: u64) {
        loop {
            let moved = self.moved.notified();
            if self.now_ms() >= at_ms {
                return;
            }
            moved.await;
        }
    }
}

impl Default for FakeClock {
    /// Some day in 2026.
    fn default() -> Self {
        Self::at(1_780_000_000_000)
    }
}

impl Clock for FakeClock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn reached<'a>(&'a self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.moved_to(at_ms))
    }
}

/// Ids in the order they were asked for: `id-1`, `id-2`, …
#[derive(Debug, Default)]
pub struct SeqIds(AtomicU64);

impl IdSource for SeqIds {
    fn new_id(&self) -> String {
        format!("id-{}", self.0.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_told() {
        let clock = FakeClock::at(5);
        clock.advance(2);
        assert_eq!((clock.now_ms(), clock.now_ms()), (7, 7));
        clock.set(1);
        assert_eq!(clock.now_ms(), 1);
    }

    #[test]
    fn ids_count_up() {
        let ids = SeqIds::default();
        assert_eq!([ids.new_id(), ids.new_id()], ["id-1", "id-2"]);
    }
}
