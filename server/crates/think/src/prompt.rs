//! The prompt of one step, put together beside the actor, because a summary may have to be written first.

mod kept;
mod report;
mod source;

pub(crate) use kept::Kept;
pub use source::ContextSource;

use crate::agent::ModelContext;
use crate::assemble::{Assembled, Material, assemble};
use crate::error::ThinkError;
use crate::hooks::{Draft, TurnHooks};
use crate::shared::Shared;
use crate::tools::{Tool, planned};
use crate::turn::{Input, PlannedTool, merge};
use kept::Told;
use model::ModelRequest;
use protocol::{Message, MessageId, Sampling, ToolSpec};
use session::{
    Outcome, Position, Session, estimate_message, estimate_messages, estimate_text, estimate_tools,
    truncate_older_steps,
};
use std::sync::Arc;

/// Steps of the running answer whose results stay whole when it has outgrown its room.
const WHOLE_STEPS: usize = 2;
/// Longest result of a tool in the steps before.
const OLD_OUTPUT: usize = 500;

const EMPTY: &str = "There is nothing to answer: the conversation is empty.";

/// Why a prompt is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pressure {
    /// It is time for the next step.
    Usual,
    /// The provider has refused the prompt as too long.
    Refused,
}

/// One prompt to be made.
pub(crate) struct Preparation {
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: Session,
    /// What the actor remembers of the context blocks.
    pub(crate) kept: Arc<Kept>,
    /// What the turn answers.
    pub(crate) leaf: MessageId,
    /// The answer so far, in later steps.
    pub(crate) so_far: Option<Box<Message>>,
    /// The server's tools of this turn.
    pub(crate) own_tools: Vec<Arc<dyn Tool>>,
    pub(crate) client_tools: Vec<ToolSpec>,
    pub(crate) pressure: Pressure,
    /// The agent's say; none where the prompt is only looked at.
    pub(crate) hooks: Option<TurnHooks>,
    /// The number of the step.
    pub(crate) step: u32,
}

/// Everything but the messages.
struct Frame {
    told: Told,
    tools: Vec<PlannedTool>,
    sampling: Sampling,
}

impl Frame {
    fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec.clone()).collect()
    }

    fn tokens(&self) -> u64 {
        estimate_text(&self.told.system) + estimate_tools(&self.specs())
    }
}

impl Preparation {
    /// What the machine hears. Dropping the future gives up; a summary that is being written is given up with it.
    pub(crate) async fn run(mut self) -> Vec<Input> {
        self.prepare().await.unwrap_or_else(|text| vec![Input::PrepareFailed(text)])
    }

    async fn prepare(&mut self) -> Result<Vec<Input>, String> {
        if let Some(hooks) = &self.hooks
            && hooks.answers_itself().await?
        {
            return Ok(vec![Input::Prepared(Box::default())]);
        }
        let frame = self.fitting_frame().await?;
        let context = self.context(&frame).await?;
        if context.messages.is_empty() {
            return Err(EMPTY.to_owned());
        }
        let mut draft = Draft { request: request_of(context, &frame), tools: frame.tools };
        let mut inputs = match &self.hooks {
            Some(hooks) => {
                let inputs = hooks.consult(self.step, &mut draft, self.so_far.as_deref()).await?;
                self.kept.set_changed(hooks.choices().told());
                inputs
            }
            None => Vec::new(),
        };
        inputs.push(Input::Offered(draft.tools));
        inputs.push(Input::Prepared(Box::new(draft.request)));
        Ok(inputs)
    }

    /// Everything but the messages, once the conversation is known to fit.
    async fn fitting_frame(&mut self) -> Result<Frame, String> {
        let mut frame = self.frame().await.map_err(|error| error.to_string())?;
        let is_shorter = match self.pressure {
            Pressure::Usual => self.keep_within(&frame).await.map_err(|error| error.to_string())?,
            Pressure::Refused => self.shorten().await?,
        };
        if is_shorter {
            frame = self.frame().await.map_err(|error| error.to_string())?;
        }
        Ok(frame)
    }

    async fn context(&self, frame: &Frame) -> Result<ModelContext, String> {
        let source = ContextSource::new(self, frame);
        match &self.hooks {
            Some(hooks) => hooks.assemble(source).await,
            None => source.standard().await,
        }
    }

    fn assemble(&self, frame: &Frame, path: &[Message]) -> Option<Assembled> {
        let mut assembled = assemble(&Material {
            system: &frame.told.system,
            path,
            so_far: self.so_far.as_deref(),
            tools: &frame.specs(),
            pruning: self.shared.setup().pruning,
        })?;
        assembled.request.sampling = frame.sampling;
        Some(assembled)
    }

    async fn path(&self) -> Result<Vec<Message>, ThinkError> {
        Ok(self.session.recalled_history(Some(&self.leaf), self.kept.recall()).await?.messages)
    }

    async fn frame(&self) -> Result<Frame, ThinkError> {
        let position = Position { leaf: Some(&self.leaf), so_far: self.so_far.as_deref() };
        let told = self.kept.told(&self.shared, &self.session, position).await?;
        let tools = merge(planned(&self.own_tools), &self.client_tools, &told.tools);
        let row = self.shared.sessions.get(self.session.id()).await?;
        let sampling = row.and_then(|row| row.sampling).unwrap_or_default();
        Ok(Frame { told, tools, sampling })
    }

    /// Sees to it that the prompt stays below the agent's threshold: long results of earlier steps of this answer give
    /// way first, then a summary is written; whether one was. Failing to write one is told and does not end the turn.
    async fn keep_within(&mut self, frame: &Frame) -> Result<bool, ThinkError> {
        let Some(threshold) = self.shared.setup().compact_after else { return Ok(false) };
        let overhead = frame.tokens();
        self.kept.set_overhead(overhead);
        if let Some(so_far) = &mut self.so_far {
            let path = self.session.token_estimate(Some(&self.leaf)).await?;
            if path + overhead + estimate_message(so_far) > threshold {
                truncate_older_steps(so_far, WHOLE_STEPS, OLD_OUTPUT);
            }
        }
        let so_far = self.so_far.as_deref().map_or(0, estimate_message);
        self.session.set_prompt_overhead(overhead + so_far);
        match self.session.compact_if_over().await {
            Ok(Some(Outcome::Stored { .. })) => Ok(self.was_compacted()),
            Ok(Some(Outcome::Declined(_)) | None) => Ok(false),
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "no summary before a step");
                Ok(false)
            }
        }
    }

    /// Makes a refused prompt shorter, once, or says why it cannot be.
    async fn shorten(&mut self) -> Result<bool, String> {
        let before = self.so_far.as_deref().map_or(0, estimate_message);
        if let Some(so_far) = &mut self.so_far {
            truncate_older_steps(so_far, 1, OLD_OUTPUT);
        }
        let is_cut = self.so_far.as_deref().map_or(0, estimate_message) < before;
        let session = self.shared.pressed(self.session.clone());
        let why = match session.compact(Some(&self.leaf)).await {
            Ok(Outcome::Stored { .. }) => return Ok(self.was_compacted()),
            Ok(Outcome::Declined(_)) if is_cut => return Ok(false),
            Ok(Outcome::Declined(declined)) => declined.to_string(),
            Err(error) => error.to_string(),
        };
        Err(format!(
            "The conversation is too long for this model and could not be shortened: {why}. Go on in a new session, \
             choose a model with a larger window, or remove long messages."
        ))
    }

    fn was_compacted(&self) -> bool {
        self.shared.context_changed();
        self.shared.tell_transcript(self.session.id());
        true
    }
}

fn request_of(context: ModelContext, frame: &Frame) -> ModelRequest {
    let ModelContext { system, messages } = context;
    let system = Some(system.trim().to_owned()).filter(|system| !system.is_empty());
    let sampling = frame.sampling;
    ModelRequest { system, messages, tools: frame.specs(), sampling, ..ModelRequest::default() }
}

/// Estimated tokens of a path.
fn tokens_of(path: &[Message]) -> u64 {
    estimate_messages(path)
}
