//! What the agent's code is told at each point of a turn, and what it may answer: one type of answer for each point.

use super::{AbortSignal, Silence};
use crate::engine::Engine;
use crate::tools::Tool;
use model::{FinishReason, LanguageModel, ModelMessage, ModelStream, OutputSchema, Sampling, ToolChoice};
use protocol::{Message, RequestId, SessionId, ToolSpec, Usage};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Which turn it is.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// The instance it runs in.
    pub engine: Engine,
    /// Its session.
    pub session_id: SessionId,
    /// Its request.
    pub request_id: RequestId,
    /// Whether it goes on with an earlier message.
    pub is_continuation: bool,
    /// Raised when it is stopped or fails.
    pub abort: AbortSignal,
}

/// What came with the request that a turn answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatMessage {
    /// Tools of the browser.
    pub client_tools: Vec<ToolSpec>,
    /// Custom fields of the request.
    pub body: Map<String, Value>,
}

/// Who answers.
#[derive(Default)]
pub enum Inference {
    /// The engine's loop: assembled context, model, tools, steps.
    #[default]
    Loop,
    /// These events, in place of the first model call. Calls of tools in them run, and the loop goes on with the
    /// results.
    Events(ModelStream),
}

/// Which model.
#[derive(Clone)]
pub enum ModelChoice {
    /// By name, as [`super::Agent::get_model`] finds it.
    Named(String),
    /// This one.
    Given(Arc<dyn LanguageModel>),
}

/// What a model reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelContext {
    /// Instructions; may be empty.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
}

/// What [`super::Agent::before_turn`] changes; what it leaves out stays as it is.
#[derive(Clone, Default)]
pub struct TurnChanges {
    /// Another model.
    pub model: Option<ModelChoice>,
    /// Other instructions.
    pub system: Option<String>,
    /// Another conversation. What the turn does itself still follows it in later steps.
    pub messages: Option<Vec<ModelMessage>>,
    /// Further tools; one with the name of another replaces it.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Only these tools are offered.
    pub active_tools: Option<Vec<String>>,
    /// Whether a tool must be called.
    pub tool_choice: Option<ToolChoice>,
    /// Another limit of model calls; at least 1.
    pub max_steps: Option<u32>,
    /// Other sampling.
    pub sampling: Option<Sampling>,
    /// What is sent along with each request.
    pub extras: RequestExtras,
    /// How long the model may say nothing.
    pub silence: Option<Silence>,
}

/// What else a request says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestExtras {
    /// The shape that the last answer of the turn must have. An answer of another shape fails the turn;
    /// [`ChatOutcome::output`](super::ChatOutcome::output) has the one that fits.
    pub output: Option<OutputSchema>,
    /// Further headers. Those of the connection and the key cannot be replaced.
    pub headers: BTreeMap<String, String>,
    /// Further fields of the call, as the provider names them.
    pub options: Map<String, Value>,
}

/// What [`super::Agent::before_step`] changes, for this step alone.
#[derive(Clone, Default)]
pub struct StepChanges {
    /// Another model.
    pub model: Option<ModelChoice>,
    /// Other instructions.
    pub system: Option<String>,
    /// Another conversation, what the turn has done so far included.
    pub messages: Option<Vec<ModelMessage>>,
    /// Only these tools are offered.
    pub active_tools: Option<Vec<String>>,
    /// Whether a tool must be called.
    pub tool_choice: Option<ToolChoice>,
    /// Other sampling.
    pub sampling: Option<Sampling>,
    /// What is sent along with the request, besides what was chosen for the turn.
    pub extras: RequestExtras,
}

/// What becomes of a call that the server would run.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ToolDecision {
    /// It runs.
    #[default]
    Allow,
    /// It runs with this input. The stored message keeps what the model said.
    AllowWith(Value),
    /// It does not run; the model reads why, as its result.
    Block(String),
    /// It does not run; this is its result.
    Substitute(Value),
}

/// How a call went, for [`super::Agent::after_tool_call`].
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEnd {
    /// The result, or why it failed.
    pub outcome: Result<Value, String>,
    /// How long the tool ran.
    pub duration: Duration,
}

/// A step that is over, for [`super::Agent::on_step_finish`].
#[derive(Debug, Clone, PartialEq)]
pub struct StepSummary {
    /// Which one, from 1.
    pub step: u32,
    /// What the model said about its end; none if it did not come so far.
    pub finish_reason: Option<FinishReason>,
    /// Tokens of the turn so far, as the provider reported.
    pub usage: Option<Usage>,
    /// The answer so far.
    pub message: Option<Message>,
}

/// An error before a client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatError {
    /// What would be said.
    pub text: String,
    /// The session.
    pub session_id: SessionId,
    /// The request.
    pub request_id: RequestId,
    /// Where it happened.
    pub stage: ErrorStage,
}

/// Where an error happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorStage {
    /// The request was not understood, or not taken.
    Request,
    /// Before or beside the model's stream: a prompt that could not be made, a store that could not be written.
    Turn,
    /// In the model's stream.
    Stream,
}
