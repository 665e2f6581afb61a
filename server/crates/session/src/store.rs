//! Every statement on the session's tables, one named function each. Nothing here decides anything.
//!
//! All functions take a connection inside a transaction; none begins or ends one.

pub(crate) mod blocks;
pub(crate) mod clamped;
pub(crate) mod compactions;
pub(crate) mod doctor;
pub(crate) mod entries;
pub(crate) mod entry_versions;
pub(crate) mod exchange;
pub(crate) mod frozen;
pub(crate) mod lists;
pub(crate) mod messages;
pub(crate) mod outline;
pub(crate) mod paths;
pub(crate) mod search;
pub(crate) mod sessions;
#[cfg(test)]
mod tests;
pub(crate) mod trash;
pub(crate) mod weights;
pub(crate) mod words;

use db::Clock;

/// A number as SQLite can hold it.
pub(crate) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A stored number that is never negative.
pub(crate) fn counted(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The time as SQLite can hold it.
pub(crate) fn now(clock: &dyn Clock) -> i64 {
    stored(clock.now_ms())
}
