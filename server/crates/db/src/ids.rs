//! New ids, as something that is passed in: the only place that draws them.

use crate::clock::{Clock, SystemClock};
use std::fmt::Debug;
use uuid::{NoContext, Timestamp, Uuid};

/// Makes ids. Everything that needs new ones takes an `Arc<dyn IdSource>`.
pub trait IdSource: Debug + Send + Sync {
    /// An id nobody has had before.
    fn new_id(&self) -> String;
}

/// UUIDs of version 7: they sort by the time they were made.
#[derive(Debug, Clone, Copy, Default)]
pub struct UuidSource;

impl IdSource for UuidSource {
    fn new_id(&self) -> String {
        id_at(SystemClock.now_ms()).to_string()
    }
}

/// The library reads the clock by itself, to count the ids of one millisecond, and dies of one that stands before
/// 1970: ours says 0 then.
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
fn id_at(now_ms: u64) -> Uuid {
    if now_ms == 0 { Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)) } else { Uuid::now_v7() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_clock_before_1970_gives_ids_too_and_none_comes_twice() {
        let clock = [0, 0, 1_796_000_000_123].repeat(500);
        let ids: HashSet<Uuid> = clock.iter().map(|now_ms| id_at(*now_ms)).collect();
        assert_eq!((ids.len(), ids.iter().all(|id| id.get_version_num() == 7)), (clock.len(), true));
        let early = ids.iter().filter(|id| id.to_string().starts_with("00000000-0000-7")).count();
        assert_eq!(early, 1_000);
    }
}
