//! Calls of one answer: which run here, which cannot run, and what is still owed.

use super::Machine;
use crate::tools::{ToolRun, read_arguments};
use crate::turn::Place;
use crate::turn::{Effect, State};
use protocol::{ApprovalId, Chunk, Message, Part, ToolCallId, ToolState, limits, normalise_input};
use serde_json::{Map, Value};

/// To the model, of a call that a person has agreed to and only a browser can run.
const NOT_HERE: &str = "Only the browser can run this tool, and it has given no result.";

/// The calls of the running answer.
#[derive(Debug, Default)]
pub(super) struct StepCalls {
    calls: Vec<StepCall>,
}

#[derive(Debug)]
struct StepCall {
    /// As the model named it; unique in this answer only.
    model_id: ToolCallId,
    /// As the message names it.
    id: ToolCallId,
    name: String,
    stage: Stage,
}

#[derive(Debug, PartialEq)]
enum Stage {
    /// The arguments are being written.
    Writing,
    /// May run.
    Ready(Value),
    /// Somebody outside must answer: a browser, or a person.
    Waiting,
    /// Was started.
    Running,
    /// Has a result.
    Settled,
}

impl StepCalls {
    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    fn by_model_id(&mut self, id: &ToolCallId) -> Option<&mut StepCall> {
        self.calls.iter_mut().find(|call| call.model_id == *id)
    }

    fn running(&self) -> usize {
        self.calls.iter().filter(|call| call.stage == Stage::Running).count()
    }

    fn is_running(&self, id: &ToolCallId) -> bool {
        self.calls.iter().any(|call| call.id == *id && call.stage == Stage::Running)
    }

    fn next_ready(&mut self) -> Option<ToolRun> {
        self.calls.iter_mut().find_map(|call| {
            if !matches!(call.stage, Stage::Ready(_)) {
                return None;
            }
            match std::mem::replace(&mut call.stage, Stage::Running) {
                Stage::Ready(input) => Some(ToolRun { id: call.id.clone(), name: call.name.clone(), input }),
                Stage::Writing | Stage::Waiting | Stage::Running | Stage::Settled => None,
            }
        })
    }

    /// Whether the call was running and now has its result.
    fn settle(&mut self, id: &ToolCallId) -> bool {
        let call = self.calls.iter_mut().find(|call| call.id == *id && call.stage == Stage::Running);
        call.map(|call| call.stage = Stage::Settled).is_some()
    }

    /// Calls of which nothing will come any more once the turn is over.
    fn owed(&self) -> Vec<ToolCallId> {
        let owed = self.calls.iter().filter(|call| !matches!(call.stage, Stage::Settled | Stage::Waiting));
        owed.map(|call| call.id.clone()).collect()
    }

    fn waiting(&self) -> Vec<ToolCallId> {
        let waiting = self.calls.iter().filter(|call| call.stage == Stage::Waiting);
        waiting.map(|call| call.id.clone()).collect()
    }
}

impl Machine {
    pub(super) fn call_starts(&mut self, model_id: &ToolCallId, name: String) {
        if self.calls.calls.len() >= limits::TOOL_CALLS_PER_STEP_MAX
            || self.calls.by_model_id(model_id).is_some()
        {
            return;
        }
        let id = self.unique_call_id(model_id);
        let call = StepCall { model_id: model_id.clone(), id: id.clone(), name, stage: Stage::Writing };
        let tool_name = call.name.clone();
        self.calls.calls.push(call);
        self.emit(Chunk::ToolInputStart {
            tool_call_id: id,
            tool_name,
            provider_executed: None,
            provider_metadata: None,
            dynamic: None,
            title: None,
        });
    }

    pub(super) fn call_grows(&mut self, model_id: &ToolCallId, input_text_delta: String) {
        let Some(call) = self.calls.by_model_id(model_id) else { return };
        let tool_call_id = call.id.clone();
        self.emit(Chunk::ToolInputDelta { tool_call_id, input_text_delta });
    }

    pub(super) fn call_ends(&mut self, model_id: &ToolCallId, name: String, input: &str) {
        self.call_starts(model_id, name);
        let Some(call) = self.calls.by_model_id(model_id) else { return };
        if call.stage != Stage::Writing {
            return;
        }
        let (tool_call_id, tool_name) = (call.id.clone(), call.name.clone());
        let (input, problem) = match read_arguments(input) {
            Ok(input) => {
                let problem = self.plan.misfit(&tool_name, &input);
                (input, problem)
            }
            Err(text) => (Value::Object(Map::new()), Some(text)),
        };
        match problem {
            None => {
                call.stage = Stage::Ready(input.clone());
                self.emit(input_of(tool_call_id.clone(), tool_name.clone(), input));
                self.place_call(&tool_call_id, &tool_name);
            }
            Some(error_text) => {
                call.stage = Stage::Settled;
                let dynamic = None;
                self.emit(Chunk::ToolInputError { tool_call_id, tool_name, input, error_text, dynamic });
            }
        }
    }

    /// Decides where a complete call goes.
    fn place_call(&mut self, id: &ToolCallId, name: &str) {
        match self.plan.place_of(name) {
            Some(Place::Server | Place::Context) => {}
            Some(Place::Client) => self.wait_for(id),
            Some(Place::ServerAfterApproval) => {
                self.wait_for(id);
                // One question per call, so the call's id can name it.
                let approval_id = ApprovalId::new(format!("approval-{id}"));
                let (tool_call_id, approval_descriptor) = (id.clone(), None);
                self.emit(Chunk::ToolApprovalRequest { tool_call_id, approval_id, approval_descriptor });
            }
            None => self.answer(id, Err(self.plan.no_such_tool(name))),
        }
    }

    fn wait_for(&mut self, id: &ToolCallId) {
        if let Some(call) = self.calls.calls.iter_mut().find(|call| call.id == *id) {
            call.stage = Stage::Waiting;
        }
    }

    /// Going on with a message: what a person has agreed to runs first.
    pub(super) fn take_up_approved(&mut self, message: &Message) {
        let approved = message.parts.iter().filter_map(Part::as_tool).filter(|tool| {
            let is_approved =
                tool.call.approval.as_ref().is_some_and(|approval| approval.approved == Some(true));
            is_approved && tool.call.state == ToolState::ApprovalResponded
        });
        for tool in approved {
            let id = tool.call.tool_call_id.clone();
            let input = normalise_input(tool.call.input.clone().unwrap_or_default());
            let (model_id, name) = (id.clone(), tool.name.clone());
            // Told again: the public client resumes into an empty message, and a result of a call that it has not
            // seen there ends its turn with an error.
            self.emit(input_of(id.clone(), name.clone(), input.clone()));
            self.calls.calls.push(StepCall { model_id, id: id.clone(), name, stage: Stage::Ready(input) });
            match self.plan.place_of(&tool.name) {
                Some(Place::Server | Place::ServerAfterApproval | Place::Context) => {}
                Some(Place::Client) => self.answer(&id, Err(NOT_HERE.to_owned())),
                None => self.answer(&id, Err(format!("There is no tool named {:?} any more.", tool.name))),
            }
        }
    }

    /// The answer is complete and holds calls: run what can run; where nothing can, go on at once.
    pub(super) fn run_calls(&mut self, now_ms: u64) {
        self.state = State::RunningTools;
        while self.calls.running() < limits::PARALLEL_TOOLS_MAX {
            let Some(run) = self.calls.next_ready() else { break };
            self.effects.push(Effect::RunTool(run));
        }
        if self.calls.running() == 0 {
            self.after_tools(now_ms);
        }
    }

    /// Shows what a running call has so far; a report that comes after its result is stale.
    pub(super) fn on_report(&mut self, tool_call_id: ToolCallId, output: Value) {
        if self.calls.is_running(&tool_call_id) {
            let (preliminary, provider_executed) = (Some(true), None);
            self.emit(Chunk::ToolOutputAvailable { tool_call_id, output, preliminary, provider_executed });
        }
    }

    pub(super) fn on_tool(&mut self, id: &ToolCallId, outcome: Result<Value, String>, now_ms: u64) {
        if !self.calls.settle(id) {
            return;
        }
        let is_done = outcome.is_ok();
        self.emit(output_of(id.clone(), outcome));
        if is_done {
            self.reclaim(id);
        }
        self.run_calls(now_ms);
    }

    /// Gives every call without a result the same sad one, so that the stored message is whole.
    pub(super) fn answer_owed_calls(&mut self, why: &str) {
        for id in self.calls.owed() {
            self.answer(&id, Err(why.to_owned()));
        }
    }

    fn answer(&mut self, id: &ToolCallId, outcome: Result<Value, String>) {
        if let Some(call) = self.calls.calls.iter_mut().find(|call| call.id == *id) {
            call.stage = Stage::Settled;
        }
        self.emit(output_of(id.clone(), outcome));
    }

    /// Providers may use an id again in a later answer; in a message it must be unique.
    fn unique_call_id(&self, wanted: &ToolCallId) -> ToolCallId {
        let mut id = wanted.clone();
        let mut copy = 1;
        while self.has_call(&id) {
            copy += 1;
            id = ToolCallId::new(format!("{wanted}-{copy}"));
        }
        id
    }

    /// A turn that did not end well waits for nobody: its open questions are closed too.
    pub(super) fn close_questions(&mut self, why: &str) {
        for id in self.calls.waiting() {
            self.answer(&id, Err(why.to_owned()));
        }
    }

    /// Whether any call of the answer waits for somebody outside.
    pub(super) fn waits_for_somebody(&self) -> bool {
        self.calls.calls.iter().any(|call| call.stage == Stage::Waiting)
    }
}

fn input_of(tool_call_id: ToolCallId, tool_name: String, input: Value) -> Chunk {
    Chunk::ToolInputAvailable {
        tool_call_id,
        tool_name,
        input,
        provider_executed: None,
        provider_metadata: None,
        dynamic: None,
        title: None,
    }
}

fn output_of(tool_call_id: ToolCallId, outcome: Result<Value, String>) -> Chunk {
    match outcome {
        Ok(output) => {
            Chunk::ToolOutputAvailable { tool_call_id, output, preliminary: None, provider_executed: None }
        }
        Err(error_text) => Chunk::ToolOutputError { tool_call_id, error_text },
    }
}
