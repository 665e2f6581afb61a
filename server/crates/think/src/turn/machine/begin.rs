//! How a turn, and each step of it, begins.

use super::{Machine, Output};
use crate::agent::StepSummary;
use crate::turn::{Answer, Effect, State};
use model::ModelRequest;
use protocol::{Chunk, Metadata, TURN_KEY, TurnInfo, TurnStatus};

impl Machine {
    pub(super) fn begin(&mut self, now_ms: u64) {
        self.started_at = self.started_at.or(Some(now_ms));
        self.start_clock(now_ms);
        let message_metadata = Some(self.turn_metadata(TurnStatus::Running, None, None));
        match self.plan.answer.clone() {
            Answer::New(id) => {
                self.emit(Chunk::Start { message_id: Some(id), message_metadata });
                self.state = State::Preparing;
                self.effects.push(Effect::Prepare { so_far: None });
            }
            Answer::More(message) => {
                self.emit(Chunk::Start { message_id: None, message_metadata });
                self.take_up_approved(&message);
                self.run_calls(now_ms);
            }
        }
    }

    pub(super) fn call_model(&mut self, request: Box<ModelRequest>) {
        let is_again = self.step > 0 && self.is_silent();
        self.finish = None;
        self.calls.clear();
        self.state = State::Streaming;
        self.output = Output::wanted(request.output.as_ref());
        if !is_again {
            self.step += 1;
            self.emit(Chunk::StartStep);
        }
        self.effects.push(Effect::CallModel(request));
    }

    pub(super) fn revise(&mut self, model: Option<String>, max_steps: Option<u32>) {
        if let Some(model) = model {
            self.plan.model = model;
        }
        if let Some(max_steps) = max_steps {
            self.plan.max_steps = max_steps.max(1);
        }
    }

    /// Tells that the running step is over, if one is running.
    pub(super) fn report_step(&mut self) {
        let is_open = matches!(self.state, State::Streaming | State::RunningTools) && self.step > 0;
        if is_open {
            let (step, finish_reason) = (self.step, self.finish.clone());
            let (usage, message) = (self.spent.now, self.message());
            self.effects.push(Effect::StepFinished(Box::new(StepSummary {
                step,
                finish_reason,
                usage,
                message,
            })));
        }
    }

    /// Asks for the prompt of the next step, with everything this turn has done so far in it.
    pub(super) fn next_step(&mut self) {
        self.emit(Chunk::FinishStep);
        self.report_step();
        self.state = State::Preparing;
        let so_far = self.fold.message().map(Box::new);
        self.effects.push(Effect::Prepare { so_far });
    }

    /// What is noted about this turn in the message it makes.
    pub(super) fn turn_metadata(
        &self,
        status: TurnStatus,
        finished_at: Option<u64>,
        error: Option<String>,
    ) -> Metadata {
        let info = self.turn_info(status, finished_at, error);
        let value = serde_json::to_value(info).unwrap_or_default();
        Metadata::from_iter([(TURN_KEY.to_owned(), value)])
    }

    /// The turn as its message tells it.
    pub fn turn_info(&self, status: TurnStatus, finished_at: Option<u64>, error: Option<String>) -> TurnInfo {
        let (model, started_at) = (self.plan.model.clone(), self.started_at.unwrap_or_default());
        let usage = self.spent.before.into_iter().chain(self.spent.now).reduce(|mut sum, more| {
            sum.add(&more);
            sum
        });
        TurnInfo { status, model, started_at, finished_at, error, usage }
    }
}
