#![doc = include_str!("../README.md")]

mod error;
mod event;
mod language_model;
mod request;

pub use error::{ErrorClass, ModelError};
pub use event::{FinishReason, ModelEvent};
pub use language_model::{LanguageModel, ModelStream};
pub use request::{
    AssistantContent, ModelMessage, ModelRequest, Purpose, Sampling, ToolChoice, ToolOutput, ToolResultContent,
    UserContent,
};
