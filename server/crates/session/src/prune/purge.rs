//! Removing messages for good: they leave the trash, what hung on them hangs past them, and words that only they held
//! are forgotten.

use super::ranges;
use crate::error::SessionError;
use crate::history;
use crate::search::index::{Forgetting, Texts};
use crate::store::{messages, trash};
use db::{DbError, WriteTx};
use protocol::{MessageId, SessionId};

/// Removes everything from the trash that was deleted together with `id`; how many messages that were.
pub(crate) async fn purge(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
) -> Result<Option<u64>, SessionError> {
    let found = trash::deletion_of(tx, session.as_str(), id.as_str()).await.map_err(|e| tx.error(e))?;
    let Some(deletion) = found else { return Ok(None) };
    let ids = trash::messages(tx, session.as_str(), deletion.number).await.map_err(|e| tx.error(e))?;
    let mut words = Forgetting::default();
    for id in &ids {
        let content = trash::content(tx, session.as_str(), id).await.map_err(|e| tx.error(e))?;
        add(&mut words, session, id, content);
    }
    ranges::leave(tx, session, &ids.iter().map(String::as_str).collect()).await?;
    for id in trash::needed(tx, session.as_str(), deletion.number).await.map_err(|e| tx.error(e))? {
        trash::bridge(tx, session.as_str(), &id).await.map_err(|e| tx.error(e))?;
    }
    trash::forget(tx, session.as_str(), deletion.number).await.map_err(|e| tx.error(e))?;
    let _moved = trash::settle(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    ranges::clamp(tx, session).await?;
    words.sweep(tx).await?;
    Ok(Some(ids.len() as u64))
}

/// Removes messages that nobody has seen, for good; how many there were.
pub(crate) async fn discard(
    tx: &mut WriteTx,
    session: &SessionId,
    ids: &[MessageId],
    now: i64,
) -> Result<u64, SessionError> {
    let count = super::put_away(tx, session, ids, now).await?;
    for id in ids {
        let _purged = purge(tx, session, id).await?;
    }
    Ok(count)
}

/// The words of all messages of a session, those in the trash too.
pub(crate) async fn words_of(tx: &mut WriteTx, session: &SessionId) -> Result<Forgetting, DbError> {
    let mut words = Forgetting::default();
    for id in messages::ids(tx, session.as_str()).await.map_err(|e| tx.error(e))? {
        let content = messages::content(tx, session.as_str(), &id).await.map_err(|e| tx.error(e))?;
        add(&mut words, session, &id, content);
    }
    for id in trash::ids(tx, session.as_str()).await.map_err(|e| tx.error(e))? {
        let content = trash::content(tx, session.as_str(), &id).await.map_err(|e| tx.error(e))?;
        add(&mut words, session, &id, content);
    }
    Ok(words)
}

/// A row that does not parse may have been indexed when it did: nothing is known of its words then.
fn add(words: &mut Forgetting, session: &SessionId, id: &str, content: Option<Vec<u8>>) {
    if let Ok(message) = history::read(session, id, &content.unwrap_or_default()) {
        words.add(&Texts::of(&message));
    }
}
