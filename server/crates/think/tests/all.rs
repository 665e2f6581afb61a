//! Stories of the engine: real actor, real database, a model that plays scripts, tabs that hear frames.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "helpers of tests: a story that breaks shall stop at once"
)]

#[path = "all/agents.rs"]
mod agents;
#[path = "all/agreed.rs"]
mod agreed;
#[path = "all/branches.rs"]
mod branches;
#[path = "all/cancel.rs"]
mod cancel;
#[path = "all/cases.rs"]
mod cases;
#[path = "all/chaos.rs"]
mod chaos;
#[path = "all/context.rs"]
mod context;
#[path = "all/crashes.rs"]
mod crashes;
#[path = "all/door.rs"]
mod door;
#[path = "all/followups.rs"]
mod followups;
#[path = "all/frames.rs"]
mod frames;
#[path = "all/hooks.rs"]
mod hooks;
#[path = "all/loads.rs"]
mod loads;
#[path = "all/overflow.rs"]
mod overflow;
#[path = "all/overlap.rs"]
mod overlap;
#[path = "all/programs.rs"]
mod programs;
#[path = "all/queue.rs"]
mod queue;
#[path = "all/races.rs"]
mod races;
#[path = "all/recovery.rs"]
mod recovery;
#[path = "all/regenerate.rs"]
mod regenerate;
#[path = "all/reports.rs"]
mod reports;
#[path = "all/resume.rs"]
mod resume;
#[path = "all/sessions.rs"]
mod sessions;
#[path = "all/sources.rs"]
mod sources;
#[path = "all/submissions.rs"]
mod submissions;
#[path = "all/support.rs"]
mod support;
#[path = "all/titles.rs"]
mod titles;
#[path = "all/tools.rs"]
mod tools;
#[path = "all/turns.rs"]
mod turns;
