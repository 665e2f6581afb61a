//! What tools show before they are done, and how large a result may be.

use crate::support::{chunks, stage_with, user};
use model::{Script, ScriptedModel};
use protocol::{Chunk, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use think::tools::{Reporter, TypedTool, typed};

/// Counts.
#[derive(Deserialize, JsonSchema)]
struct To {
    /// How far.
    to: usize,
}

struct Count;

impl TypedTool for Count {
    type Input = To;
    type Output = String;
    const NAME: &'static str = "count";

    async fn run(self: Arc<Self>, To { to }: To, report: Reporter) -> Result<String, String> {
        for number in 1..=to.min(5) {
            report.report(json!(number)).await;
        }
        Ok("x".repeat(to))
    }
}

/// The outputs of the call, preliminary ones with a tilde, and the text of its failure.
async fn outputs(to: &Value) -> Vec<String> {
    let call = Script::new().tool("c1", "count", &json!({ "to": to })).tool_calls();
    let model = ScriptedModel::new([call, Script::new().text("ok").stop()]);
    let stage = stage_with(model, |spec| spec.tools = vec![typed(Count)]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    let output = |chunk| match chunk {
        Chunk::ToolOutputAvailable { output, preliminary, .. } => {
            Some(format!("{}{output}", if preliminary == Some(true) { "~" } else { "" }))
        }
        Chunk::ToolOutputError { error_text, .. } | Chunk::ToolInputError { error_text, .. } => {
            Some(error_text)
        }
        _ => None,
    };
    chunks(&frames, "r1").into_iter().filter_map(output).collect()
}

#[tokio::test]
async fn preliminary_results_come_in_order_and_the_last_one_is_not_preliminary() {
    assert_eq!(outputs(&json!(3)).await, ["~1", "~2", "~3", "\"xxx\""]);
}

#[tokio::test]
async fn what_does_not_fit_or_is_too_large_is_told() {
    let told = outputs(&json!("3")).await;
    assert_eq!(told, ["The arguments do not fit the tool \"count\": to must be integer, not string."]);
    let most = limits::TOOL_OUTPUT_MAX_BYTES;
    let told = outputs(&json!(most - 1)).await;
    let expected = format!(
        "the result has {} bytes, at most {most} are taken (TOOL_OUTPUT_MAX_BYTES); ask for less",
        most + 1
    );
    assert_eq!(told.last(), Some(&expected));
}
