#![doc = include_str!("../README.md")]

pub mod arithmetic;
#[cfg(feature = "test-util")]
pub mod contract;
mod convert;
mod error;
mod event;
mod language_model;
mod request;
#[cfg(feature = "test-util")]
mod scripted;

pub use convert::{
    APPROVED, INTERRUPTED, NUDGE, OPENING, SUMMARY_HEADING, nudge_after_assistant, open_with_user,
    prune_tagged, prune_tool_calls, to_model_messages, trace_model_messages,
};
pub use error::{ErrorClass, ModelError};
pub use event::{FinishReason, ModelEvent};
pub use language_model::{LanguageModel, ModelStream};
pub use protocol::Sampling;
pub use request::{
    AssistantContent, ModelMessage, ModelRequest, OutputSchema, Purpose, ToolChoice, ToolOutput,
    ToolResultContent, UserContent,
};
#[cfg(feature = "test-util")]
pub use scripted::{Gate, Script, ScriptedModel};
