//! How a turn, and each step of it, begins.

use super::Machine;
use crate::turn::{Effect, State};
use model::ModelRequest;
use protocol::{Chunk, Metadata, TURN_KEY, TurnInfo, TurnStatus};

impl Machine {
    pub(super) fn begin(&mut self, now_ms: u64) {
        self.started_at = now_ms;
        let message_metadata = Some(self.turn_metadata(TurnStatus::Running, None, None));
        self.emit(Chunk::Start { message_id: Some(self.plan.message_id.clone()), message_metadata });
        self.state = State::Preparing;
        self.effects.push(Effect::Prepare { so_far: None });
    }

    pub(super) fn call_model(&mut self, request: Box<ModelRequest>) {
        self.step += 1;
        self.finish = None;
        self.calls.clear();
        self.state = State::Streaming;
        self.emit(Chunk::StartStep);
        self.effects.push(Effect::CallModel(request));
    }

    /// Asks for the prompt of the next step, with everything this turn has done so far in it.
    pub(super) fn next_step(&mut self) {
        self.emit(Chunk::FinishStep);
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
        let (model, started_at, usage) = (self.plan.model.clone(), self.started_at, self.usage);
        let info = TurnInfo { status, model, started_at, finished_at, error, usage };
        let value = serde_json::to_value(info).unwrap_or_default();
        Metadata::from_iter([(TURN_KEY.to_owned(), value)])
    }
}
