//! What time it is, as something that is passed in: the only place that asks the machine.

use std::fmt::Debug;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time. Everything that needs it takes an `Arc<dyn Clock>`.
pub trait Clock: Debug + Send + Sync {
    /// Milliseconds since 1970, UTC. May stand still or jump back, so it must never order anything.
    fn now_ms(&self) -> u64;

    /// Waits until [`Clock::now_ms`] is at least this. Cancel-safe.
    fn reached<'a>(&'a self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// A clock that is set meanwhile is noticed after this.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now_ms(&self) -> u64 {
        ms_of(SystemTime::now())
    }

    fn reached<'a>(&'a self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            while let Some(rest) = at_ms.checked_sub(self.now_ms()).filter(|rest| *rest > 0) {
                tokio::time::sleep(Duration::from_millis(rest).min(LOOK_AGAIN)).await;
            }
        })
    }
}

/// A clock that stands before 1970 counts as one that stands at its beginning.
fn ms_of(now: SystemTime) -> u64 {
    let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_says_0() {
        let day = Duration::from_hours(24);
        assert_eq!([UNIX_EPOCH - day, UNIX_EPOCH, UNIX_EPOCH + day].map(ms_of), [0, 0, 86_400_000]);
    }
}
