#![doc = include_str!("../README.md")]

mod actor;
mod admit;
mod agent;
mod aside;
mod assemble;
mod connection;
mod engine;
mod error;
mod hub;
mod meters;
mod prompt;
mod recovery;
mod reply;
mod shared;
mod store;
mod stream;
mod title;
pub mod tools;
pub mod turn;

pub use agent::{
    AgentSpec, ChatOutcome, DEFAULT_SYSTEM_PROMPT, Hooks, ModelSource, NoHooks, OutcomeStatus, Recovery,
    SearchAccess, SessionSetup, Silence, TurnOptions,
};
pub use assemble::{Assembled, Material, Pruning, assemble, fit};
pub use connection::{ConnectOptions, Connection, ConnectionReader, ConnectionSender};
pub use engine::{Engine, Reach, Vitals};
pub use error::ThinkError;
pub use shared::World;
pub use stream::fanout::{Batch, CloseReason};
pub use title::Titles;
pub use tools::{Tool, ToolSource};
