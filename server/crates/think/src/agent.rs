//! What an agent is: a value ([`AgentSpec`]), and code where a value says too little ([`Agent`]).

mod definition;
mod events;
mod outcome;
mod signal;

pub use definition::{Agent, PlainAgent};
pub use events::{
    ChatError, ChatMessage, ErrorStage, Inference, ModelChoice, ModelContext, RequestExtras, StepChanges,
    StepSummary, ToolDecision, ToolEnd, TurnChanges, TurnContext,
};
pub use outcome::{ChatOutcome, OutcomeStatus};
pub use signal::AbortSignal;

use crate::assemble::Pruning;
use crate::schedules::ScheduledTask;
use crate::title::Titles;
use crate::tools::{Tool, ToolSource};
use crate::turn::Overlap;
use futures::future::BoxFuture;
use model::{ErrorClass, LanguageModel, ModelError};
use protocol::limits;
use session::ContextConfig;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Where models come from, by the name people choose.
pub trait ModelSource: Send + Sync {
    /// The model called `provider/model`.
    ///
    /// # Errors
    /// [`model::ErrorClass::UnknownModel`] with a sentence that says what to do.
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError>;

    /// The name that a model has by now, where the configured one only says how to find it.
    fn settled(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Whether it can make a better name for a session than the start of its question.
    fn makes_titles(&self, name: &str) -> bool {
        let _any = name;
        true
    }

    /// How many tokens it reads at most, where that is known; takes no more than a moment.
    fn context_window<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<u64>> {
        let _unknown = name;
        Box::pin(std::future::ready(None))
    }
}

/// How an agent's sessions are set up: the seed's `configure_session` as a value.
#[derive(Debug, Clone, Default)]
pub struct SessionSetup {
    /// The context blocks. Without any, [`AgentSpec::system_prompt`] is the system prompt.
    pub context: ContextConfig,
    /// Compacts where the prompt is estimated at more than so many tokens; none compacts only when somebody asks, or
    /// when a provider refuses a prompt as too long.
    pub compact_after: Option<u64>,
    /// Whether old calls of tools are left out of prompts.
    pub pruning: Pruning,
    /// Whether models may search all conversations of the instance.
    pub search: SearchAccess,
}

/// Whether models are offered the tool `session_search`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchAccess {
    /// They are not.
    #[default]
    Withheld,
    /// They are.
    Offered,
}

/// How turns meet each other and the end of the server, and what follows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnOptions {
    /// A new message that comes while another turn runs or waits.
    pub overlap: Overlap,
    /// A turn that the end of the server kept from answering.
    pub recovery: Recovery,
    /// A model that stops talking.
    pub silence: Silence,
    /// Where the names of sessions come from.
    pub titles: Titles,
}

/// How long a called model may say nothing. After that the call is given up: it is made again where nothing of it was
/// shown, else what arrived is kept and marked as cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// As long as the connection stands.
    Unlimited,
    /// So long, from the call to the first event, and from each event to the next.
    AtMost(Duration),
}

impl Silence {
    /// So many milliseconds; 0 for no limit.
    pub fn of_ms(ms: u64) -> Self {
        if ms == 0 { Self::Unlimited } else { Self::AtMost(Duration::from_millis(ms)) }
    }
}

impl Default for Silence {
    fn default() -> Self {
        Self::of_ms(limits::STALL_TIMEOUT_MS)
    }
}

/// What becomes of a turn that the end of the server interrupted. What was shown is kept in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recovery {
    /// The next start runs it again if it had said nothing, and goes on with it if the results of its tools were the
    /// last that happened: at most [`limits::RECOVERY_ATTEMPTS_MAX`] times, and no more than
    /// [`limits::RECOVERY_FRUITLESS_MAX`] times in a row, or [`limits::RECOVERY_FRUITLESS_MS`] of work, without coming any
    /// further. An answer that ends within a sentence is marked as interrupted.
    #[default]
    RunAgain,
    /// It is marked as interrupted.
    Mark,
}

/// The definition of an agent; shared by all its instances.
pub struct AgentSpec {
    /// Its name in addresses.
    pub name: String,
    /// Instructions for the model, where no context block says more. May be empty.
    pub system_prompt: String,
    /// Most model calls of one turn; at least 1.
    pub max_steps: u32,
    /// `provider/model` for sessions that chose none.
    pub default_model: String,
    /// Where models come from.
    pub models: Arc<dyn ModelSource>,
    /// What the model may call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Where it finds more, anew for each turn.
    pub tool_source: Option<Arc<dyn ToolSource>>,
    /// Agents that it may call as tools.
    pub agents: Vec<SubAgent>,
    /// The application's own code.
    pub agent: Arc<dyn Agent>,
    /// How turns meet each other and the end of the server.
    pub turns: TurnOptions,
    /// What its sessions remember, and how they are kept short.
    pub sessions: SessionSetup,
    /// What it does by itself, by id; in every open instance.
    pub schedules: BTreeMap<String, ScheduledTask>,
}

/// An agent that another one may call. It works in a session of its own below the caller's.
#[derive(Clone)]
pub struct SubAgent {
    /// What the caller's model is told of it.
    pub description: String,
    /// What it is; its name is the name of the tool.
    pub spec: Arc<AgentSpec>,
}

impl AgentSpec {
    /// An agent that brings its own models: [`Agent::get_model`] gives them.
    pub fn of(name: impl Into<String>, default_model: impl Into<String>, agent: impl Agent) -> Self {
        Self { agent: Arc::new(agent), ..Self::new(name, default_model, Arc::new(NoModels)) }
    }

    /// An agent without tools and code of its own, with the default instructions.
    pub fn new(
        name: impl Into<String>,
        default_model: impl Into<String>,
        models: Arc<dyn ModelSource>,
    ) -> Self {
        Self {
            name: name.into(),
            system_prompt: DEFAULT_SYSTEM_PROMPT.to_owned(),
            max_steps: limits::STEPS_DEFAULT,
            default_model: default_model.into(),
            models,
            tools: Vec::new(),
            tool_source: None,
            agents: Vec::new(),
            agent: Arc::new(PlainAgent),
            turns: TurnOptions::default(),
            sessions: SessionSetup::default(),
            schedules: BTreeMap::new(),
        }
    }
}

impl AgentSpec {
    /// The model of sessions that chose none, as it is named now.
    pub fn usual_model(&self) -> String {
        self.models.settled(&self.default_model)
    }

    /// The model of that name.
    pub(crate) fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        self.agent.get_model(self, name)
    }
}

struct NoModels;

impl ModelSource for NoModels {
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Err(ModelError::new(ErrorClass::UnknownModel, format!("there is no model {name}")))
    }
}

/// What a model is told when nobody says anything else.
pub const DEFAULT_SYSTEM_PROMPT: &str = "You are a helpful assistant.";
