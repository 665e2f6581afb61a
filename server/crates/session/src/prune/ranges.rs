//! The ends of summaries' ranges while messages at them lie in the trash: a range begins and ends with the outermost of
//! its messages that are left, and its summary stands for nothing, and goes, while there are none.

use crate::store::clamped::{self, ClampedRow};
use crate::store::compactions::{self, NewRow};
use crate::store::trash::LaterRow;
use db::{DbError, WriteTx};
use protocol::SessionId;
use std::collections::HashSet;

/// Keeps the real ends of ranges that begin or end with one of `ids`, a JSON array, before these go.
pub(super) async fn keep(tx: &mut WriteTx, session: &SessionId, ids: &str) -> Result<(), DbError> {
    clamped::keep(tx, session.as_str(), ids).await.map_err(|e| tx.error(e))
}

/// Gives every range that reaches into the trash the ends it has now.
pub(super) async fn clamp(tx: &mut WriteTx, session: &SessionId) -> Result<(), DbError> {
    for row in clamped::list(tx, session.as_str()).await.map_err(|e| tx.error(e))? {
        let range = range(tx, session, &row).await?;
        let left: Vec<&String> = range.iter().filter(|(_, is_left)| *is_left).map(|(id, _)| id).collect();
        match (left.last(), left.first()) {
            (Some(from), Some(to)) => {
                stand(tx, session, &row, (from, to)).await?;
                if row.from_message_id == **from && row.to_message_id == **to {
                    forget(tx, session, &row.id).await?;
                }
            }
            (None, _) | (_, None) => {
                let id = session.as_str();
                clamped::renew(tx, id, &row.id).await.map_err(|e| tx.error(e))?;
                let _was_there = compactions::delete(tx, id, &row.id).await.map_err(|e| tx.error(e))?;
            }
        }
    }
    Ok(())
}

/// Takes messages that go for good off the real ends of ranges.
pub(super) async fn leave(
    tx: &mut WriteTx,
    session: &SessionId,
    going: &HashSet<&str>,
) -> Result<(), DbError> {
    for row in clamped::list(tx, session.as_str()).await.map_err(|e| tx.error(e))? {
        if !going.contains(row.from_message_id.as_str()) && !going.contains(row.to_message_id.as_str()) {
            continue;
        }
        let range = range(tx, session, &row).await?;
        let ids = range.iter().map(|(id, _)| id);
        let stay: Vec<&String> = ids.filter(|id| !going.contains(id.as_str())).collect();
        let done = match (stay.last(), stay.first()) {
            (Some(from), Some(to)) => clamped::set_ends(tx, session.as_str(), &row.id, from, to).await,
            (None, _) | (_, None) => clamped::forget(tx, session.as_str(), &row.id).await,
        };
        done.map_err(|e| tx.error(e))?;
    }
    Ok(())
}

/// Lets the ranges of summaries end before messages that came back into them and of which they say nothing, because these
/// lay in the trash when they were made. What a summary says beyond its range is said twice then, but nothing is lost.
pub(super) async fn end_before(
    tx: &mut WriteTx,
    session: &SessionId,
    later: Vec<LaterRow>,
    back: &[String],
) -> Result<(), DbError> {
    let (id, back): (_, HashSet<&str>) = (session.as_str(), back.iter().map(String::as_str).collect());
    for row in later {
        let (from, to) = (&row.from_message_id, &row.to_message_id);
        let range = clamped::range(tx, id, from, to).await.map_err(|e| tx.error(e))?;
        let first = range.iter().rposition(|(id, _)| back.contains(id.as_str()));
        let above = first.and_then(|first| range.get(first.saturating_add(1)..)).unwrap_or_default();
        if above.last().is_none_or(|(id, _)| id != from) {
            continue;
        }
        let end = above.iter().find(|(_, is_left)| row.is_clamped || *is_left).map_or(from, |(id, _)| id);
        let done = match row.is_clamped {
            true => clamped::set_ends(tx, id, &row.id, from, end).await,
            false => compactions::set_ends(tx, id, &row.id, from, end).await,
        };
        done.map_err(|e| tx.error(e))?;
    }
    Ok(())
}

/// Forgets the real ends of a range.
pub(crate) async fn forget(tx: &mut WriteTx, session: &SessionId, record: &str) -> Result<(), DbError> {
    clamped::forget(tx, session.as_str(), record).await.map_err(|e| tx.error(e))
}

/// The messages of a range, the last one first. Nothing where its ends are not on one path any more.
async fn range(
    tx: &mut WriteTx,
    session: &SessionId,
    row: &ClampedRow,
) -> Result<Vec<(String, bool)>, DbError> {
    let (from, to) = (&row.from_message_id, &row.to_message_id);
    let range = clamped::range(tx, session.as_str(), from, to).await.map_err(|e| tx.error(e))?;
    let is_whole = range.last().is_some_and(|(id, _)| id == from);
    Ok(if is_whole { range } else { Vec::new() })
}

/// Gives a summary these ends; one that went with its last message stands again, at its old place.
async fn stand(
    tx: &mut WriteTx,
    session: &SessionId,
    row: &ClampedRow,
    (from, to): (&str, &str),
) -> Result<(), DbError> {
    let id = session.as_str();
    let standing = compactions::find(tx, id, &row.id).await.map_err(|e| tx.error(e))?;
    let done = match standing {
        Some(_) => compactions::set_ends(tx, id, &row.id, from, to).await,
        None => {
            let new = NewRow {
                id: &row.id,
                seq: Some(row.seq),
                from,
                to,
                tokens: row.tokens,
                created_at: row.created_at,
                summary: &row.summary,
            };
            compactions::insert(tx, id, &new).await
        }
    };
    done.map_err(|e| tx.error(e))
}
