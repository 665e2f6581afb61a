//! One call of a tool, with the agent's say before and after it.

use super::TurnHooks;
use crate::agent::{ToolDecision, ToolEnd};
use crate::tools::{Report, Tool, ToolRun, run_bounded};
use protocol::ToolCallId;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::Instant;

impl TurnHooks {
    /// Runs a call if the agent lets it.
    pub(crate) async fn run_tool(
        self,
        tool: Arc<dyn Tool>,
        run: ToolRun,
        reports: mpsc::Sender<Report>,
    ) -> (ToolCallId, Result<Value, String>) {
        self.observer.caught_up().await;
        let id = run.id.clone();
        let asked = self.guarded("before_tool_call", self.agent().before_tool_call(&self.turn, &run)).await;
        let started = Instant::now();
        let outcome = match asked.and_then(|decision| decision) {
            Ok(ToolDecision::Allow) => self.lineage.around(run_bounded(tool, run.clone(), reports)).await.1,
            Ok(ToolDecision::AllowWith(input)) => {
                let run = ToolRun { input, ..run.clone() };
                self.lineage.around(run_bounded(tool, run, reports)).await.1
            }
            Ok(ToolDecision::Block(reason)) => Ok(Value::String(reason)),
            Ok(ToolDecision::Substitute(output)) => Ok(output),
            // It did not run, so there is nothing after it.
            Err(text) => return (id, Err(text)),
        };
        let end = ToolEnd { outcome, duration: started.elapsed() };
        let told =
            self.guarded("after_tool_call", self.agent().after_tool_call(&self.turn, &run, &end)).await;
        if let Err(text) = told {
            tracing::error!(session.id = %self.turn.session_id, request.id = %self.turn.request_id, "{text}");
        }
        (id, end.outcome)
    }
}
