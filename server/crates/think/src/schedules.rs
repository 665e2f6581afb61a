//! Tasks that an agent does by itself at certain times.
//!
//! What a task says and when is part of the agent's definition; when it runs next is stored, so that a restart neither
//! forgets a time nor runs one twice: each run hands in a submission whose key holds the task and the time.

mod dsl;
mod next;
mod run;
mod store;

pub use dsl::{Schedule, ScheduleError};
pub(crate) use run::{keep, reconcile};
pub(crate) use store::Schedules;

use futures::future::BoxFuture;
use protocol::SessionId;
use std::sync::Arc;

/// One task of an agent.
#[derive(Clone)]
pub struct ScheduledTask {
    /// When.
    pub schedule: Schedule,
    /// In which session.
    pub session: SessionId,
    /// What.
    pub work: ScheduledWork,
}

/// What a task does.
#[derive(Clone)]
pub enum ScheduledWork {
    /// Says this to the model.
    Prompt(String),
    /// Calls this; a failure is tried again, three times in all.
    Handler(Arc<dyn ScheduledHandler>),
}

/// Code that runs at certain times. Each time is given to it once, even if the server dies meanwhile.
pub trait ScheduledHandler: Send + Sync {
    /// Does it. `due_ms` is the time it was due, in milliseconds since 1970, UTC.
    fn run(&self, task: &str, due_ms: u64) -> BoxFuture<'static, Result<(), String>>;
}
