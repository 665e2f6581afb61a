#![doc = include_str!("../README.md")]

mod actor;
mod admit;
mod agent;
mod aside;
mod assemble;
mod connection;
mod engine;
mod error;
mod family;
mod fruitless;
pub mod guide;
mod hooks;
mod hub;
mod lineage;
mod meters;
mod program;
mod prompt;
mod recovery;
mod reply;
mod schedules;
mod shared;
mod store;
mod stream;
mod submissions;
mod tend;
mod title;
pub mod tools;
pub mod turn;

pub use agent::{
    AbortSignal, Agent, AgentSpec, ChatError, ChatMessage, ChatOutcome, DEFAULT_SYSTEM_PROMPT, ErrorStage,
    Inference, ModelChoice, ModelContext, ModelSource, OutcomeStatus, PlainAgent, Recovery, RequestExtras,
    SearchAccess, SessionSetup, Silence, StepChanges, StepSummary, SubAgent, ToolDecision, ToolEnd,
    TurnChanges, TurnContext, TurnOptions,
};
pub use assemble::{Assembled, Material, Pruning, assemble, fit};
pub use connection::{ConnectOptions, Connection, ConnectionReader, ConnectionSender};
pub use engine::{Engine, Reach, Rest, Vitals};
pub use error::ThinkError;
pub use program::{ChatOptions, ClientTools, IntoUserMessage, ResultStatus, StreamCallback, TurnResult};
pub use prompt::ContextSource;
pub use schedules::{Schedule, ScheduleError, ScheduledHandler, ScheduledTask, ScheduledWork};
pub use shared::World;
pub use stream::fanout::{Batch, CloseReason, Lag};
pub use submissions::NewSubmission;
pub use title::Titles;
pub use tools::{Tool, ToolSource};
