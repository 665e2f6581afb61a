//! Sessions that are being imported: what is larger than one batch stands apart until it is whole, so that others write
//! between the batches and nobody sees half a session. What a crash leaves apart is removed.

use super::format::{Memory, Opening};
use super::import::ImportError;
use super::messages::Messages;
use super::original::{Original, Problems, Stored};
use crate::context::ContextConfig;
use crate::error::SessionError;
use crate::history;
use crate::manager::SessionManager;
use crate::prune::purge;
use crate::search::index::{Forgetting, Texts};
use crate::store::exchange as store;
use crate::store::{messages, sessions, stored, trash};
use db::{DbError, WriteTx};
use protocol::limits::{IMPORT_BATCH_BYTES, IMPORT_BATCH_MESSAGES};
use protocol::{MessageId, SessionId};
use serde_json::Value;

impl SessionManager {
    /// Stores a session in batches; it is here as a whole, or not at all.
    pub(super) async fn insert(
        &self,
        opening: Opening,
        messages: &mut dyn Messages,
        blocks: &ContextConfig,
    ) -> Result<Stored, ImportError> {
        let mut apart = None;
        let done = Original::insert(self.shared(), opening, (messages, blocks), &mut apart).await;
        if let (Err(_), Some(id)) = (&done, apart) {
            self.remove_apart(&id).await?;
        }
        done
    }

    /// Takes over what is remembered for all sessions, where its labels are free; says what was left out.
    pub(super) async fn insert_memory(
        &self,
        memory: Memory,
        blocks: &ContextConfig,
    ) -> Result<Problems, SessionError> {
        let mut apart = None;
        let done = Original::insert_memory(self.shared(), memory, blocks, &mut apart).await;
        if let Some(id) = apart {
            self.remove_apart(&id).await?;
        }
        done
    }

    /// Sessions whose import was broken off by a crash, if none is being imported now.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn unfinished_imports(&self) -> Result<Vec<SessionId>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let ids = store::apart(&mut tx).await.map_err(|e| tx.error(e))?;
        Ok(ids.into_iter().map(SessionId::new).collect())
    }

    /// Removes what is there of a session whose import was broken off, in batches; any other session stays.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn remove_unfinished_import(&self, id: &SessionId) -> Result<(), SessionError> {
        self.remove_apart(id.as_str()).await
    }

    async fn remove_apart(&self, session: &str) -> Result<(), SessionError> {
        while self.remove_batch(session).await? {}
        Ok(())
    }

    /// Removes some messages, else some of its trash, else of what it remembers, in the end the session itself; whether
    /// there is more.
    async fn remove_batch(&self, session: &str) -> Result<bool, SessionError> {
        let mut tx = self.shared().db.write().await?;
        if !store::is_apart(&mut tx, session).await.map_err(|e| tx.error(e))? {
            return Ok(false);
        }
        let most = (stored(IMPORT_BATCH_MESSAGES as u64), stored(IMPORT_BATCH_BYTES as u64));
        let rows = store::first(&mut tx, session, most).await.map_err(|e| tx.error(e))?;
        let thrown = trash::first_head(&mut tx, session).await.map_err(|e| tx.error(e))?;
        let is_more = !rows.is_empty() || thrown.is_some();
        match thrown {
            _ if !rows.is_empty() => remove_messages(&mut tx, session, rows).await?,
            Some(head) => {
                let _count = purge(&mut tx, &SessionId::new(session), &MessageId::new(head)).await?;
            }
            None if store::forget_some(&mut tx, session, most.1).await.map_err(|e| tx.error(e))? => {
                tx.commit().await?;
                return Ok(true);
            }
            None => {
                let _was_there = sessions::delete(&mut tx, session).await.map_err(|e| tx.error(e))?;
            }
        }
        tx.commit().await?;
        Ok(is_more)
    }
}

async fn remove_messages(
    tx: &mut WriteTx,
    session: &str,
    rows: Vec<(String, Vec<u8>)>,
) -> Result<(), DbError> {
    let mut words = Forgetting::default();
    for (id, content) in &rows {
        if let Ok(message) = history::read(&SessionId::new(session), id, content) {
            words.add(&Texts::of(&message));
        }
    }
    let ids = Value::from_iter(rows.into_iter().map(|(id, _)| id)).to_string();
    messages::delete(tx, session, &ids).await.map_err(|e| tx.error(e))?;
    words.sweep(tx).await
}
