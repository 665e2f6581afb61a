//! Tools whose arguments have a type: the schema is made of it, and its doc comments are what the model reads.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use think::tools::{Reporter, TypedTool, typed};
//!
//! /// Rolls dice and gives their sum.
//! #[derive(Deserialize, JsonSchema)]
//! struct Dice {
//!     /// How many dice.
//!     #[schemars(range(min = 1, max = 100))]
//!     count: u32,
//! }
//!
//! struct Roll;
//!
//! impl TypedTool for Roll {
//!     type Input = Dice;
//!     type Output = u32;
//!     const NAME: &'static str = "roll";
//!
//!     async fn run(self: std::sync::Arc<Self>, dice: Dice, _report: Reporter) -> Result<u32, String> {
//!         Ok(dice.count * 4)
//!     }
//! }
//!
//! let spec = typed(Roll).spec();
//! assert_eq!(spec.description.as_deref(), Some("Rolls dice and gives their sum."));
//! ```

use super::{Reporter, Tool};
use futures::future::BoxFuture;
use model::OutputSchema;
use protocol::ToolSpec;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// A tool with typed arguments and results. [`typed`] makes a [`Tool`] of it.
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments. The doc comment of the type tells the model what the tool does, those of the fields what they
    /// mean.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The result.
    type Output: Serialize;
    /// What the model calls.
    const NAME: &'static str;

    /// Whether a person must agree to each call first.
    fn needs_approval(&self) -> bool {
        false
    }

    /// Runs one call. Dropping the future stops it. What `report` is told is shown until the result is there.
    ///
    /// # Errors
    /// A text for the model.
    fn run(
        self: Arc<Self>,
        input: Self::Input,
        report: Reporter,
    ) -> impl Future<Output = Result<Self::Output, String>> + Send + 'static;
}

/// The tool as agents hold it.
pub fn typed<T: TypedTool>(tool: T) -> Arc<dyn Tool> {
    Arc::new(Typed { tool: Arc::new(tool), spec: spec_of::<T>() })
}

struct Typed<T> {
    tool: Arc<T>,
    spec: ToolSpec,
}

impl<T: TypedTool> Tool for Typed<T> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn needs_approval(&self) -> bool {
        self.tool.needs_approval()
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        self.run_reporting(input, Reporter::deaf())
    }

    fn run_reporting(&self, input: Value, report: Reporter) -> BoxFuture<'static, Result<Value, String>> {
        let tool = Arc::clone(&self.tool);
        Box::pin(async move {
            let input = serde_json::from_value(input)
                .map_err(|error| format!("The arguments do not fit the tool {:?}: {error}.", T::NAME))?;
            let output = tool.run(input, report).await?;
            serde_json::to_value(output).map_err(|error| format!("the result is no JSON: {error}"))
        })
    }
}

fn spec_of<T: TypedTool>() -> ToolSpec {
    let mut schema = schema_of::<T::Input>();
    let description = schema.remove("description").and_then(|text| text.as_str().map(str::to_owned));
    ToolSpec { name: T::NAME.to_owned(), description, parameters: Some(schema.into()) }
}

/// The shape of an answer that is to be read as a `T`, for
/// [`RequestExtras::output`](crate::RequestExtras::output).
pub fn output_schema<T: JsonSchema>(name: &str) -> OutputSchema {
    OutputSchema { name: name.to_owned(), schema: schema_of::<T>().into() }
}

/// Schemas are written out without references, which some providers do not follow.
fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let _name_of_the_type = schema.remove("title");
    schema
}
