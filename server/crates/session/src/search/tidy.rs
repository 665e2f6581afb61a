//! The index grows by small pieces, and every word of a search is looked up in each of them. They are merged while nobody
//! waits, some pages at a time.

use crate::error::SessionError;
use crate::manager::SessionManager;
use crate::store::search;

/// Pages that one step writes: others wait for the writer meanwhile.
const PAGES: i64 = 64;
/// Messages below which an index is quick whatever it looks like.
const FEW: i64 = 1_000;

impl SessionManager {
    /// Merges some of the pieces of the index of words; whether there is more to merge. Call it while nobody waits, until
    /// nothing is left.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn tidy_index(&self) -> Result<bool, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let last = search::last_row(&mut tx).await.map_err(|e| tx.error(e))?;
        drop(tx);
        if last.is_none_or(|last| last < FEW) {
            return Ok(false);
        }
        let mut tx = self.shared().db.write().await?;
        let is_more = search::merge(&mut tx, PAGES).await.map_err(|e| tx.error(e))?;
        tx.commit().await?;
        Ok(is_more)
    }
}
