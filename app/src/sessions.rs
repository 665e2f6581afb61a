//! The list of sessions.

pub mod deeds;
pub mod groups;
pub mod later;
pub mod outline;
pub mod row;
pub mod seen;
pub mod selection;
pub mod sidebar;
pub mod state;
