//! How a turn ends, always with an honest status: done, go on, stopped, cut off, refused, failed.

use super::Machine;
use crate::agent::Recovery;
use crate::turn::{Effect, Ending, State};
use model::{ErrorClass, FinishReason, ModelError};
use protocol::{Chunk, Part, TurnStatus, limits};

const CUT_OFF: &str = "The provider closed the connection. What arrived is kept.";
const NO_ANSWER: &str = "The provider closed the connection before an answer began.";
const EMPTY: &str = "The model answered with nothing.";
const STALLED: &str = "The model stopped talking (stall_timeout_ms). What arrived is kept.";
const NEVER_SPOKE: &str = "The model said nothing for too long (stall_timeout_ms).";
const TOO_LONG: &str = "The answer reached the model's length limit.";
const REFUSED: &str = "The provider's filter refused to go on.";
const STEP_LIMIT: &str = "The turn reached its limit of model calls.";
const STOPPED_CALL: &str = "Stopped before there was a result.";

impl Machine {
    /// The model's stream ended without an error.
    pub(super) fn on_answer(&mut self, now_ms: u64) {
        self.close_open_blocks();
        let cut_off = |text: &str| Some((TurnStatus::CutOff, Some(text.to_owned())));
        let end = match self.finish.clone() {
            None if self.fold.has_content() => cut_off(CUT_OFF),
            None => return self.fail(TurnStatus::Failed, NO_ANSWER.to_owned(), now_ms),
            Some(FinishReason::Length) => cut_off(TOO_LONG),
            Some(FinishReason::ContentFilter) => Some((TurnStatus::Refused, Some(REFUSED.to_owned()))),
            Some(_) if !self.fold.has_content() => {
                return self.fail(TurnStatus::Failed, EMPTY.to_owned(), now_ms);
            }
            Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_)) => None,
        };
        match end {
            Some((status, error)) => self.end(status, error, now_ms),
            None if self.calls.is_empty() => self.complete(now_ms),
            None => self.run_calls(now_ms),
        }
    }

    /// The model has said its last word. If it was to be a document it must be one.
    fn complete(&mut self, now_ms: u64) {
        match self.output.read(&self.fold.parts) {
            Ok(()) => self.end(TurnStatus::Complete, None, now_ms),
            Err(text) => self.fail(TurnStatus::Failed, text, now_ms),
        }
    }

    /// All calls that could run have results.
    pub(super) fn after_tools(&mut self, now_ms: u64) {
        if self.waits_for_somebody() {
            self.end(TurnStatus::Complete, None, now_ms);
        } else if self.step >= self.plan.max_steps {
            self.end(TurnStatus::StepLimit, Some(STEP_LIMIT.to_owned()), now_ms);
        } else {
            self.next_step();
        }
    }

    pub(super) fn on_failure(&mut self, error: ModelError, now_ms: u64) {
        if self.may_shorten(&error) {
            return self.shorten();
        }
        let status =
            if error.class == ErrorClass::Refused { TurnStatus::Refused } else { TurnStatus::Failed };
        let text = self.told(error);
        self.fail(status, text, now_ms);
    }

    /// The model fell silent. The call is made again where nothing of it was shown; else what arrived is kept.
    pub(super) fn on_stall(&mut self, now_ms: u64) {
        if !self.is_silent() {
            self.effects.push(Effect::StopWork);
            return self.end(TurnStatus::CutOff, Some(STALLED.to_owned()), now_ms);
        }
        if self.tries.stalls >= limits::STALL_RETRIES_MAX {
            return self.fail(TurnStatus::Failed, NEVER_SPOKE.to_owned(), now_ms);
        }
        self.tries.stalls += 1;
        self.state = State::Preparing;
        let so_far = self.message().map(Box::new);
        self.effects.extend([Effect::StopWork, Effect::Prepare { so_far }]);
    }

    pub(super) fn cancel(&mut self, now_ms: u64) {
        self.effects.push(Effect::StopWork);
        self.end(TurnStatus::Stopped, None, now_ms);
    }

    /// The server stops. What the next start would go on with is left as it stands; anything else ends here.
    pub(super) fn shut_down(&mut self, recovery: Recovery, now_ms: u64) {
        self.effects.push(Effect::StopWork);
        if recovery == Recovery::RunAgain && self.may_be_taken_up() {
            let _spent = self.note_fruitless(now_ms);
            self.state = State::Finished;
            return self.effects.push(Effect::Leave);
        }
        self.end(TurnStatus::Interrupted, None, now_ms);
    }

    /// Whether nothing was said, or calls that wait for nobody outside were the last that happened: what a start after a
    /// crash goes on with too.
    fn may_be_taken_up(&self) -> bool {
        let last = self.fold.parts.iter().rfind(|part| !matches!(part, Part::StepStart));
        let is_models_turn = last.is_some_and(|part| part.as_tool().is_some());
        !self.fold.has_content() || is_models_turn && !self.waits_for_somebody()
    }

    /// Fails before or outside the model's stream: the last frame carries the text.
    pub(super) fn fail_silently(&mut self, text: String, now_ms: u64) {
        self.effects.push(Effect::StopWork);
        self.close(TurnStatus::Failed, Some(&text), now_ms);
        self.over(TurnStatus::Failed, Some(text), Shown::No);
    }

    /// Fails inside the model's stream: the text is shown there.
    pub(super) fn fail(&mut self, status: TurnStatus, text: String, now_ms: u64) {
        self.effects.push(Effect::StopWork);
        self.close(status, Some(&text), now_ms);
        self.effects.push(Effect::EmitError(text.clone()));
        self.over(status, Some(text), Shown::Yes);
    }

    fn end(&mut self, status: TurnStatus, error: Option<String>, now_ms: u64) {
        self.close(status, error.as_deref(), now_ms);
        self.over(status, error, Shown::Yes);
    }

    /// Makes the stream well formed and notes the status in it.
    fn close(&mut self, status: TurnStatus, error: Option<&str>, now_ms: u64) {
        self.close_open_blocks();
        self.answer_owed_calls(STOPPED_CALL);
        if status != TurnStatus::Complete {
            self.close_questions(STOPPED_CALL);
        }
        let metadata = self.turn_metadata(status, Some(now_ms), error.map(str::to_owned));
        let reason = match status {
            TurnStatus::Complete => "stop",
            TurnStatus::StepLimit => "tool-calls",
            TurnStatus::CutOff => self.finish.as_ref().map_or("other", FinishReason::as_str),
            TurnStatus::Refused if self.finish.is_some() => "content-filter",
            TurnStatus::Running
            | TurnStatus::Stopped
            | TurnStatus::Refused
            | TurnStatus::Failed
            | TurnStatus::Interrupted => {
                self.emit(Chunk::MessageMetadata { message_metadata: metadata });
                return;
            }
        };
        let finish_reason = Some(reason.to_owned());
        self.emit(Chunk::FinishStep);
        self.emit(Chunk::Finish { finish_reason, message_metadata: Some(metadata) });
    }

    fn over(&mut self, status: TurnStatus, error: Option<String>, shown: Shown) {
        self.fold.close_blocks();
        self.report_step();
        self.state = State::Finished;
        let (message, usage) = (self.message(), self.spent.now);
        let is_error_shown = shown == Shown::Yes;
        let output = self.output.take();
        let ending = Ending { status, error, message, usage, output, is_error_shown };
        self.effects.push(Effect::Finish(Box::new(ending)));
    }
}

/// Whether the reader has seen the error already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}
