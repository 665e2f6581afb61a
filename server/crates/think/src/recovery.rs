//! After a crash: every turn that was promised and did not end is found by its row and finished from its log, before
//! anybody is let in. What was shown is kept. A turn that never said anything runs again, and one whose tools were the
//! last to speak goes on, without running any of them a second time; both only so often. Whatever else was interrupted
//! is marked so, and what cannot be mended is put aside with its reason: no turn keeps a server from starting.

mod fold;
#[cfg(test)]
mod tests;
mod tries;

use crate::actor::{TerminalRecord, captured, consent};
use crate::admit::is_reserved;
use crate::agent::{ChatOutcome, OutcomeStatus, Recovery};
use crate::error::ThinkError;
use crate::family::is_called;
use crate::fruitless;
use crate::shared::Shared;
use crate::store::{Promise, PromiseKind};
use crate::stream::log::{StoredStream, StreamStatus};
use fold::{Fold, Found, ends_as};
use protocol::{Message, RequestId, SessionId, ToolSpec, TurnInfo, TurnStatus};
use session::Session;
pub(crate) use tries::{TakenUp, Tries, out_of_time};

const INTERRUPTED: &str = "The server stopped in the middle of this answer. What arrived is kept.";
const NEVER_BEGAN: &str = "The server stopped before an answer began.";

/// What was found at the start.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// Turns that shall run now, oldest first.
    pub(crate) owed: Vec<Promise>,
    /// Turns that ended here.
    pub(crate) ended: Vec<ChatOutcome>,
}

/// Mends everything that is not finished.
pub(crate) async fn mend(shared: &Shared) -> Result<Mended, ThinkError> {
    let mut mended = Mended::default();
    for promise in shared.store.promises().await? {
        let recovery = recovery_of(shared, &promise).await?;
        let outcome = match mend_one(shared, &promise, recovery).await {
            Ok(outcome) => outcome,
            Err(error) => quarantine(shared, &promise, &error).await?,
        };
        tracing::info!(session.id = %promise.session_id, request.id = %promise.request_id, ?outcome,
            "a turn that a stop interrupted was looked at");
        match outcome {
            Outcome::Owed(promise) => mended.owed.push(*promise),
            Outcome::Kept | Outcome::Withdrawn | Outcome::Done => {
                mended.ended.extend(ended(shared, &promise, &outcome).await?);
                shared.store.fulfil(&promise.session_id, &promise.request_id).await?;
            }
        }
    }
    Ok(mended)
}

/// What the agent is told of a turn whose answer was kept: before the stop nobody could tell it.
async fn ended(
    shared: &Shared,
    promise: &Promise,
    outcome: &Outcome,
) -> Result<Option<ChatOutcome>, ThinkError> {
    let is_told = matches!(outcome, Outcome::Kept | Outcome::Done);
    let Some(session) = shared.sessions.session(&promise.session_id).await?.filter(|_| is_told) else {
        return Ok(None);
    };
    let Some(message) = session.get(&promise.message_id).await? else { return Ok(None) };
    let Some(turn) = message.turn() else { return Ok(None) };
    Ok(Some(ChatOutcome {
        session_id: promise.session_id.clone(),
        request_id: promise.request_id.clone(),
        message: Some(message),
        is_continuation: promise.kind == PromiseKind::Continuation,
        status: OutcomeStatus::of(turn.status),
        turn_status: turn.status,
        error: turn.error,
        usage: turn.usage,
        output: None,
    }))
}

/// Ends the promises of a session that goes, and forgets what the engine knows of it: rows that were reserved must not
/// come back with it from the trash.
pub(crate) async fn settle(shared: &Shared, id: &SessionId) -> Result<(), ThinkError> {
    for promise in shared.store.promises().await?.into_iter().filter(|promise| promise.session_id == *id) {
        let _outcome = mend_one(shared, &promise, Recovery::Mark).await?;
    }
    forget(shared, id).await
}

/// Removes everything of a session from the engine's own tables.
pub(crate) async fn forget(shared: &Shared, id: &SessionId) -> Result<(), ThinkError> {
    shared.store.forget_session(id).await?;
    shared.log.clear(id).await?;
    let keys =
        [TerminalRecord::key(id), captured::tools_key(id), captured::body_key(id), consent::consent_key(id)];
    for key in keys {
        shared.store.set::<()>(&key, None).await?;
    }
    Ok(())
}

/// What became of a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// What was shown is kept.
    Kept,
    /// Nothing was shown; nothing is left of it.
    Withdrawn,
    /// It was stored before the stop; only the promise was not crossed out.
    Done,
    /// It will run, as this one.
    Owed(Box<Promise>),
}

/// An interrupted turn as it is found.
struct Case<'a> {
    shared: &'a Shared,
    promise: &'a Promise,
    session: Session,
    /// What it had streamed into, if it had begun.
    stream: Option<StoredStream>,
}

async fn mend_one(shared: &Shared, promise: &Promise, recovery: Recovery) -> Result<Outcome, ThinkError> {
    // A session in the trash keeps its rows; if it comes back its turn is over all the same.
    let Some(session) = shared.sessions.session(&promise.session_id).await? else {
        return Ok(Outcome::Withdrawn);
    };
    let Some(row) = session.get(&promise.message_id).await? else { return Ok(Outcome::Withdrawn) };
    let stream = shared.log.newest(&promise.session_id, &promise.request_id).await?;
    let chunks = match &stream {
        Some(stream) => shared.log.chunks(&stream.id).await?,
        None => Vec::new(),
    };
    let (fold, is_over) = match (promise.kind, &stream) {
        (PromiseKind::Continuation, None) => return Ok(Outcome::Owed(Box::new(promise.clone()))),
        (PromiseKind::Answer, _) => (Fold::of_answer(&row), !is_reserved(&row)),
        (PromiseKind::Continuation, Some(stream)) => {
            let is_over = stream.status != StreamStatus::Streaming || ends_as(&row, &chunks);
            (Fold::of_continuation(&row), is_over)
        }
    };
    if is_over {
        Case { shared, promise, session, stream }.close_stream(StreamStatus::Completed).await?;
        return Ok(Outcome::Done);
    }
    let offered: Option<Vec<ToolSpec>> = shared.store.get(&captured::tools_key(&promise.session_id)).await?;
    let found = fold.close(&chunks, &offered.unwrap_or_default());
    Case { shared, promise, session, stream }.decide(found, recovery).await
}

impl Case<'_> {
    async fn decide(self, found: Found, recovery: Recovery) -> Result<Outcome, ThinkError> {
        let tries = match &self.stream {
            Some(_) => self.promise.tries.after(found.progress),
            None => self.promise.tries,
        };
        let may_run = recovery == Recovery::RunAgain && (found.message.is_none() || found.may_go_on);
        match (found.message, tries.exhausted().filter(|_| may_run)) {
            (message, Some(reason)) => self.end(message, TurnStatus::Failed, reason).await,
            (None, None) if may_run => self.run_again(tries).await,
            (Some(message), None) if may_run => self.go_on(message, tries).await,
            (None, None) => self.end(None, TurnStatus::Interrupted, NEVER_BEGAN.to_owned()).await,
            (message, None) => self.end(message, TurnStatus::Interrupted, INTERRUPTED.to_owned()).await,
        }
    }

    /// It has shown nothing, so it begins anew. That it is tried is written down first.
    async fn run_again(self, tries: Tries) -> Result<Outcome, ThinkError> {
        let again = Promise { tries, ..self.promise.clone() };
        self.shared.store.take_up(&self.promise.request_id, &again).await?;
        self.close_stream(StreamStatus::Error).await?;
        Ok(Outcome::Owed(Box::new(again)))
    }

    /// It goes on with its message, as another request: the stream of the first one stays as it was heard.
    async fn go_on(self, message: Message, tries: Tries) -> Result<Outcome, ThinkError> {
        self.keep(message, TurnStatus::Interrupted, INTERRUPTED).await?;
        let request_id = RequestId::new(self.shared.world.ids.new_id());
        let again = Promise { request_id, kind: PromiseKind::Continuation, tries, ..self.promise.clone() };
        self.shared.store.take_up(&self.promise.request_id, &again).await?;
        self.close_stream(StreamStatus::Completed).await?;
        Ok(Outcome::Owed(Box::new(again)))
    }

    async fn end(
        self,
        message: Option<Message>,
        status: TurnStatus,
        reason: String,
    ) -> Result<Outcome, ThinkError> {
        let outcome = match message {
            Some(message) => self.keep(message, status, &reason).await.map(|()| Outcome::Kept)?,
            None => self.withdraw(status, &reason).await.map(|()| Outcome::Withdrawn)?,
        };
        self.close_stream(StreamStatus::Completed).await?;
        remember(self.shared, self.promise, (status, reason)).await?;
        Ok(outcome)
    }

    async fn keep(&self, mut message: Message, status: TurnStatus, reason: &str) -> Result<(), ThinkError> {
        if let Some(info) = message.turn().filter(|info| info.status == TurnStatus::Running) {
            let (finished_at, error) = (Some(self.shared.now()), Some(reason.to_owned()));
            message.set_turn(&TurnInfo { status, finished_at, error, ..info });
        }
        let _known = self.session.update(&message).await?;
        Ok(())
    }

    /// Nothing came of it: its row goes, and its question says so.
    async fn withdraw(&self, status: TurnStatus, reason: &str) -> Result<(), ThinkError> {
        let row = self.session.get(&self.promise.message_id).await?;
        withdraw(&self.session, self.promise).await?;
        let turn = row.and_then(|row| row.turn()).zip(self.promise.parent_id.as_ref());
        if let Some((info, question)) = turn {
            let (finished_at, error) = (Some(self.shared.now()), Some(reason.to_owned()));
            let in_vain = TurnInfo { status, finished_at, error, ..info };
            fruitless::note(&self.session, question, Some(in_vain)).await;
        }
        Ok(())
    }

    async fn close_stream(&self, status: StreamStatus) -> Result<(), ThinkError> {
        match &self.stream {
            Some(stream) if stream.status == StreamStatus::Streaming => {
                self.shared.log.finish(&stream.id, status).await
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Puts a turn aside that cannot be mended, so that the rest of the instance can be used. Where not even that can be
/// written the store is broken, and nothing could run.
async fn quarantine(shared: &Shared, promise: &Promise, error: &ThinkError) -> Result<Outcome, ThinkError> {
    tracing::error!(session.id = %promise.session_id, request.id = %promise.request_id, %error,
        "a turn from before the start cannot be mended and is given up");
    let reason = format!("This answer was interrupted and cannot be restored: {error}.");
    remember(shared, promise, (TurnStatus::Failed, reason)).await?;
    Ok(Outcome::Withdrawn)
}

/// Nobody waits any more for an agent that was called.
async fn recovery_of(shared: &Shared, promise: &Promise) -> Result<Recovery, ThinkError> {
    let row = shared.sessions.get(&promise.session_id).await?;
    let is_called = row.is_some_and(|row| is_called(row.source.as_deref()));
    Ok(if is_called { Recovery::Mark } else { shared.spec.turns.recovery })
}

/// Leaves word for tabs that come late.
async fn remember(
    shared: &Shared,
    promise: &Promise,
    (status, error): (TurnStatus, String),
) -> Result<(), ThinkError> {
    let record = TerminalRecord { request_id: promise.request_id.clone(), status, error: Some(error) };
    shared.store.set(&TerminalRecord::key(&promise.session_id), Some(&record)).await
}

async fn withdraw(session: &Session, promise: &Promise) -> Result<(), ThinkError> {
    let _gone = session.discard(std::slice::from_ref(&promise.message_id)).await?;
    let is_untouched = session.active_leaf().await? == promise.parent_id;
    if let Some(previous) = promise.previous_leaf.as_ref().filter(|_| is_untouched)
        && promise.previous_leaf != promise.parent_id
        && session.get(previous).await?.is_some()
    {
        let _leaf = session.set_active(previous).await?;
    }
    Ok(())
}
