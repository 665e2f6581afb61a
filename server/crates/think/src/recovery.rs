//! After a crash: every turn that was promised and did not end is found by its row and finished from its log, before
//! anybody is let in. What was shown is kept and marked as interrupted. A turn that never said anything runs again, once
//! after it had called its model; beyond that, it leaves the conversation as it was before.

use crate::actor::{TerminalRecord, captured, consent};
use crate::admit::is_reserved;
use crate::agent::Recovery;
use crate::error::ThinkError;
use crate::shared::Shared;
use crate::store::{Promise, PromiseKind};
use crate::stream::log::StreamStatus;
use protocol::{Accumulator, Message, SessionId, TurnInfo, TurnStatus};
use session::Session;

const INTERRUPTED: &str = "The server stopped in the middle of this answer. What arrived is kept.";
const NEVER_BEGAN: &str = "The server stopped before an answer began.";

/// How often a turn may have called its model without a word before it is no longer tried: one whose mere beginning
/// ends the server must not do so at each start.
const SILENT_STARTS_MAX: i64 = 1;

/// Mends everything that is not finished; gives the turns that shall run now, oldest first.
pub(crate) async fn mend(shared: &Shared) -> Result<Vec<Promise>, ThinkError> {
    let mut owed = Vec::new();
    for promise in shared.store.promises().await? {
        let outcome = mend_one(shared, &promise, shared.spec.turns.recovery).await?;
        tracing::info!(session.id = %promise.session_id, request.id = %promise.request_id, ?outcome,
            "a turn that a stop interrupted was looked at");
        if outcome == Outcome::Owed {
            owed.push(promise);
        } else {
            shared.store.fulfil(&promise.session_id, &promise.request_id).await?;
        }
    }
    Ok(owed)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// What was shown is kept.
    Kept,
    /// Nothing was shown; nothing is left of it.
    Withdrawn,
    /// It was stored before the stop; only the promise was not crossed out.
    Done,
    /// It has said nothing yet: it will.
    Owed,
}

async fn mend_one(shared: &Shared, promise: &Promise, recovery: Recovery) -> Result<Outcome, ThinkError> {
    // A session in the trash keeps its rows; if it comes back its turn is over all the same.
    let Some(session) = shared.sessions.session(&promise.session_id).await? else {
        return Ok(Outcome::Withdrawn);
    };
    let Some(row) = session.get(&promise.message_id).await? else { return Ok(Outcome::Withdrawn) };
    let stream = shared.log.newest(&promise.session_id, &promise.request_id).await?;
    let fold = match (promise.kind, &stream) {
        (PromiseKind::Answer, _) if !is_reserved(&row) => return Ok(Outcome::Done),
        (PromiseKind::Answer, _) => Accumulator::new(Some(promise.message_id.clone())),
        (PromiseKind::Continuation, None) => return Ok(Outcome::Owed),
        (PromiseKind::Continuation, Some(stream)) if stream.status != StreamStatus::Streaming => {
            return Ok(Outcome::Done);
        }
        (PromiseKind::Continuation, Some(_)) => Accumulator::continuing(&row),
    };
    let chunks = match &stream {
        Some(stream) => shared.log.chunks(&stream.id, 0).await?,
        None => Vec::new(),
    };
    let rebuilt = rebuild(fold, &chunks, shared.now());
    if rebuilt.is_none() && may_run_again(shared, promise, recovery).await? {
        if let Some(stream) = &stream {
            shared.log.finish(&stream.id, StreamStatus::Error).await?;
        }
        return Ok(Outcome::Owed);
    }
    let outcome = match rebuilt {
        Some(rebuilt) => session.update(&rebuilt).await.map(|_known| Outcome::Kept)?,
        None => withdraw(&session, promise).await.map(|()| Outcome::Withdrawn)?,
    };
    if let Some(stream) = &stream {
        shared.log.finish(&stream.id, StreamStatus::Completed).await?;
    }
    let error = if outcome == Outcome::Kept { INTERRUPTED } else { NEVER_BEGAN };
    let (request_id, status, error) =
        (promise.request_id.clone(), TurnStatus::Interrupted, Some(error.to_owned()));
    let record = TerminalRecord { request_id, status, error };
    shared.store.set(&TerminalRecord::key(&promise.session_id), Some(&record)).await?;
    Ok(outcome)
}

async fn may_run_again(shared: &Shared, promise: &Promise, recovery: Recovery) -> Result<bool, ThinkError> {
    if recovery == Recovery::Mark || promise.kind != PromiseKind::Answer {
        return Ok(false);
    }
    let starts = shared.log.count_of(&promise.session_id, &promise.request_id).await?;
    Ok(starts <= SILENT_STARTS_MAX)
}

/// The answer as far as it was shown; none if nothing a reader would see was.
fn rebuild(mut fold: Accumulator, chunks: &[(u64, String)], now_ms: u64) -> Option<Message> {
    fold.replay(chunks.iter().map(|(_, body)| body.as_str()));
    fold.close_blocks();
    let mut message = fold.message().filter(|_| fold.has_content())?;
    let info = message.turn()?;
    if info.status == TurnStatus::Running {
        let (finished_at, error) = (Some(now_ms), Some(INTERRUPTED.to_owned()));
        message.set_turn(&TurnInfo { status: TurnStatus::Interrupted, finished_at, error, ..info });
    }
    Some(message)
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
