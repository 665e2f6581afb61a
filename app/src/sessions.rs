//! The list of sessions.

pub mod state;
