//! What an instance puts in order by itself after it was opened and after an import: step by step, so that nobody waits
//! for more than one of them.

use crate::engine::Engine;
use protocol::SessionId;
use session::SessionError;

/// Steps in which the index is merged; what is left then is merged the next time.
const STEPS_MAX: usize = 4_096;

/// Removes the sessions in `left`, whose import was broken off by the end of a server, and puts the index of words in
/// order. What cannot be done now is done when the instance is opened the next time.
pub(crate) async fn tend(engine: Engine, left: Vec<SessionId>) {
    let shared = engine.shared();
    let work = async {
        if let Err(error) = put_in_order(&engine, &left).await {
            tracing::warn!("the instance was not put in order: {error}");
        }
    };
    tokio::select! {
        () = shared.background.stopping.cancelled() => {}
        () = work => {}
    }
}

async fn put_in_order(engine: &Engine, left: &[SessionId]) -> Result<(), SessionError> {
    let sessions = engine.sessions();
    for id in left {
        sessions.remove_unfinished_import(id).await?;
        tracing::info!(session.id = %id, "a session whose import had been broken off was removed");
    }
    while sessions.index_waiting().await? > 0 {}
    for _step in 0..STEPS_MAX {
        if !sessions.tidy_index().await? {
            break;
        }
    }
    Ok(())
}
