//! After a crash: every turn that was promised and did not end is found by its row and finished from its log, before
//! anybody is let in. What was shown is kept and marked as interrupted; a turn that never said anything leaves the
//! conversation as it was before.

use crate::actor::TerminalRecord;
use crate::admit::is_reserved;
use crate::error::ThinkError;
use crate::shared::Shared;
use crate::store::Promise;
use crate::stream::log::StreamStatus;
use protocol::{Accumulator, Message, TurnInfo, TurnStatus};
use session::Session;

const INTERRUPTED: &str = "The server stopped in the middle of this answer. What arrived is kept.";
const NEVER_BEGAN: &str = "The server stopped before an answer began.";

/// Mends everything that is not finished.
pub(crate) async fn mend(shared: &Shared) -> Result<(), ThinkError> {
    for promise in shared.store.promises().await? {
        let kept = mend_one(shared, &promise).await?;
        tracing::info!(session.id = %promise.session_id, request.id = %promise.request_id, kept,
            "a turn that a stop interrupted was mended");
        shared.store.fulfil(&promise.session_id, &promise.request_id).await?;
    }
    Ok(())
}

/// Whether anything of the answer was kept.
async fn mend_one(shared: &Shared, promise: &Promise) -> Result<bool, ThinkError> {
    // A session in the trash keeps its rows; if it comes back its turn is over all the same.
    let Some(session) = shared.sessions.session(&promise.session_id).await? else { return Ok(false) };
    let stream = shared.log.newest(&promise.session_id, &promise.request_id).await?;
    let chunks = match &stream {
        Some((stream, _)) => shared.log.chunks(stream, 0).await?,
        None => Vec::new(),
    };
    let row = session.get(&promise.message_id).await?;
    let rebuilt = rebuild(promise, &chunks, shared.now());
    let kept = match (row, rebuilt) {
        (Some(row), Some(rebuilt)) if is_reserved(&row) => session.update(&rebuilt).await?,
        (Some(row), None) if is_reserved(&row) => {
            withdraw(&session, promise).await?;
            false
        }
        // It was stored before the crash; only the promise was not crossed out.
        (Some(_) | None, _) => return Ok(true),
    };
    if let Some((stream, _)) = &stream {
        shared.log.finish(stream, StreamStatus::Completed).await?;
    }
    let record = TerminalRecord {
        request_id: promise.request_id.clone(),
        status: TurnStatus::Interrupted,
        error: Some(if kept { INTERRUPTED } else { NEVER_BEGAN }.to_owned()),
    };
    shared.store.set(&TerminalRecord::key(&promise.session_id), Some(&record)).await?;
    Ok(kept)
}

/// The answer as far as it was shown; none if nothing a reader would see was.
fn rebuild(promise: &Promise, chunks: &[(u64, String)], now_ms: u64) -> Option<Message> {
    let mut fold = Accumulator::new(Some(promise.message_id.clone()));
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
    let _gone = session.delete(std::slice::from_ref(&promise.message_id)).await?;
    let is_untouched = session.active_leaf().await? == promise.parent_id;
    if let Some(previous) = promise.previous_leaf.as_ref().filter(|_| is_untouched)
        && promise.previous_leaf != promise.parent_id
        && session.get(previous).await?.is_some()
    {
        let _leaf = session.set_active(previous).await?;
    }
    Ok(())
}
