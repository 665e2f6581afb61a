//! The list of sessions.

pub mod deeds;
pub mod groups;
pub mod menu;
pub mod row;
pub mod sidebar;
pub mod state;
