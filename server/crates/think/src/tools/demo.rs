//! The tool set `demo`: for trying things and for tests. Nothing in it touches the world.

use super::Tool;
use futures::future::BoxFuture;
use protocol::ToolSpec;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tools of the set.
pub fn demo_tools() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(Add), Arc::new(Danger)]
}

/// Adds two numbers.
struct Add;

impl Tool for Add {
    fn spec(&self) -> ToolSpec {
        let number = json!({ "type": "number" });
        ToolSpec {
            name: "add".to_owned(),
            description: Some("Adds two numbers and gives their sum.".to_owned()),
            parameters: Some(json!({
                "type": "object",
                "properties": { "a": number, "b": number },
                "required": ["a", "b"],
            })),
        }
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(std::future::ready(add(&input)))
    }
}

/// Pretends to delete something, so that approvals can be tried.
struct Danger;

impl Tool for Danger {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "danger".to_owned(),
            description: Some("Pretends to delete a target. It does nothing and needs approval.".to_owned()),
            parameters: Some(json!({
                "type": "object",
                "properties": { "target": { "type": "string" } },
                "required": ["target"],
            })),
        }
    }

    fn needs_approval(&self) -> bool {
        true
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let target = input.get("target").cloned().unwrap_or_default();
        Box::pin(std::future::ready(Ok(json!({ "deleted": target }))))
    }
}

fn add(input: &Value) -> Result<Value, String> {
    let number = |key: &str| input.get(key).ok_or_else(|| format!("{key} is missing"));
    let (a, b) = (number("a")?, number("b")?);
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64())
        && let Some(sum) = a.checked_add(b)
    {
        return Ok(json!({ "sum": sum }));
    }
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => Ok(json!({ "sum": a + b })),
        (None, _) => Err(format!("a is not a number: {a}")),
        (_, None) => Err(format!("b is not a number: {b}")),
    }
}
