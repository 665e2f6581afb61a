//! Tools the server runs for a model, and how a run is bounded.

mod agent;
mod arguments;
mod builtin;
mod consent;
pub(crate) mod context;
mod demo;
mod report;
mod schema;
pub(crate) mod search;
mod source;
mod typed;

pub(crate) use agent::agent_tools;
pub(crate) use arguments::read_arguments;
pub use builtin::{Calculate, ClockTool};
pub(crate) use consent::consented;
pub use demo::demo_tools;
pub(crate) use report::Report;
pub use report::Reporter;
pub(crate) use schema::{misfit, unfit};
pub use source::ToolSource;
pub(crate) use source::{find, planned, toolbox};
pub use typed::{TypedTool, output_schema, typed};

use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::{ToolCallId, ToolSpec, limits};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Something a model may call. A failure is told to the model; it never ends the turn.
pub trait Tool: Send + Sync {
    /// What the model is told.
    fn spec(&self) -> ToolSpec;

    /// Whether a person must agree to each call first.
    fn needs_approval(&self) -> bool {
        false
    }

    /// How long one call may take, in milliseconds, and the name of that limit.
    fn time_limit(&self) -> (u64, &'static str) {
        (limits::TOOL_TIMEOUT_MS, "TOOL_TIMEOUT_MS")
    }

    /// Runs one call. Dropping the future stops it. `input` is a JSON object.
    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>>;

    /// The same for tools that have something to show before they are done.
    fn run_reporting(&self, input: Value, report: Reporter) -> BoxFuture<'static, Result<Value, String>> {
        drop(report);
        self.run(input)
    }
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

/// Runs a call within the tool's [`Tool::time_limit`] and [`limits::TOOL_OUTPUT_MAX_BYTES`]. A tool that panics has failed,
/// no more.
pub(crate) async fn run_bounded(
    tool: Arc<dyn Tool>,
    run: ToolRun,
    reports: mpsc::Sender<Report>,
) -> (ToolCallId, Result<Value, String>) {
    let ToolRun { id, name, input } = run;
    let (limit, named) = tool.time_limit();
    let limit = Duration::from_millis(limit);
    let report = Reporter::new(id.clone(), reports);
    let work = AssertUnwindSafe(async move { tool.run_reporting(input, report).await }).catch_unwind();
    let outcome = match tokio::time::timeout(limit, work).await {
        Ok(Ok(outcome)) => outcome.and_then(bounded),
        Ok(Err(_panic)) => Err(format!("{name} failed in a way it did not expect")),
        Err(_elapsed) => Err(format!("{name} took longer than {} s ({named})", limit.as_secs())),
    };
    (id, outcome)
}

fn bounded(output: Value) -> Result<Value, String> {
    let (bytes, most) = (output.to_string().len(), limits::TOOL_OUTPUT_MAX_BYTES);
    if bytes > most {
        return Err(format!(
            "the result has {bytes} bytes, at most {most} are taken (TOOL_OUTPUT_MAX_BYTES); ask for less"
        ));
    }
    Ok(output)
}
