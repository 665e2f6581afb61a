//! Tools that a person agreed to once for all calls of a session.

use super::{Reporter, Tool};
use futures::future::BoxFuture;
use protocol::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

/// The same tools; those that are named need no approval.
pub(crate) fn consented(tools: Vec<Arc<dyn Tool>>, names: &[String]) -> Vec<Arc<dyn Tool>> {
    let consented = tools.into_iter().map(|tool| {
        if tool.needs_approval() && names.contains(&tool.spec().name) {
            Arc::new(Consented(tool)) as Arc<dyn Tool>
        } else {
            tool
        }
    });
    consented.collect()
}

struct Consented(Arc<dyn Tool>);

impl Tool for Consented {
    fn spec(&self) -> ToolSpec {
        self.0.spec()
    }

    fn time_limit(&self) -> (u64, &'static str) {
        self.0.time_limit()
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        self.0.run(input)
    }

    fn run_reporting(&self, input: Value, report: Reporter) -> BoxFuture<'static, Result<Value, String>> {
        self.0.run_reporting(input, report)
    }
}
