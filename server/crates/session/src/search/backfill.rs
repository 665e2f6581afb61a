//! Messages of an older file, and those the doctor sends, are indexed some at a time: each step is one transaction, and
//! after a crash the next step goes on where the last one ended.

use crate::error::SessionError;
use crate::history;
use crate::manager::{SessionManager, Shared};
use crate::names::folded;
use crate::search::index::{Texts, index};
use crate::store::{counted, messages, search};
use protocol::SessionId;
use protocol::limits::SEARCH_BACKFILL_MAX;

/// Stored bytes after which a step ends, however few messages that were: others wait for the writer.
const BYTES_MAX: i64 = 2 * 1024 * 1024;

impl SessionManager {
    /// Indexes up to [`SEARCH_BACKFILL_MAX`] messages that wait for it, the newest first, and says how many are left.
    /// Call it after opening a file until nothing is left; searches do the same, but then somebody waits for it.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn index_waiting(&self) -> Result<u64, SessionError> {
        while fold_names(self.shared()).await? {}
        go_on(self.shared()).await
    }
}

/// Folds some names of sessions of an older file; whether there were any.
async fn fold_names(shared: &Shared) -> Result<bool, SessionError> {
    let limit = i64::try_from(SEARCH_BACKFILL_MAX).unwrap_or(i64::MAX);
    let mut tx = shared.db.read().await?;
    let names = search::unfolded(&mut tx, limit).await.map_err(|e| tx.error(e))?;
    drop(tx);
    if names.is_empty() {
        return Ok(false);
    }
    let mut tx = shared.db.write().await?;
    for (id, _, name) in names {
        search::set_name_key(&mut tx, &id, &folded(&name)).await.map_err(|e| tx.error(e))?;
    }
    tx.commit().await?;
    Ok(true)
}

/// One step, where anything is left.
pub(crate) async fn go_on(shared: &Shared) -> Result<u64, SessionError> {
    let mut tx = shared.db.read().await?;
    let waiting = search::waiting(&mut tx).await.map_err(|e| tx.error(e))?;
    drop(tx);
    if waiting == 0 {
        return Ok(0);
    }
    let mut tx = shared.db.write().await?;
    let limit = i64::try_from(SEARCH_BACKFILL_MAX).unwrap_or(i64::MAX);
    let next = search::next_waiting(&mut tx, limit).await.map_err(|e| tx.error(e))?;
    let mut room = BYTES_MAX;
    for (session, id, bytes) in next {
        if room <= 0 {
            break;
        }
        room = room.saturating_sub(bytes);
        let content = messages::content(&mut tx, &session, &id).await.map_err(|e| tx.error(e))?;
        // A row that does not parse has no words; the doctor names it.
        let message = history::read(&SessionId::new(session.as_str()), &id, &content.unwrap_or_default());
        let texts = message.map(|message| Texts::of(&message)).unwrap_or_default();
        index(&mut tx, &session, &id, &texts).await?;
    }
    let left = search::waiting(&mut tx).await.map_err(|e| tx.error(e))?;
    tx.commit().await?;
    Ok(counted(left))
}
