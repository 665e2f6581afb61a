#![doc = include_str!("../README.md")]

mod append;
mod choice;
mod cursor;
mod error;
mod history;
mod intake;
mod manager;
mod prune;
mod sanitize;
mod session;
mod store;
mod tokens;
mod trash;
mod truncate;
mod window;

pub use append::{Appended, Parent};
pub use error::{BrokenRow, SessionError};
pub use history::{History, Recent, RowStat};
pub use manager::{NewSession, SessionManager};
pub use sanitize::sanitize;
pub use session::Session;
pub use tokens::{estimate_message, estimate_messages, estimate_text, estimate_tools};
pub use truncate::{Truncation, truncate_older_messages, truncate_tool_output};
