//! The one socket of a tab: when to open it, when to try again, what goes through it.

pub mod backoff;
pub mod link;
pub mod socket;
