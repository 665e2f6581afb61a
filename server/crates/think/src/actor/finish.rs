//! The end of a turn: store, then tell.

use super::terminal::TerminalRecord;
use super::{Actor, Running};
use crate::agent::{ChatError, ChatOutcome, ErrorStage, OutcomeStatus};
use crate::error::ThinkError;
use crate::fruitless;
use crate::meters;
use crate::stream::fanout::Stage;
use crate::stream::log::StreamStatus;
use crate::title::{self, Titles};
use crate::turn::Ending;
use protocol::{ChatResponse, RequestId, ServerFrame, TurnInfo, TurnOutcome, TurnStatus, limits};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::time::Instant;

impl Actor {
    /// Ends the running turn. The answer is committed before anybody is told that the turn is over; if that fails the
    /// turn has failed, and the stored chunks let the next start mend it.
    pub(super) async fn finish(&mut self, mut ending: Ending) {
        if let Err(error) = self.flush().await {
            ending.error.get_or_insert(error);
        }
        let Some(running) = self.running.take() else { return };
        // From here on the answer counts as a stored message.
        self.session.set_prompt_overhead(self.kept.overhead());
        own_up_to_size(&mut ending);
        if let Err(error) = self.settle(&running, &ending).await {
            tracing::error!(session.id = %self.session.id(), request.id = %running.turn.request_id, %error,
                "a finished answer could not be stored; the next start will rebuild it");
            ending = Ending {
                status: TurnStatus::Failed,
                error: Some(error.to_string()),
                is_error_shown: false,
                ..ending
            };
        }
        let record = is_worth_keeping(ending.status).then(|| TerminalRecord {
            request_id: running.turn.request_id.clone(),
            status: ending.status,
            error: ending.error.clone(),
        });
        meters::ended(&self.shared.spec.name, &ending);
        self.keep_terminal(record).await;
        self.queue.finish();
        self.tell_recovered(&running.turn);
        self.tell_end(&running, &ending).await;
        if running.turn.kind.is_continuation() {
            self.continuation.ended(Instant::now());
        }
        self.apply_held().await;
        self.quiet_if_idle().await;
        self.ask_for_title(ending.status);
        self.call_hook(running, ending);
        if let Err(error) = self.shared.log.sweep().await {
            tracing::warn!(session.id = %self.session.id(), %error, "old streams are kept until the next turn ends");
        }
    }

    /// Lets go of the running turn as a crash would, except that nothing of it is lost: its promise stands, and the next
    /// start finds it in the log.
    pub(super) async fn leave(&mut self) {
        if let Err(error) = self.flush().await {
            tracing::error!(session.id = %self.session.id(), %error, "the last words of a turn are not stored");
        }
        self.running = None;
        self.queue.finish();
        self.shared.hub.set_quiet(self.session.id());
    }

    async fn settle(&self, running: &Running, ending: &Ending) -> Result<(), ThinkError> {
        let (session, turn) = (self.session.id(), &running.turn);
        match &ending.message {
            Some(message) => {
                let _known = self.session.update(message).await?;
            }
            None => {
                let _gone = self.session.discard(std::slice::from_ref(&turn.message_id)).await?;
                self.show_previous(running).await?;
            }
        }
        if !turn.kind.is_continuation() {
            let (now, error) = (Some(self.shared.now()), ending.error.clone());
            let in_vain =
                ending.message.is_none().then(|| running.machine.turn_info(ending.status, now, error));
            fruitless::note(&self.session, &turn.parent_id, in_vain).await;
        }
        if let Some(usage) = ending.usage {
            self.shared.sessions.add_usage(session, usage.input_tokens, usage.output_tokens, 0.0).await?;
        }
        let status = match OutcomeStatus::of(ending.status) {
            OutcomeStatus::Error => StreamStatus::Error,
            OutcomeStatus::Completed | OutcomeStatus::Aborted => StreamStatus::Completed,
        };
        self.shared.log.finish(&running.stream_id, status).await?;
        self.shared.store.fulfil(session, &turn.request_id).await
    }

    /// Nothing came of another version: what was shown before is shown again, unless somebody went on from here.
    async fn show_previous(&self, running: &Running) -> Result<(), ThinkError> {
        let Some(previous) = &running.turn.previous_leaf else { return Ok(()) };
        let is_untouched = self.session.active_leaf().await?.as_ref() == Some(&running.turn.parent_id);
        if is_untouched && *previous != running.turn.parent_id {
            let _leaf = self.session.set_active(previous).await?;
        }
        Ok(())
    }

    async fn tell_end(&mut self, running: &Running, ending: &Ending) {
        for watcher in self.watchers.all_mut() {
            watcher.stage = Stage::Live;
        }
        let id = &running.turn.request_id;
        let continuation = running.turn.kind.is_continuation();
        let outcome = match OutcomeStatus::of(ending.status) {
            OutcomeStatus::Aborted => Some(TurnOutcome::Aborted),
            OutcomeStatus::Completed | OutcomeStatus::Error => None,
        };
        let mut done =
            ChatResponse { id: id.to_string(), done: true, continuation, outcome, ..ChatResponse::default() };
        if let Some(text) = ending.error.clone().filter(|_| !ending.is_error_shown) {
            done.body = self.in_agents_words(id, text, ErrorStage::Turn);
            done.error = true;
        }
        self.watchers.send_all(&ServerFrame::ChatResponse(done));
        self.tell_transcript(None).await;
        let (id, status, error) = (id.clone(), ending.status, ending.error.clone());
        self.watchers.send_all(&ServerFrame::Turn { id, status, error });
    }

    fn ask_for_title(&self, status: TurnStatus) {
        if status == TurnStatus::Complete && self.shared.spec.turns.titles == Titles::FromModel {
            let (shared, session) = (Arc::clone(&self.shared), self.session.id().clone());
            let _handle = self.shared.tasks.spawn(title::improve(shared, session));
        }
    }

    /// Outside the turn: the hook may take its time, fail, or start another turn.
    fn call_hook(&self, running: Running, ending: Ending) {
        let outcome = ChatOutcome {
            session_id: self.session.id().clone(),
            request_id: running.turn.request_id.clone(),
            message: ending.message,
            is_continuation: running.turn.kind.is_continuation(),
            status: OutcomeStatus::of(ending.status),
            turn_status: ending.status,
            error: ending.error,
            usage: ending.usage,
            output: ending.output,
        };
        if let Some(events) = &running.turn.terms.events {
            events.ended(outcome.clone());
        }
        running.last_word.say(outcome);
    }

    /// What a client sees of an error. What the agent's code does wrong here is logged, and the error told as it is.
    pub(super) fn in_agents_words(&self, id: &RequestId, text: String, stage: ErrorStage) -> String {
        let (session_id, request_id) = (self.session.id().clone(), id.clone());
        let error = ChatError { text, session_id, request_id, stage };
        let agent = AssertUnwindSafe(|| self.shared.spec.agent.on_chat_error(&error));
        std::panic::catch_unwind(agent).unwrap_or_else(|_panic| {
            tracing::error!(session.id = %self.session.id(), request.id = %id,
                "the agent's on_chat_error failed in a way it did not expect");
            error.text
        })
    }
}

/// An answer that is too large to be stored whole is not complete, whatever the model says of it.
fn own_up_to_size(ending: &mut Ending) {
    let claims_all = matches!(ending.status, TurnStatus::Complete | TurnStatus::StepLimit);
    let Some(message) = ending.message.as_mut().filter(|_| claims_all) else { return };
    let bytes = serde_json::to_string(&session::sanitize(message.clone())).map_or(0, |json| json.len());
    if bytes <= limits::MESSAGE_MAX_BYTES {
        return;
    }
    let most = limits::MESSAGE_MAX_BYTES;
    let error = format!(
        "The answer has {bytes} bytes and at most {most} are kept (MESSAGE_MAX_BYTES); the rest is missing."
    );
    if let Some(turn) = message.turn() {
        message.set_turn(&TurnInfo { status: TurnStatus::CutOff, error: Some(error.clone()), ..turn });
    }
    (ending.status, ending.error, ending.is_error_shown) = (TurnStatus::CutOff, Some(error), true);
}

fn is_worth_keeping(status: TurnStatus) -> bool {
    match status {
        TurnStatus::Failed | TurnStatus::Refused | TurnStatus::Interrupted => true,
        TurnStatus::Running
        | TurnStatus::Complete
        | TurnStatus::Stopped
        | TurnStatus::CutOff
        | TurnStatus::StepLimit => false,
    }
}
