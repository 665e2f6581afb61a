#![doc = include_str!("../README.md")]

mod append;
mod choice;
mod compaction;
mod context;
mod cursor;
mod doctor;
mod error;
mod exchange;
mod fork;
mod history;
mod intake;
mod lists;
mod manager;
mod names;
mod options;
mod outline;
mod prune;
mod sanitize;
mod search;
mod session;
mod settings;
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
pub use doctor::{Fault, Finding, Repair, RepairOutcome};
pub use error::{BrokenRow, SessionError};
pub use exchange::{Exported, ImportError, ImportFile, PIECES_MAX, ScanError};
pub use fork::Forked;
pub use history::{History, LeftOut, PathText, Recall, RecallRoom, Recent, RowStat, read_message};
pub use lists::{SessionFilter, Shelf};
pub use manager::{NewSession, SessionManager};
// Skills and texts may lie in any of its stores.
pub use object_store;
pub use options::{SessionEvent, SessionOptions, SessionStatus, Trigger};
pub use sanitize::sanitize;
pub use search::{Search, SearchableHistory, SessionSearch};
pub use session::Session;
pub use tokens::{estimate_message, estimate_messages, estimate_text, estimate_tools};
pub use truncate::{Truncation, truncate_older_messages, truncate_older_steps, truncate_tool_output};
