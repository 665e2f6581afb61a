//! New ids, as something that is passed in: the only place that draws them.

use crate::clock::{Clock, SystemClock};
use std::fmt::Debug;
use std::sync::Mutex;
use uuid::{ContextV7, Timestamp, Uuid};

/// Makes ids. Everything that needs new ones takes an `Arc<dyn IdSource>`.
pub trait IdSource: Debug + Send + Sync {
    /// An id nobody has had before.
    fn new_id(&self) -> String;
}

/// UUIDs of version 7: they sort by the time they were made.
#[derive(Debug, Clone, Copy, Default)]
pub struct UuidSource;

/// Counts the ids of one millisecond, for the whole process.
static COUNT: Mutex<ContextV7> = Mutex::new(ContextV7::new());

impl IdSource for UuidSource {
    fn new_id(&self) -> String {
        id_at(SystemClock.now_ms())
    }
}

/// The library's own look at the clock dies of one that stands before 1970; ours says 0 then.
fn id_at(now_ms: u64) -> String {
    let nanos = u32::try_from(now_ms % 1_000 * 1_000_000).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(&COUNT, now_ms / 1_000, nanos)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Whatever the clock does: it stands before 1970, is set back, or stands still.
    #[test]
    fn ids_sort_by_when_they_were_made_and_none_comes_twice() {
        let today = 1_796_000_000_123;
        let clock = [0, 0, 0, 1, today, today, today - 500_000, 0, today + 1].repeat(50);
        let ids: Vec<String> = clock.into_iter().map(id_at).collect();
        let mut sorted = ids.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(ids, sorted);
    }
}
