//! Time and ids a test can foretell.

use db::{Clock, IdSource};
use std::sync::atomic::{AtomicU64, Ordering};

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct FakeClock(AtomicU64);

impl FakeClock {
    /// A clock that shows `now_ms`.
    pub fn at(now_ms: u64) -> Self {
        Self(AtomicU64::new(now_ms))
    }

    /// Lets time pass.
    pub fn advance(&self, by_ms: u64) {
        let _before = self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    /// Sets the clock, also back.
    pub fn set(&self, now_ms: u64) {
        self.0.store(now_ms, Ordering::SeqCst);
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
        self.0.load(Ordering::SeqCst)
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
