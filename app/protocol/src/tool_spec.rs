//! What a model is told about a tool, whoever runs it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Name, purpose and arguments of a tool. The wire's `clientTools` have this shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ToolSpec {
    /// What the model calls.
    pub name: String,
    /// What the model reads to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; absent means any object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
}

impl ToolSpec {
    /// The schema to send to a model.
    pub fn schema(&self) -> Value {
        self.parameters.clone().unwrap_or_else(|| json!({ "type": "object" }))
    }
}
