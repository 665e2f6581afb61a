//! Searchable entries in the agent's file.

use super::entry_versions::EntryWrite;
use super::error::{BoxError, ContextError};
use super::provider::{Owner, ReadContext, SearchContext};
use super::query::Query;
use crate::append::open_tip;
use crate::session::Session;
use crate::store::entries::{self, EntryRow, Sought};
use crate::store::entry_versions::EntryKey;
use crate::store::stored;
use async_trait::async_trait;
use protocol::Author;
use protocol::limits::{SEARCH_BLOCK_HITS_MAX, SEARCH_ENTRIES_MAX};

/// The entries of one block.
#[derive(Debug)]
pub(super) struct StoredEntries {
    session: Session,
    owner: Owner,
    label: String,
}

impl StoredEntries {
    pub(super) fn new(session: &Session, owner: Owner, label: &str) -> Self {
        Self { session: session.clone(), owner, label: label.to_owned() }
    }

    fn session_id(&self) -> Option<&str> {
        match self.owner {
            Owner::Session => Some(self.session.id().as_str()),
            Owner::Agent => None,
        }
    }

    /// Writes one entry, in place of the one that has its key, which is kept as a version.
    pub(super) async fn put(&self, key: &str, content: &str, author: &Author) -> Result<(), ContextError> {
        let (shared, session, label) = (self.session.shared(), self.session_id(), self.label.as_str());
        let entry = EntryRow { key: key.to_owned(), content: content.to_owned() };
        let write = EntryWrite { entry: EntryKey { session, label, key }, author, now: shared.now() };
        let mut tx = shared.db.write().await?;
        let before = entries::content(&mut tx, session, label, key).await.map_err(|e| tx.error(e))?;
        if before.is_some() {
            let updated = entries::update(&mut tx, session, label, &entry, write.now).await;
            updated.map_err(|e| tx.error(e))?;
            write.record(&mut tx, before.as_deref(), content).await?;
            return Ok(tx.commit().await?);
        }
        let count = entries::count(&mut tx, session, label).await.map_err(|e| tx.error(e))?;
        if count >= stored(SEARCH_ENTRIES_MAX as u64) {
            return Err(ContextError::TooManyEntries(self.label.clone()));
        }
        if session.is_some() {
            let _tip = open_tip(&mut tx, self.session.id(), shared.now()).await?;
        }
        entries::insert(&mut tx, session, label, &entry, write.now).await.map_err(|e| tx.error(e))?;
        write.record(&mut tx, None, content).await?;
        Ok(tx.commit().await?)
    }
}

#[async_trait]
impl ReadContext for StoredEntries {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        let mut tx = self.session.shared().db.read().await?;
        let count = entries::count(&mut tx, self.session_id(), &self.label).await.map_err(|e| tx.error(e))?;
        Ok((count > 0).then(|| format!("{count} entries indexed.")))
    }
}

#[async_trait]
impl SearchContext for StoredEntries {
    async fn search(&self, query: &str) -> Result<Option<String>, BoxError> {
        let query = Query::new(query);
        if query.is_empty() {
            return Ok(None);
        }
        let (words, pieces) = (query.words(), query.pieces());
        let limit = stored(SEARCH_BLOCK_HITS_MAX as u64);
        let sought = Sought { words: words.as_deref(), pieces: &pieces, limit };
        let mut tx = self.session.shared().db.read().await?;
        let found = entries::search(&mut tx, self.session_id(), &self.label, &sought).await;
        let hits: Vec<String> = found
            .map_err(|e| tx.error(e))?
            .into_iter()
            .map(|hit| format!("[{}]\n{}", hit.key, hit.content))
            .collect();
        Ok((!hits.is_empty()).then(|| hits.join("\n\n")))
    }
}
