//! Streams that can be read again: the log that stores chunks before anybody sees them, and who sees them.

pub(crate) mod fanout;
pub(crate) mod log;
mod merge;
pub(crate) mod replay;

pub(crate) use merge::merge_deltas;
