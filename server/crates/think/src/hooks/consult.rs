//! What the agent changes about a turn and its steps, and how that is kept for the steps to come.

use super::TurnHooks;
use super::events::Prepared;
use crate::agent::{Inference, ModelChoice, RequestExtras, Silence, StepChanges, TurnChanges};
use crate::tools::{Tool, find, planned};
use crate::turn::{Input, PlannedTool};
use model::{LanguageModel, ModelRequest};
use protocol::Message;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the agent chose for a turn that runs.
#[derive(Default)]
pub(crate) struct Choices(Mutex<Chosen>);

#[derive(Default)]
pub(super) struct Chosen {
    is_asked: bool,
    pub(super) turn: Option<TurnChanges>,
    pub(super) step: Option<(u32, StepChanges)>,
    /// For all steps.
    model: Option<Arc<dyn LanguageModel>>,
    /// For the step that begins.
    step_model: Option<Arc<dyn LanguageModel>>,
}

impl Choices {
    /// The model to call in this step, if it is not the session's.
    pub(crate) fn model(&self) -> Option<Arc<dyn LanguageModel>> {
        let chosen = self.chosen();
        chosen.step_model.clone().or_else(|| chosen.model.clone())
    }

    /// How long the model may say nothing, if the agent has said.
    pub(crate) fn silence(&self) -> Option<Silence> {
        self.chosen().turn.as_ref()?.silence
    }

    /// A tool that the agent added to the turn.
    pub(crate) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        find(&self.chosen().turn.as_ref()?.tools, name).cloned()
    }

    /// Never held across an await.
    pub(super) fn chosen(&self) -> MutexGuard<'_, Chosen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request about to be sent, and what may be called.
pub(crate) struct Draft {
    pub(crate) request: ModelRequest,
    pub(crate) tools: Vec<PlannedTool>,
}

impl TurnHooks {
    /// Whether the agent answers itself, asked once in a turn.
    pub(crate) async fn answers_itself(&self) -> Result<bool, String> {
        if std::mem::replace(&mut self.choices.chosen().is_asked, true) {
            return Ok(false);
        }
        self.observer.caught_up().await;
        let asked =
            self.guarded("on_chat_message", self.agent().on_chat_message(&self.turn, &self.message)).await;
        match asked?? {
            Inference::Loop => Ok(false),
            Inference::Events(events) => {
                self.choices.chosen().step_model = Some(Arc::new(Prepared::new(events)));
                Ok(true)
            }
        }
    }

    /// Lets the agent change a request; gives what the machine must know first.
    pub(crate) async fn consult(
        &self,
        step: u32,
        draft: &mut Draft,
        so_far: Option<&Message>,
    ) -> Result<Vec<Input>, String> {
        self.observer.caught_up().await;
        let turn = self.turn_changes(&draft.request).await?;
        apply_turn(&turn, draft, so_far);
        let changes = self.step_changes(step, &draft.request).await?;
        apply_step(changes, draft);
        let model = self.choices.model().map(|model| model.name().to_owned());
        let max_steps = turn.max_steps;
        let is_revised = model.is_some() || max_steps.is_some();
        Ok(Vec::from_iter(is_revised.then_some(Input::Revised { model, max_steps })))
    }

    async fn turn_changes(&self, request: &ModelRequest) -> Result<TurnChanges, String> {
        if let Some(known) = self.choices.chosen().turn.clone() {
            return Ok(known);
        }
        let changes = self.guarded("before_turn", self.agent().before_turn(&self.turn, request)).await??;
        let model = self.resolve(changes.model.as_ref())?;
        let mut chosen = self.choices.chosen();
        (chosen.turn, chosen.model) = (Some(changes.clone()), model);
        Ok(changes)
    }

    /// A step that is tried again keeps what was chosen for it.
    async fn step_changes(&self, step: u32, request: &ModelRequest) -> Result<StepChanges, String> {
        if let Some((of, known)) = self.choices.chosen().step.clone().filter(|(of, _)| *of == step) {
            tracing::debug!(step = of, "the step is tried again");
            return Ok(known);
        }
        let changes =
            self.guarded("before_step", self.agent().before_step(&self.turn, step, request)).await??;
        let model = self.resolve(changes.model.as_ref())?;
        let mut chosen = self.choices.chosen();
        (chosen.step, chosen.step_model) = (Some((step, changes.clone())), model);
        Ok(changes)
    }

    fn resolve(&self, choice: Option<&ModelChoice>) -> Result<Option<Arc<dyn LanguageModel>>, String> {
        match choice {
            None => Ok(None),
            Some(ModelChoice::Given(model)) => Ok(Some(Arc::clone(model))),
            Some(ModelChoice::Named(name)) => self.spec.model(name).map(Some).map_err(|error| error.message),
        }
    }
}

fn apply_turn(changes: &TurnChanges, draft: &mut Draft, so_far: Option<&Message>) {
    let Draft { request, tools } = draft;
    for added in planned(&changes.tools) {
        tools.retain(|tool| tool.spec.name != added.spec.name);
        tools.push(added);
    }
    if let Some(messages) = changes.messages.clone() {
        request.messages = messages;
        request.messages.extend(model::to_model_messages(so_far.map_or(&[], std::slice::from_ref)));
    }
    set_system(request, changes.system.as_deref());
    request.sampling = changes.sampling.unwrap_or(request.sampling);
    request.tool_choice = changes.tool_choice.clone().unwrap_or_else(|| request.tool_choice.clone());
    add_extras(request, changes.extras.clone());
    keep_active(changes.active_tools.as_deref(), draft);
}

fn apply_step(changes: StepChanges, draft: &mut Draft) {
    let request = &mut draft.request;
    request.messages = changes.messages.unwrap_or_else(|| std::mem::take(&mut request.messages));
    set_system(request, changes.system.as_deref());
    request.sampling = changes.sampling.unwrap_or(request.sampling);
    request.tool_choice = changes.tool_choice.unwrap_or_else(|| request.tool_choice.clone());
    add_extras(request, changes.extras);
    keep_active(changes.active_tools.as_deref(), draft);
}

fn add_extras(request: &mut ModelRequest, extras: RequestExtras) {
    request.output = extras.output.or_else(|| request.output.take());
    request.headers.extend(extras.headers);
    request.options.extend(extras.options);
}

fn set_system(request: &mut ModelRequest, system: Option<&str>) {
    if let Some(system) = system {
        request.system = Some(system.trim().to_owned()).filter(|system| !system.is_empty());
    }
}

fn keep_active(active: Option<&[String]>, draft: &mut Draft) {
    if let Some(active) = active {
        draft.tools.retain(|tool| active.contains(&tool.spec.name));
    }
    draft.request.tools = draft.tools.iter().map(|tool| tool.spec.clone()).collect();
}
