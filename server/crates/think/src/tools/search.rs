//! The tool that looks into all conversations of the instance.

use super::Tool;
use futures::future::BoxFuture;
use protocol::ToolSpec;
use serde_json::Value;
use session::SessionSearch;

/// `session_search`.
pub(crate) struct SearchTool(pub(crate) SessionSearch);

impl Tool for SearchTool {
    fn spec(&self) -> ToolSpec {
        self.0.spec()
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let search = self.0.clone();
        Box::pin(async move { Ok(Value::String(search.call(&input).await)) })
    }
}
