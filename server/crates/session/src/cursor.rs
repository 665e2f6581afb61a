//! Where a page of the session list ends. Clients keep the text and give it back; only this file knows what it means.

use crate::error::SessionError;
use crate::store::sessions::SessionRow;

/// Before the newest session.
pub(crate) const START: (i64, i64) = (i64::MAX, i64::MAX);

/// The cursor of the page after `last`.
pub(crate) fn after(last: &SessionRow) -> String {
    format!("{}.{}", last.updated_at, last.updated_seq)
}

/// The same in the trash, where sessions stand in the order they were thrown away.
pub(crate) fn after_in_trash(last: &SessionRow) -> String {
    format!("{}.{}", last.place.deleted_at.unwrap_or_default(), last.updated_seq)
}

/// Reads a cursor.
pub(crate) fn read(cursor: &str) -> Result<(i64, i64), SessionError> {
    let numbers = cursor.split_once('.').and_then(|(at, seq)| Some((at.parse().ok()?, seq.parse().ok()?)));
    numbers.ok_or_else(|| SessionError::BadCursor(cursor.chars().take(64).collect()))
}
