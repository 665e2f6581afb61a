//! The end of a path as a page paints it: some messages, their other versions, and how many came before.

use crate::compaction::record_id;
use crate::compaction::standing::Standing;
use crate::error::{BrokenRow, SessionError};
use crate::history::{Reach, Reading};
use crate::store::{compactions, counted, messages, paths, weights};
use db::{DbError, ReadTx};
use protocol::{Message, MessageId, SessionId, Siblings, Transcript};

/// The last `limit` messages of the path to `leaf`.
///
/// The page has no place for a row that does not parse, so it is left out and logged. Where nothing else is in sight,
/// the window goes further up, so that such rows never end a conversation.
pub(crate) async fn window(
    tx: &mut ReadTx,
    session: &SessionId,
    leaf: Option<String>,
    limit: usize,
) -> Result<Transcript, SessionError> {
    let mut next = leaf;
    let mut transcript = Transcript::default();
    while let Some(leaf) = next.take() {
        let standing = Standing::on(tx, session.as_str(), &leaf).await.map_err(|e| tx.error(e))?;
        let reading = Reading::of(tx, session, leaf, Reach::last(limit.max(1)), standing).await?;
        reading.history.broken.iter().for_each(report);
        if reading.history.messages.is_empty() {
            next = reading.above;
        }
        transcript.earlier = counted(reading.depth);
        transcript.messages = reading.history.messages;
        transcript.overlays = reading.overlays;
    }
    transcript.siblings = siblings(tx, session, &transcript.messages).await?;
    transcript.pinned = pinned(tx, session, &transcript.messages).await?;
    Ok(transcript)
}

/// The message above `before`, or above all that it stands for; the inner none is for a root, the outer one where there
/// is no such message.
pub(crate) async fn above(
    tx: &mut ReadTx,
    session: &SessionId,
    before: &MessageId,
) -> Result<Option<Option<String>>, DbError> {
    let first = match record_id(before) {
        None => Some(before.as_str().to_owned()),
        Some(record) => {
            let row = compactions::find(tx, session.as_str(), record).await.map_err(|e| tx.error(e))?;
            row.map(|row| row.from_message_id)
        }
    };
    let Some(first) = first else { return Ok(None) };
    let place = messages::place(tx, session.as_str(), &first).await.map_err(|e| tx.error(e))?;
    Ok(place.map(|place| place.parent_id))
}

/// About `limit` messages around `middle`, or around all that it stands for, on the path to `leaf`; none if it is not on
/// that path. A message that a summary hides is shown itself, and the window ends with it.
pub(crate) async fn around(
    tx: &mut ReadTx,
    session: &SessionId,
    leaf: &str,
    middle: &MessageId,
    limit: usize,
) -> Result<Option<Transcript>, SessionError> {
    let last = match record_id(middle) {
        None => Some(middle.as_str().to_owned()),
        Some(record) => {
            let row = compactions::find(tx, session.as_str(), record).await.map_err(|e| tx.error(e))?;
            row.map(|row| row.to_message_id)
        }
    };
    let Some(last) = last else { return Ok(None) };
    let steps = i64::try_from(limit / 2).unwrap_or(paths::WHOLE);
    let bottom = paths::some_below(tx, session.as_str(), leaf, &last, steps).await;
    let Some(bottom) = bottom.map_err(|e| tx.error(e))? else { return Ok(None) };
    let shown = window(tx, session, Some(bottom), limit).await?;
    if shown.messages.iter().any(|message| message.id == *middle) {
        return Ok(Some(shown));
    }
    window(tx, session, Some(last), limit).await.map(Some)
}

/// Those messages that are pinned.
async fn pinned(tx: &mut ReadTx, session: &SessionId, shown: &[Message]) -> Result<Vec<MessageId>, DbError> {
    let pinned = weights::pinned(tx, session.as_str()).await.map_err(|e| tx.error(e))?;
    let is_shown = |id: &MessageId| shown.iter().any(|message| message.id == *id);
    Ok(pinned.into_iter().map(|(id, _)| MessageId::new(id)).filter(is_shown).collect())
}

fn report(broken: &BrokenRow) {
    tracing::warn!(session.id = %broken.session, message.id = %broken.id, "left a stored message out that cannot be read");
}

/// The versions of those messages that have more than one.
async fn siblings(tx: &mut ReadTx, session: &SessionId, shown: &[Message]) -> Result<Vec<Siblings>, DbError> {
    let ids: Vec<&str> = shown.iter().map(|message| message.id.as_str()).collect();
    let ids = serde_json::Value::from(ids).to_string();
    let rows = messages::versions(tx, session.as_str(), &ids).await.map_err(|e| tx.error(e))?;
    let of_one_message = rows.chunk_by(|(left, _), (right, _)| left == right);
    let found = of_one_message.filter(|versions| versions.len() > 1).filter_map(|versions| {
        let (number, _) = versions.first()?;
        let message = shown.get(usize::try_from(*number).ok()?)?;
        let ids = versions.iter().map(|(_, id)| MessageId::new(id.as_str())).collect();
        Some(Siblings { id: message.id.clone(), ids })
    });
    Ok(found.collect())
}
