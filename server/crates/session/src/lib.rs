#![doc = include_str!("../README.md")]

mod append;
mod choice;
mod cursor;
mod error;
mod history;
mod intake;
mod manager;
mod prune;
mod session;
mod shrink;
mod store;
mod trash;
mod window;

pub use append::{Appended, Parent};
pub use error::{BrokenRow, SessionError};
pub use history::{History, Recent, RowStat};
pub use manager::{NewSession, SessionManager};
pub use session::Session;
