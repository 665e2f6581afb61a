//! The engine as a library, by example. Every piece of code here is compiled and run with the tests.
//!
//! # A minimal agent
//!
//! An agent is an [`Agent`](crate::Agent) with a model; everything else has a default. It needs a file and somebody who
//! tells the time and makes up ids. No server is involved.
//!
//! ```
//! use db::{Database, SystemClock, UuidSource};
//! use model::{LanguageModel, ModelError};
//! use protocol::SessionId;
//! use std::sync::Arc;
//! use think::{Agent, AgentSpec, ChatOptions, Engine, World};
//!
//! struct ChatAgent;
//!
//! impl Agent for ChatAgent {
//!     fn get_model(&self, _: &AgentSpec, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
//!         Ok(my_model())
//!     }
//! }
//! # fn my_model() -> Arc<dyn LanguageModel> {
//! #     Arc::new(model::ScriptedModel::answering(|_| model::Script::new().text("Hello!").stop()))
//! # }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("agent.db");
//! let database = Database::open(&path).await?;
//! let world = World { clock: Arc::new(SystemClock), ids: Arc::new(UuidSource) };
//! let spec = Arc::new(AgentSpec::of("assistant", "my/model", ChatAgent));
//! let engine = Engine::start(spec, "default".to_owned(), database, world).await?;
//!
//! let result = engine.chat(&SessionId::default(), "Hi", &(), ChatOptions::default()).await?;
//! assert_eq!(result.message.unwrap().plain_text(), "Hello!");
//! engine.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Hearing an answer as it is written
//!
//! ```
//! # use async_trait::async_trait;
//! use think::StreamCallback;
//!
//! struct Print;
//!
//! #[async_trait]
//! impl StreamCallback for Print {
//!     async fn on_event(&self, json: &str) {
//!         println!("{json}"); // {"type":"text-delta","id":"1-0","delta":"Hel"}
//!     }
//!
//!     async fn on_done(&self) {
//!         println!("stored");
//!     }
//! }
//! ```
//!
//! # A memory that the model keeps itself
//!
//! Context blocks stand in the system prompt. The model gets `set_context` for those that can be written.
//!
//! ```
//! # use async_trait::async_trait;
//! use session::{BlockOptions, Provider};
//! use think::{Agent, SessionSetup};
//!
//! struct MemoryAgent;
//!
//! #[async_trait]
//! impl Agent for MemoryAgent {
//!     async fn configure_session(&self, mut setup: SessionSetup) -> SessionSetup {
//!         let soul = BlockOptions::from_provider(Provider::fixed("You are a helpful coding assistant."));
//!         let memory = BlockOptions::default()
//!             .describe("Important facts learned during conversation. Update proactively.")
//!             .max_tokens(2_000);
//!         let context = setup.context.with_context("soul", soul);
//!         setup.context = context.and_then(|it| it.with_context("memory", memory)).expect("good labels");
//!         setup
//!     }
//! }
//! # let setup = futures::executor::block_on(MemoryAgent.configure_session(SessionSetup::default()));
//! # assert!(!setup.context.is_empty());
//! ```
//!
//! # Compaction of long conversations
//!
//! Above the threshold the middle of the conversation is replaced by a summary that the session's model writes. The
//! messages themselves stay.
//!
//! ```
//! # use async_trait::async_trait;
//! # use think::{Agent, SessionSetup};
//! struct LongChatAgent;
//!
//! #[async_trait]
//! impl Agent for LongChatAgent {
//!     async fn configure_session(&self, setup: SessionSetup) -> SessionSetup {
//!         SessionSetup { compact_after: Some(50_000), ..setup }
//!     }
//! }
//! ```
//!
//! # Several conversations
//!
//! ```
//! # use db::{Database, SystemClock, UuidSource};
//! # use model::{LanguageModel, ModelError};
//! # use std::sync::Arc;
//! # use think::{Agent, AgentSpec, ChatOptions, Engine, ThinkError, World};
//! use session::NewSession;
//!
//! async fn several(engine: &Engine) -> Result<(), ThinkError> {
//!     let plans = engine.create_session(NewSession { name: "Plans".into(), ..NewSession::default() }).await?;
//!     engine.chat(&plans.id, "Where to?", &(), ChatOptions::default()).await?;
//!     let other = engine.fork(&plans.id, None, Some("Other plans")).await?.expect("it is there");
//!     engine.rename_session(&plans.id, "Old plans").await?;
//!     let page = engine.list_sessions(None, 20).await?;
//!     assert_eq!(page.sessions.len(), 2);
//!     assert_eq!(engine.messages(&other.id).await?.map(|messages| messages.len()), Some(2));
//!     engine.delete_session(&plans.id).await?;
//!     Ok(())
//! }
//! # struct ChatAgent;
//! # impl Agent for ChatAgent {
//! #     fn get_model(&self, _: &AgentSpec, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
//! #         Ok(Arc::new(model::ScriptedModel::answering(|_| model::Script::new().text("Oslo").stop())))
//! #     }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let database = Database::open(&folder.path().join("agent.db")).await?;
//! # let world = World { clock: Arc::new(SystemClock), ids: Arc::new(UuidSource) };
//! # let spec = Arc::new(AgentSpec::of("assistant", "my/model", ChatAgent));
//! # let engine = Engine::start(spec, "default".to_owned(), database, world).await?;
//! # several(&engine).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Tools, and a say in each call
//!
//! A tool's arguments are a type, its doc comments are what the model reads; see
//! [`TypedTool`](crate::tools::TypedTool).
//!
//! ```
//! # use async_trait::async_trait;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use std::sync::Arc;
//! use think::tools::{Reporter, Tool, ToolRun, TypedTool, typed};
//! use think::{Agent, AgentSpec, ToolDecision, TurnContext};
//!
//! /// Tells how high a mountain is, in metres.
//! #[derive(Deserialize, JsonSchema)]
//! struct Height {
//!     /// Its name.
//!     mountain: String,
//! }
//!
//! struct Heights;
//!
//! impl TypedTool for Heights {
//!     type Input = Height;
//!     type Output = u32;
//!     const NAME: &'static str = "height";
//!
//!     async fn run(self: Arc<Self>, input: Height, _report: Reporter) -> Result<u32, String> {
//!         if input.mountain == "Galdhøpiggen" { Ok(2_469) } else { Err("unknown".to_owned()) }
//!     }
//! }
//!
//! struct Guide;
//!
//! #[async_trait]
//! impl Agent for Guide {
//!     fn get_tools(&self, _: &AgentSpec) -> Vec<Arc<dyn Tool>> {
//!         vec![typed(Heights)]
//!     }
//!
//!     async fn before_tool_call(&self, _: &TurnContext, call: &ToolRun) -> Result<ToolDecision, String> {
//!         Ok(match call.name.as_str() {
//!             "height" => ToolDecision::Allow,
//!             _ => ToolDecision::Block("Only heights today.".to_owned()),
//!         })
//!     }
//! }
//! # assert_eq!(typed(Heights).spec().name, "height");
//! ```
//!
//! # An answer as a document
//!
//! The schema reaches providers that can keep to one, and is told in words to the others. The engine checks the answer
//! in any case: what does not fit fails the turn.
//!
//! ```
//! # use async_trait::async_trait;
//! # use db::{Database, SystemClock, UuidSource};
//! # use model::{LanguageModel, ModelError};
//! # use protocol::SessionId;
//! # use std::sync::{Arc, Mutex};
//! # use think::{AgentSpec, ChatOptions, World};
//! use model::ModelRequest;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use std::time::Duration;
//! use think::tools::output_schema;
//! use think::{Agent, ChatOutcome, Engine, RequestExtras, Silence, TurnChanges, TurnContext};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Weather {
//!     /// In degrees Celsius.
//!     temperature: f64,
//! }
//!
//! #[derive(Default)]
//! struct Forecaster {
//!     last: Arc<Mutex<Option<f64>>>,
//! }
//!
//! #[async_trait]
//! impl Agent for Forecaster {
//!     async fn before_turn(&self, _: &TurnContext, _: &ModelRequest) -> Result<TurnChanges, String> {
//!         let extras = RequestExtras {
//!             output: Some(output_schema::<Weather>("weather")),
//!             headers: [("x-team".to_owned(), "forecast".to_owned())].into(),
//!             ..RequestExtras::default()
//!         };
//!         let silence = Some(Silence::AtMost(Duration::from_secs(30)));
//!         Ok(TurnChanges { extras, silence, ..TurnChanges::default() })
//!     }
//!
//!     async fn on_chat_response(&self, _: &Engine, outcome: ChatOutcome) {
//!         let weather = outcome.output.and_then(|it| serde_json::from_value::<Weather>(it).ok());
//!         *self.last.lock().expect("nobody panics") = weather.map(|it| it.temperature);
//!     }
//! #   fn get_model(&self, _: &AgentSpec, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
//! #       let answer = model::Script::new().text(r#"{"temperature":-3.5}"#).stop();
//! #       Ok(Arc::new(model::ScriptedModel::new([answer])))
//! #   }
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let database = Database::open(&folder.path().join("agent.db")).await?;
//! # let world = World { clock: Arc::new(SystemClock), ids: Arc::new(UuidSource) };
//! # let agent = Forecaster::default();
//! # let last = Arc::clone(&agent.last);
//! # let spec = Arc::new(AgentSpec::of("assistant", "my/model", agent));
//! # let engine = Engine::start(spec, "default".to_owned(), database, world).await?;
//! # engine.chat(&SessionId::default(), "Oslo?", &(), ChatOptions::default()).await?;
//! # while last.lock().unwrap().is_none() { tokio::task::yield_now().await; }
//! # assert_eq!(*last.lock().unwrap(), Some(-3.5));
//! # engine.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Agents that call agents
//!
//! The other agent is a tool: it works on its task in a session of its own below the caller's, and the caller's page
//! sees it work. It is stopped with its caller, and its failure is a failed call.
//!
//! ```
//! # use model::{LanguageModel, ModelError};
//! # use std::sync::Arc;
//! use think::{AgentSpec, ModelSource, SubAgent};
//!
//! fn writer(models: Arc<dyn ModelSource>) -> AgentSpec {
//!     let mut research = AgentSpec::new("research", "openai/small", Arc::clone(&models));
//!     research.system_prompt = "Find out what is asked and report it with sources.".to_owned();
//!     let mut writer = AgentSpec::new("writer", "openai/large", models);
//!     writer.agents = vec![SubAgent {
//!         description: "Finds facts. Give it one question at a time.".to_owned(),
//!         spec: Arc::new(research),
//!     }];
//!     writer
//! }
//! # struct None;
//! # impl ModelSource for None {
//! #     fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
//! #         Err(ModelError::new(model::ErrorClass::UnknownModel, name))
//! #     }
//! # }
//! # assert_eq!(writer(Arc::new(None)).agents.len(), 1);
//! ```
//!
//! # After each turn
//!
//! ```
//! # use async_trait::async_trait;
//! use think::{Agent, ChatOutcome, Engine, OutcomeStatus};
//!
//! struct TrackedAgent;
//!
//! #[async_trait]
//! impl Agent for TrackedAgent {
//!     async fn on_chat_response(&self, engine: &Engine, outcome: ChatOutcome) {
//!         if outcome.status == OutcomeStatus::Completed {
//!             // What the model wrote into its memory stands in the prompt from the next turn on.
//!             let _prompt = engine.refresh_prompt(&outcome.session_id).await;
//!         }
//!     }
//! }
//! ```
