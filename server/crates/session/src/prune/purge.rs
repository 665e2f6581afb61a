//! Removing messages for good: they leave the trash, what hung on them hangs past them, and words that only they held
//! are forgotten. Some at a time, however large a deletion is: others wait for the writer.

use super::ranges;
use crate::error::SessionError;
use crate::history;
use crate::search::index::{Forgetting, Texts};
use crate::store::{stored, trash};
use db::WriteTx;
use protocol::{MessageId, SessionId};
use serde_json::Value;

/// Messages that one step removes.
const STEP_MESSAGES: i64 = 500;
/// Stored bytes after which a step ends.
const STEP_BYTES: i64 = 4 * 1024 * 1024;

/// What one step has removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purged {
    pub(crate) count: u64,
    /// Whether more was deleted together with it.
    pub(crate) is_more: bool,
}

/// Removes from the trash what was deleted together with `id`, as much as one step may; none where it is not there.
pub(crate) async fn purge(
    tx: &mut WriteTx,
    session: &SessionId,
    id: &MessageId,
) -> Result<Option<Purged>, SessionError> {
    let found = trash::deletion_of(tx, session.as_str(), id.as_str()).await.map_err(|e| tx.error(e))?;
    let Some(deletion) = found else { return Ok(None) };
    let ids = last_of(tx, session, deletion.number, id).await?;
    let list = Value::from_iter(ids.iter().map(String::as_str)).to_string();
    let split = trash::split(tx, session.as_str(), deletion.number, &list).await.map_err(|e| tx.error(e))?;
    remove(tx, session, split.unwrap_or(deletion.number), &ids).await?;
    Ok(Some(Purged { count: ids.len() as u64, is_more: split.is_some() }))
}

/// As many messages of a deletion as one step removes. The one it is named by is the last of all, so that what is left is
/// still listed.
async fn last_of(
    tx: &mut WriteTx,
    session: &SessionId,
    number: i64,
    any: &MessageId,
) -> Result<Vec<String>, SessionError> {
    let session = session.as_str();
    let head = trash::head_of(tx, session, any.as_str()).await.map_err(|e| tx.error(e))?.unwrap_or_default();
    let rows = trash::last_of(tx, session, (number, &head), STEP_MESSAGES).await.map_err(|e| tx.error(e))?;
    let (count, mut room) = (rows.len(), STEP_BYTES);
    let fits = |(_, bytes): &(String, i64)| {
        let is_room = room > 0;
        room = room.saturating_sub(*bytes);
        is_room
    };
    let mut ids: Vec<String> = rows.into_iter().take_while(fits).map(|(id, _)| id).collect();
    if ids.len() == count && stored(count as u64) < STEP_MESSAGES {
        ids.push(head);
    }
    Ok(ids)
}

/// Removes a deletion, which holds `ids`.
async fn remove(
    tx: &mut WriteTx,
    session: &SessionId,
    number: i64,
    ids: &[String],
) -> Result<(), SessionError> {
    let mut words = Forgetting::default();
    for id in ids {
        let content = trash::content(tx, session.as_str(), id).await.map_err(|e| tx.error(e))?;
        add(&mut words, session, id, content);
    }
    ranges::leave(tx, session, &ids.iter().map(String::as_str).collect()).await?;
    for id in trash::needed(tx, session.as_str(), number).await.map_err(|e| tx.error(e))? {
        trash::bridge(tx, session.as_str(), &id).await.map_err(|e| tx.error(e))?;
    }
    trash::forget(tx, session.as_str(), number).await.map_err(|e| tx.error(e))?;
    let _moved = trash::settle(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    ranges::clamp(tx, session).await?;
    Ok(words.sweep(tx).await?)
}

/// Removes messages that nobody has seen, for good; how many there were.
pub(crate) async fn discard(
    tx: &mut WriteTx,
    session: &SessionId,
    ids: &[MessageId],
    now: i64,
) -> Result<u64, SessionError> {
    let count = super::delete(tx, session, ids, now).await?;
    for id in ids {
        while purge(tx, session, id).await?.is_some_and(|purged| purged.is_more) {}
    }
    Ok(count)
}

/// A row that does not parse may have been indexed when it did: nothing is known of its words then.
fn add(words: &mut Forgetting, session: &SessionId, id: &str, content: Option<Vec<u8>>) {
    if let Ok(message) = history::read(session, id, &content.unwrap_or_default()) {
        words.add(&Texts::of(&message));
    }
}
