//! Sessions come back from the trash as they were. The default session leaves its empty id behind when it is thrown
//! away, because that id must always name a session: it lies in the trash under a new one.

use crate::store::sessions::{self, SessionRow};
use crate::store::{blocks, exchange};
use db::{DbError, WriteTx};
use protocol::SessionId;

/// Puts a session into the trash; whether it was there. `spare_id` is for the default session.
pub(crate) async fn put_in(
    tx: &mut WriteTx,
    session: &SessionId,
    spare_id: &str,
    now: i64,
) -> Result<bool, DbError> {
    let is_new = sessions::put_in_trash(tx, session.as_str(), now).await.map_err(|e| tx.error(e))?;
    if is_new && *session == SessionId::default() {
        sessions::change_id(tx, session.as_str(), spare_id).await.map_err(|e| tx.error(e))?;
    }
    Ok(is_new)
}

/// Puts a session where nobody sees it, to be removed; the id it has there, or none where there is no such session. The
/// default one leaves its id behind here too.
pub(crate) async fn set_apart(
    tx: &mut WriteTx,
    session: &SessionId,
    spare_id: &str,
    now: i64,
) -> Result<Option<SessionId>, DbError> {
    let id = session.as_str();
    let is_there = sessions::exists(tx, id).await.map_err(|e| tx.error(e))?;
    if !is_there || exchange::is_apart(tx, id).await.map_err(|e| tx.error(e))? {
        return Ok(None);
    }
    let _is_new = put_in(tx, session, spare_id, now).await?;
    let id = if id.is_empty() { spare_id } else { id };
    exchange::set_apart(tx, id, now).await.map_err(|e| tx.error(e))?;
    Ok(Some(SessionId::new(id)))
}

/// Takes a session out of the trash. The default session gets its old id back unless something new stands there.
pub(crate) async fn take_out(tx: &mut WriteTx, session: &SessionId) -> Result<Option<SessionRow>, DbError> {
    let id = session.as_str();
    if *session != SessionId::default() {
        return sessions::take_from_trash(tx, id).await.map_err(|e| tx.error(e));
    }
    let thrown_away = sessions::last_trashed_from(tx, id).await.map_err(|e| tx.error(e))?;
    let Some(spare_id) = thrown_away else {
        return sessions::find(tx, id).await.map_err(|e| tx.error(e));
    };
    let current = sessions::tip(tx, id).await.map_err(|e| tx.error(e))?;
    let has_blocks = blocks::has_own(tx, id).await.map_err(|e| tx.error(e))?;
    let is_taken = has_blocks || current.as_ref().is_some_and(|tip| tip.message_count > 0);
    let target = if is_taken { spare_id.as_str() } else { id };
    if !is_taken {
        let _was_there = sessions::delete(tx, id).await.map_err(|e| tx.error(e))?;
        sessions::change_id(tx, &spare_id, id).await.map_err(|e| tx.error(e))?;
    }
    sessions::take_from_trash(tx, target).await.map_err(|e| tx.error(e))
}
