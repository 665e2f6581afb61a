//! The list of sessions.

pub mod row;
pub mod sidebar;
pub mod state;
