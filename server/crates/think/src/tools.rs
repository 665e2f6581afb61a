//! Tools the server runs for a model, and how a run is bounded.

pub(crate) mod context;
mod demo;
pub(crate) mod search;
mod source;

pub use demo::demo_tools;
pub use source::ToolSource;
pub(crate) use source::{find, planned, toolbox};

use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::{ToolCallId, ToolSpec, limits};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Something a model may call. A failure is told to the model; it never ends the turn.
pub trait Tool: Send + Sync {
    /// What the model is told.
    fn spec(&self) -> ToolSpec;

    /// Whether a person must agree to each call first.
    fn needs_approval(&self) -> bool {
        false
    }

    /// Runs one call. Dropping the future stops it. `input` is a JSON object.
    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>>;
}

/// One call to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRun {
    /// The call.
    pub id: ToolCallId,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
}

/// Runs a call within [`limits::TOOL_TIMEOUT_MS`]. A tool that panics has failed, no more.
pub(crate) async fn run_bounded(tool: Arc<dyn Tool>, run: ToolRun) -> (ToolCallId, Result<Value, String>) {
    let ToolRun { id, name, input } = run;
    let limit = Duration::from_millis(limits::TOOL_TIMEOUT_MS);
    let work = AssertUnwindSafe(async move { tool.run(input).await }).catch_unwind();
    let outcome = match tokio::time::timeout(limit, work).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_panic)) => Err(format!("{name} failed in a way it did not expect")),
        Err(_elapsed) => Err(format!("{name} took longer than {} s (TOOL_TIMEOUT_MS)", limit.as_secs())),
    };
    (id, outcome)
}
