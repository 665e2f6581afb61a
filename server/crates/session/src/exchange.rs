//! Conversations on their way to other places and back: written to a file piece by piece, read from one session by
//! session, and told as a text for people.

mod apart;
mod export;
mod foreign;
pub(crate) mod format;
mod import;
mod markdown;
mod memory;
mod messages;
mod original;
mod remembered;
mod scan;
mod source;
mod survey;

pub use export::{Exported, PIECES_MAX};
pub use import::{ImportError, ImportFile};
pub use scan::ScanError;
