//! The agent's own code: what a value cannot say, it says here.

use super::{AgentSpec, SessionSetup};
use super::{
    ChatError, ChatMessage, ChatOutcome, Inference, ModelContext, StepChanges, StepSummary, ToolDecision,
    ToolEnd, TurnChanges, TurnContext,
};
use crate::engine::Engine;
use crate::prompt::ContextSource;
use crate::tools::{Tool, ToolRun};
use async_trait::async_trait;
use model::{LanguageModel, ModelError, ModelRequest};
use protocol::Chunk;
use std::sync::Arc;

/// The override points of an agent, and the hooks of its turns. Every method has a default: the getters give what the
/// [`AgentSpec`] says, the hooks change nothing.
///
/// # Order
///
/// [`on_chat_message`](Self::on_chat_message), [`assemble_context`](Self::assemble_context),
/// [`before_turn`](Self::before_turn), then for each step [`before_step`](Self::before_step),
/// [`on_chunk`](Self::on_chunk) …, for each call [`before_tool_call`](Self::before_tool_call) and
/// [`after_tool_call`](Self::after_tool_call), [`on_step_finish`](Self::on_step_finish); the message is stored;
/// [`on_chat_response`](Self::on_chat_response). The context is assembled again for each step. In a continuation the
/// calls that a person agreed to run first.
///
/// # What goes wrong in it
///
/// A hook that may change something and fails, panics or takes longer than
/// [`HOOK_TIMEOUT_MS`](protocol::limits::HOOK_TIMEOUT_MS) has not agreed: the turn fails with its words, or, for
/// [`before_tool_call`](Self::before_tool_call), the call. A hook that only looks on and fails is logged. In no case
/// does the next turn wait for it. A turn that is stopped drops whatever hook it was waiting for.
#[async_trait]
pub trait Agent: Send + Sync + 'static {
    /// The model of that name: the session's own choice, or [`AgentSpec::default_model`].
    ///
    /// # Errors
    /// There is none; the text says what to do.
    fn get_model(&self, spec: &AgentSpec, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        spec.models.model(name)
    }

    /// Instructions where no context block says anything; asked for each step.
    fn get_system_prompt(&self, spec: &AgentSpec) -> String {
        spec.system_prompt.clone()
    }

    /// What the model may call; asked when a turn begins.
    fn get_tools(&self, spec: &AgentSpec) -> Vec<Arc<dyn Tool>> {
        spec.tools.clone()
    }

    /// Most model calls of one turn; asked when a turn begins.
    fn get_max_steps(&self, spec: &AgentSpec) -> u32 {
        spec.max_steps
    }

    /// How sessions are set up; called exactly once, when the instance starts.
    async fn configure_session(&self, setup: SessionSetup) -> SessionSetup {
        setup
    }

    /// What the model reads in the next step.
    ///
    /// # Errors
    /// The turn fails with this text.
    async fn assemble_context(&self, source: ContextSource<'_>) -> Result<ModelContext, String> {
        source.standard().await
    }

    /// Who answers a message.
    ///
    /// # Errors
    /// The turn fails with this text.
    async fn on_chat_message(&self, turn: &TurnContext, message: &ChatMessage) -> Result<Inference, String> {
        let _unused = (turn, message);
        Ok(Inference::Loop)
    }

    /// After a turn ended and its message was stored; not for cleared, dropped or never started turns. Runs beside the
    /// session's queue, so it may start another turn and wait for it.
    async fn on_chat_response(&self, engine: &Engine, outcome: ChatOutcome) {
        let _unused = engine;
        drop(outcome);
    }

    /// What the client sees of an error; by default the text as it is. Must not wait.
    fn on_chat_error(&self, error: &ChatError) -> String {
        error.text.clone()
    }

    /// Before the first model call, with the request as it would be sent.
    ///
    /// # Errors
    /// The turn fails with this text.
    async fn before_turn(&self, turn: &TurnContext, request: &ModelRequest) -> Result<TurnChanges, String> {
        let _unused = (turn, request);
        Ok(TurnChanges::default())
    }

    /// Before each model call (the first is step 1), with the request as it would be sent.
    ///
    /// # Errors
    /// The turn fails with this text.
    async fn before_step(
        &self,
        turn: &TurnContext,
        step: u32,
        request: &ModelRequest,
    ) -> Result<StepChanges, String> {
        let _unused = (turn, step, request);
        Ok(StepChanges::default())
    }

    /// After a chunk was stored and sent. One that fails once hears no more chunks of this turn, and one that falls
    /// behind by [`HOOK_BACKLOG_MAX`](protocol::limits::HOOK_BACKLOG_MAX) batches misses some.
    async fn on_chunk(&self, turn: &TurnContext, chunk: &Chunk) {
        let _unused = (turn, chunk);
    }

    /// Before a call that the server runs; not for tools of the browser.
    ///
    /// # Errors
    /// The call fails with this text, and the turn goes on.
    async fn before_tool_call(&self, turn: &TurnContext, call: &ToolRun) -> Result<ToolDecision, String> {
        let _unused = (turn, call);
        Ok(ToolDecision::Allow)
    }

    /// After such a call, with the input that the model gave. One that was blocked or given a result counts as done.
    async fn after_tool_call(&self, turn: &TurnContext, call: &ToolRun, end: &ToolEnd) {
        let _unused = (turn, call, end);
    }

    /// After a step: its model call is over and its calls have results.
    async fn on_step_finish(&self, turn: &TurnContext, step: &StepSummary) {
        let _unused = (turn, step);
    }
}

/// An agent that is only what its [`AgentSpec`] says.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainAgent;

impl Agent for PlainAgent {}
