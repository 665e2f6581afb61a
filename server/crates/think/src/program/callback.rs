//! What a program brings to a turn: a message, somebody who listens, tools of its own.

use crate::agent::AbortSignal;
use crate::tools::Tool;
use async_trait::async_trait;
use futures::future::BoxFuture;
use protocol::{Message, RequestId, Role, ToolSpec};
use serde_json::Value;
use std::sync::Arc;

/// Hears a turn as it runs. What it does wrong is logged and changes nothing; it is not called again then.
#[async_trait]
pub trait StreamCallback: Send + Sync {
    /// The turn has begun.
    async fn on_start(&self, request_id: &RequestId) {
        let _unused = request_id;
    }

    /// A chunk, as JSON. One who falls more than [`CALLBACK_BACKLOG_MAX`](protocol::limits::CALLBACK_BACKLOG_MAX)
    /// batches behind misses some.
    async fn on_event(&self, json: &str) {
        let _unused = json;
    }

    /// It ended well or was stopped, and its message is stored.
    async fn on_done(&self) {}

    /// It failed; what had arrived is stored.
    async fn on_error(&self, text: &str) {
        let _unused = text;
    }
}

/// Listens to nothing.
#[async_trait]
impl StreamCallback for () {}

/// Runs the calls of a program's own tools.
#[async_trait]
pub trait ClientTools: Send + Sync + 'static {
    /// One call.
    ///
    /// # Errors
    /// The call fails with this text, and the turn goes on.
    async fn on_client_tool_call(&self, name: &str, input: Value) -> Result<Value, String>;
}

/// What a program wants of one turn.
#[derive(Clone, Default)]
pub struct ChatOptions {
    /// Raised, it stops the turn.
    pub signal: Option<AbortSignal>,
    /// Tools for this turn alone; they are not remembered.
    pub client_tools: Vec<ToolSpec>,
    /// Who runs them; without anybody their calls end the turn and wait for an answer.
    pub on_client_tool_call: Option<Arc<dyn ClientTools>>,
}

/// What can be said: a text, or a whole message.
pub trait IntoUserMessage {
    /// The message; its id is used only where it brings one.
    fn into_message(self, new_id: String) -> Message;
}

impl IntoUserMessage for &str {
    fn into_message(self, new_id: String) -> Message {
        Message::text(new_id, Role::User, self)
    }
}

impl IntoUserMessage for String {
    fn into_message(self, new_id: String) -> Message {
        self.as_str().into_message(new_id)
    }
}

impl IntoUserMessage for Message {
    fn into_message(self, _new_id: String) -> Message {
        self
    }
}

impl ChatOptions {
    /// Tools that run here, and those that only wait.
    pub(super) fn split(self) -> (Vec<Arc<dyn Tool>>, Vec<ToolSpec>) {
        let Some(runner) = self.on_client_tool_call else { return (Vec::new(), self.client_tools) };
        let tool = |spec| Arc::new(Called { spec, runner: Arc::clone(&runner) }) as Arc<dyn Tool>;
        (self.client_tools.into_iter().map(tool).collect(), Vec::new())
    }
}

struct Called {
    spec: ToolSpec,
    runner: Arc<dyn ClientTools>,
}

impl Tool for Called {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let (runner, name) = (Arc::clone(&self.runner), self.spec.name.clone());
        Box::pin(async move { runner.on_client_tool_call(&name, input).await })
    }
}
