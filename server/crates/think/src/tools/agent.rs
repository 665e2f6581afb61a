//! Another agent as a tool: it works on a task in a session of its own below the caller's, with the same loop.

use super::{Reporter, Tool};
use crate::engine::Engine;
use crate::family::Child;
use crate::lineage::Lineage;
use crate::program::{ChatOptions, ResultStatus, StreamCallback};
use crate::shared::Shared;
use async_trait::async_trait;
use futures::future::BoxFuture;
use protocol::{Chunk, SessionId, ToolSpec, limits};
use serde_json::{Value, json};
use session::NewSession;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How much of the answer so far the caller's page sees.
const EXCERPT_MAX_CHARS: usize = 400;

/// One agent that may be called in one turn.
#[derive(Clone)]
pub(crate) struct AgentTool {
    description: String,
    agent: Arc<Shared>,
    /// The session of the turn that calls.
    caller: SessionId,
    /// Calls of agents in this turn, of all its agents together.
    calls: Arc<AtomicUsize>,
}

/// The agents that a turn of a session may call.
pub(crate) fn agent_tools(shared: &Shared, caller: &SessionId) -> Vec<Arc<dyn Tool>> {
    let calls = Arc::<AtomicUsize>::default();
    let tool = |child: &Child| {
        Arc::new(AgentTool {
            description: child.description.clone(),
            agent: Arc::clone(&child.shared),
            caller: caller.clone(),
            calls: Arc::clone(&calls),
        }) as Arc<dyn Tool>
    };
    shared.family.children().iter().map(tool).collect()
}

impl Tool for AgentTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.agent.spec.name.clone(),
            description: Some(self.description.clone()),
            parameters: Some(json!({
                "type": "object",
                "properties": { "task": {
                    "type": "string",
                    "description": "Everything the agent needs to know: it does not see this conversation.",
                } },
                "required": ["task"],
            })),
        }
    }

    fn time_limit(&self) -> (u64, &'static str) {
        (limits::AGENT_CALL_TIMEOUT_MS, "AGENT_CALL_TIMEOUT_MS")
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        self.run_reporting(input, Reporter::deaf())
    }

    fn run_reporting(&self, input: Value, report: Reporter) -> BoxFuture<'static, Result<Value, String>> {
        let call = self.clone();
        Box::pin(async move { call.work(&input, report).await })
    }
}

impl AgentTool {
    async fn work(&self, input: &Value, report: Reporter) -> Result<Value, String> {
        let task = input.get("task").and_then(Value::as_str).unwrap_or_default().trim();
        if task.is_empty() {
            return Err("task is missing: say what the agent shall do".to_owned());
        }
        self.check_budget()?;
        let engine = Engine::of(&self.agent);
        let session = self.open_session(&engine).await?;
        let name = &self.agent.spec.name;
        let progress =
            Progress { card: Card { agent: name, session: &session }, report, text: Mutex::default() };
        progress.tell("running").await;
        let ended = engine.chat(&session, task, &progress, ChatOptions::default()).await;
        let result = ended.map_err(|error| error.to_string())?;
        let answer = result.message.as_ref().map(protocol::Message::plain_text).unwrap_or_default();
        match result.status {
            ResultStatus::Completed => Ok(progress.card.output("completed", &answer)),
            ResultStatus::Error | ResultStatus::Aborted | ResultStatus::Skipped => {
                let why = result.error.unwrap_or_else(|| result.status.as_str().to_owned());
                Err(format!("The agent {name} did not finish (session {session}): {why}"))
            }
        }
    }

    fn check_budget(&self) -> Result<(), String> {
        if Lineage::current().depth() >= limits::AGENT_DEPTH_MAX {
            return Err(crate::ThinkError::TooDeep.to_string());
        }
        if self.calls.fetch_add(1, Ordering::Relaxed) >= limits::AGENT_CALLS_PER_TURN_MAX {
            let most = limits::AGENT_CALLS_PER_TURN_MAX;
            return Err(format!(
                "this turn has called agents {most} times already (AGENT_CALLS_PER_TURN_MAX)"
            ));
        }
        Ok(())
    }

    async fn open_session(&self, engine: &Engine) -> Result<SessionId, String> {
        let new = NewSession {
            parent_session_id: Some(self.caller.clone()),
            source: Some(self.agent.family.source()),
            ..NewSession::default()
        };
        engine.create_session(new).await.map(|info| info.id).map_err(|error| error.to_string())
    }
}

/// What a page needs to show the call.
struct Card<'a> {
    agent: &'a str,
    session: &'a SessionId,
}

impl Card<'_> {
    fn output(&self, status: &str, text: &str) -> Value {
        json!({ "agent": self.agent, "sessionId": self.session, "status": status, "text": text })
    }
}

/// Shows in the caller's turn how far the agent is.
struct Progress<'a> {
    card: Card<'a>,
    report: Reporter,
    /// Its answer so far.
    text: Mutex<String>,
}

impl Progress<'_> {
    async fn tell(&self, status: &str) {
        let text = self.excerpt();
        self.report.report(self.card.output(status, &text)).await;
    }

    /// The end of the text, which is what has just been written.
    fn excerpt(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = text.chars().count().saturating_sub(EXCERPT_MAX_CHARS);
        text.chars().skip(skipped).collect()
    }

    /// Whether there is something new to see: a line ended, or a tool was called.
    fn note(&self, chunk: &Chunk) -> bool {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if let Chunk::TextDelta { delta, .. } = chunk {
            text.push_str(delta);
            return delta.contains('\n');
        }
        if let Chunk::ToolInputAvailable { tool_name, .. } = chunk {
            let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            text.push_str(gap);
            text.push_str("→ ");
            text.push_str(tool_name);
            text.push('\n');
            return true;
        }
        matches!(chunk, Chunk::TextEnd { .. })
    }
}

#[async_trait]
impl StreamCallback for Progress<'_> {
    async fn on_event(&self, json: &str) {
        if Chunk::from_body(json).is_some_and(|chunk| self.note(&chunk)) {
            self.tell("running").await;
        }
    }
}
