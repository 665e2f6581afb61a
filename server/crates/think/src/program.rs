//! Turns that a program asks for instead of a socket: the same queue, the same loop, the same stored rows.

mod api;
mod callback;
mod channel;

pub(crate) use api::finished;
pub use callback::{ChatOptions, ClientTools, IntoUserMessage, StreamCallback};
pub(crate) use channel::{Event, Events, Listener};

use crate::lineage::Lineage;
use crate::tools::Tool;
use protocol::{Message, RequestId, ToolSpec};
use std::sync::Arc;
use sync_wrapper::SyncWrapper;

/// What becomes of the current history: messages to store and answer.
pub(crate) type Make = SyncWrapper<Box<dyn FnOnce(Vec<Message>) -> Vec<Message> + Send>>;

/// What to do.
pub(crate) enum Work {
    /// Store these and answer.
    Messages(Vec<Message>),
    /// The same, with messages that are made once everything accepted before has ended.
    Make(Make),
    /// Go on with the last answer, once everything accepted before has ended.
    Continue,
}

/// A turn that a program asks for.
pub(crate) struct Program {
    pub(crate) work: Work,
    pub(crate) request_id: RequestId,
    pub(crate) terms: Terms,
}

/// What comes with a program's turn to its end. Dropping it tells the program that nothing more comes.
#[derive(Clone, Default)]
pub(crate) struct Terms {
    /// Further tools, run by the program.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Tools whose calls nobody here runs, in place of the browser's.
    pub(crate) client_tools: Option<Vec<ToolSpec>>,
    /// Where the program itself stands.
    pub(crate) lineage: Lineage,
    /// Who hears of it.
    pub(crate) events: Option<Events>,
    /// Whether anybody is left to hear of it after a stop of the server.
    pub(crate) tie: Tie,
}

/// What a turn hangs on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tie {
    /// On itself: whoever asked finds its end later.
    #[default]
    Free,
    /// On the program that waits for it, which ends with the server.
    Program,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms").field("lineage", &self.lineage).finish_non_exhaustive()
    }
}

/// How a turn of a program went.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnResult {
    /// Its request.
    pub request_id: RequestId,
    /// How it ended.
    pub status: ResultStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// What was stored; none if nothing had arrived.
    pub message: Option<Message>,
}

/// How a turn of a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStatus {
    /// By itself.
    Completed,
    /// It failed.
    Error,
    /// It never ran: there was nothing to answer, or the conversation was cleared before its time came.
    Skipped,
    /// Somebody stopped it.
    Aborted,
}

impl ResultStatus {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Aborted => "aborted",
        }
    }
}
