//! Tools of MCP servers: connects when it is started, keeps connected, lists tools, calls them.
//!
//! Absences that hold: nothing here delays a start or fails a turn; no server's process outlives
//! [`McpServers::stop`]; no variable reaches a process that [`Surroundings`] does not name; no list, schema or result
//! is taken without a limit.

mod connection;
mod link;
mod names;
mod offers;
mod outcome;
mod servers;
mod tool;

pub use servers::{McpServers, ServerConfig, Surroundings, Target};
