#![doc = include_str!("../README.md")]

mod append;
mod choice;
mod compaction;
mod context;
mod cursor;
mod error;
mod history;
mod intake;
mod manager;
mod options;
mod prune;
mod sanitize;
mod session;
mod store;
mod tokens;
mod trash;
mod truncate;
mod window;

pub use append::{Appended, Parent};
pub use compaction::{
    Compact, Compaction, CompactionError, CompactionInput, Declined, Draft, Outcome, Pin, Protect, Start,
    Summarise, SummaryCompaction, apply_overlays, sanitize_tool_pairs,
};
pub use context::{
    BlockOptions, BoxError, Change, Context, ContextCall, ContextConfig, ContextError, ContextEvent, Entry,
    FixedText, Layout, Owner, Position, Provider, ReadContext, SearchContext, SkillContext, SkillRef,
    SkillStore, TextObject, ToolReply, WriteContext, WriteSearch, WriteSkills, loaded_skills, reclaim_skill,
};
pub use error::{BrokenRow, SessionError};
pub use history::{History, Recent, RowStat};
// Skills and texts may lie in any of its stores.
pub use manager::{NewSession, SessionManager};
pub use object_store;
pub use options::{SessionEvent, SessionOptions, SessionStatus, Trigger};
pub use sanitize::sanitize;
pub use session::Session;
pub use tokens::{estimate_message, estimate_messages, estimate_text, estimate_tools};
pub use truncate::{Truncation, truncate_older_messages, truncate_tool_output};
