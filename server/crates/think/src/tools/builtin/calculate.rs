//! The tool `calculate`: arithmetic, which language models are bad at.

use crate::tools::{Reporter, TypedTool};
use model::arithmetic::{number, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Longest expression.
const EXPRESSION_MAX_BYTES: usize = 2_000;

/// The tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Calculate;

/// Calculates the value of an arithmetic expression exactly as written. Use it instead of calculating yourself.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Sum {
    /// Decimal numbers, brackets and the signs + - * / % ^, for example (2 + 3.5) * 4 ^ 2.
    #[schemars(length(max = 2000))]
    expression: String,
}

/// The value.
#[derive(Debug, Serialize)]
pub struct Outcome {
    result: Value,
}

impl TypedTool for Calculate {
    type Input = Sum;
    type Output = Outcome;
    const NAME: &'static str = "calculate";

    async fn run(self: Arc<Self>, sum: Sum, _report: Reporter) -> Result<Outcome, String> {
        let expression =
            (sum.expression.len() <= EXPRESSION_MAX_BYTES).then(|| read(&sum.expression)).flatten();
        let expression =
            expression.ok_or("This is no expression of numbers, brackets and the signs + - * / % ^.")?;
        let value =
            expression.value().ok_or("It has no result: it divides by zero or grows beyond all bounds.")?;
        Ok(Outcome { result: number(value) })
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::{Calculate, typed};
    use serde_json::json;

    #[tokio::test]
    async fn it_calculates_or_says_why_not() {
        let tool = typed(Calculate);
        let no_sum = Err("This is no expression of numbers, brackets and the signs + - * / % ^.".to_owned());
        let rows = [
            ("(2 + 3.5) * 4 ^ 2", Ok(json!({ "result": 88 }))),
            ("0.1 + 0.2", Ok(json!({ "result": 0.3 }))),
            ("42", Ok(json!({ "result": 42 }))),
            ("two", no_sum.clone()),
            (&"-".repeat(3_000), no_sum),
            ("1 / 0", Err("It has no result: it divides by zero or grows beyond all bounds.".to_owned())),
        ];
        for (expression, expected) in rows {
            assert_eq!(tool.run(json!({ "expression": expression })).await, expected, "{expression}");
        }
        let expected = "The arguments do not fit the tool \"calculate\": missing field `expression`.";
        assert_eq!(tool.run(json!({})).await, Err(expected.to_owned()));
    }

    #[test]
    fn what_the_model_reads_stands_in_the_comments() {
        let spec = serde_json::to_value(typed(Calculate).spec()).unwrap();
        let expected = json!({
            "name": "calculate",
            "description":
                "Calculates the value of an arithmetic expression exactly as written. Use it instead of calculating yourself.",
            "parameters": {
                "type": "object",
                "properties": { "expression": {
                    "description":
                        "Decimal numbers, brackets and the signs + - * / % ^, for example (2 + 3.5) * 4 ^ 2.",
                    "type": "string",
                    "maxLength": 2000,
                } },
                "required": ["expression"],
            },
        });
        assert_eq!(spec, expected);
    }
}
