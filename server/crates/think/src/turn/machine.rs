//! The decisions of a turn. Takes an input, gives effects; never waits, never reads a clock, never fails.
//!
//! This file only routes; what each pair of state and input means stands in the files below.

mod begin;
mod context;
mod finish;
mod output;
mod patience;
mod stream;
mod tools;

use super::{Answer, Effect, Input, Plan, State};
use context::Tries;
use model::FinishReason;
use output::Output;
use protocol::{Accumulator, Chunk, Message, ToolCallId, Usage};
use stream::OpenBlocks;
use tools::StepCalls;

/// One turn from its slot to its end.
#[derive(Debug)]
pub struct Machine {
    plan: Plan,
    state: State,
    /// The same fold that every page runs.
    fold: Accumulator,
    /// Model calls so far, the running one included.
    step: u32,
    /// Blocks of the running answer that have begun and not ended.
    open: OpenBlocks,
    /// Calls of the running answer.
    calls: StepCalls,
    /// What the model said about the end of the running answer.
    finish: Option<FinishReason>,
    spent: Spent,
    /// When the message was begun.
    started_at: Option<u64>,
    /// What was tried again.
    tries: Tries,
    /// The document that the answer is to be.
    output: Output,
    effects: Vec<Effect>,
}

/// Tokens, as the provider reports them.
#[derive(Debug)]
struct Spent {
    /// Of all steps; none until some are reported.
    now: Option<Usage>,
    /// Of the message before this turn went on with it.
    before: Option<Usage>,
}

impl Machine {
    /// A turn that waits for [`Input::Begin`].
    pub fn new(plan: Plan) -> Self {
        let (fold, before) = match &plan.answer {
            Answer::New(id) => (Accumulator::new(Some(id.clone())), None),
            Answer::More(message) => (Accumulator::continuing(message), message.turn()),
        };
        Self {
            fold,
            plan,
            state: State::Idle,
            step: 0,
            open: OpenBlocks::default(),
            calls: StepCalls::default(),
            finish: None,
            spent: Spent { now: None, before: before.as_ref().and_then(|turn| turn.usage) },
            started_at: before.map(|turn| turn.started_at),
            tries: Tries::default(),
            output: Output::default(),
            effects: Vec::new(),
        }
    }

    /// Where the turn stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// The number of the step whose prompt is being put together, from 1.
    pub fn step_to_come(&self) -> u32 {
        if self.step > 0 && self.is_silent() { self.step } else { self.step + 1 }
    }

    /// The answer as far as it has come.
    pub fn message(&self) -> Option<Message> {
        self.fold.message().filter(|_| self.fold.has_content())
    }

    /// Decides. `now_ms` is the time at which the input happened.
    #[must_use = "effects that nobody performs are lost"]
    pub fn handle(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        match (self.state, input) {
            (State::Finished, _late) => {}
            (State::Idle, Input::Begin) => self.begin(now_ms),
            (_, Input::Begin) => {}
            (_, Input::Cancel) => self.cancel(now_ms),
            (_, Input::ShutDown(recovery)) => self.shut_down(recovery, now_ms),
            (_, Input::TimePassed) => self.on_time(now_ms),
            (_, Input::StoreFailed(text)) => self.fail_silently(text, now_ms),
            (_, Input::Offered(tools)) => self.plan.tools = tools,
            (_, Input::Revised { model, max_steps }) => self.revise(model, max_steps),
            (State::Preparing, Input::Prepared(request)) => self.call_model(request),
            (State::Preparing, Input::PrepareFailed(text)) => self.fail_silently(text, now_ms),
            (State::Streaming, Input::Model(event)) => self.on_event(event),
            (State::Streaming, Input::ModelEnded) => self.on_answer(now_ms),
            (State::Streaming, Input::ModelFailed(error)) => self.on_failure(error, now_ms),
            (State::RunningTools, Input::ToolReported { id, output }) => self.on_report(id, output),
            (State::Streaming, Input::ModelStalled) => self.on_stall(now_ms),
            (State::RunningTools, Input::ToolFinished { id, outcome }) => {
                self.on_tool(&id, outcome, now_ms);
            }
            // Stale: the state has moved on since this was asked for.
            (
                State::Idle | State::Preparing | State::Streaming | State::RunningTools,
                Input::Prepared(_)
                | Input::PrepareFailed(_)
                | Input::Model(_)
                | Input::ModelEnded
                | Input::ModelFailed(_)
                | Input::ToolReported { .. }
                | Input::ModelStalled
                | Input::ToolFinished { .. },
            ) => {}
        }
        std::mem::take(&mut self.effects)
    }

    /// Folds a chunk and lets it be shown: what is stored is what is seen.
    fn emit(&mut self, chunk: Chunk) {
        self.stop_clock(&chunk);
        let _applied = self.fold.apply(&chunk);
        self.effects.push(Effect::Emit(chunk));
    }

    fn has_call(&self, id: &ToolCallId) -> bool {
        self.fold.parts.iter().any(|part| part.as_tool().is_some_and(|tool| tool.call.tool_call_id == *id))
    }
}

#[cfg(test)]
mod tests;
