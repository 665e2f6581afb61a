//! Older versions of entries: whatever was overwritten, by whom, and the way back.

use super::Context;
use super::error::ContextError;
use super::provider::Provider;
use super::versions::{version_of, written};
use crate::append::open_tip;
use crate::session::Session;
use crate::store::blocks::VersionRow;
use crate::store::entry_versions::{self, EntryKey, WholeVersion};
use crate::store::stored;
use db::{DbError, WriteTx};
use protocol::limits::{BLOCK_VERSION_PAGE_MAX, BLOCK_VERSIONS_MAX};
use protocol::{Author, BlockVersion};

/// A write to one entry.
#[derive(Debug)]
pub(super) struct EntryWrite<'a> {
    pub(super) entry: EntryKey<'a>,
    pub(super) author: &'a Author,
    pub(super) now: i64,
}

impl EntryWrite<'_> {
    /// Keeps `content` as the next version. What was there `before` becomes a version too where none tells of it.
    pub(super) async fn record(
        &self,
        tx: &mut WriteTx,
        before: Option<&str>,
        content: &str,
    ) -> Result<(), DbError> {
        let latest = entry_versions::latest(tx, self.entry, i64::MAX).await.map_err(|e| tx.error(e))?;
        let mut last = latest.as_ref().map_or(0, |latest| latest.row.version);
        let known = latest.map(|latest| latest.content);
        if let Some(before) = before.filter(|before| known.as_deref() != Some(*before)) {
            last = if known.is_some() { last.saturating_add(1) } else { 0 };
            self.insert(tx, last, &Author::Outside, before).await?;
        }
        if before.or(known.as_deref()) == Some(content) {
            return Ok(());
        }
        last = last.saturating_add(1);
        self.insert(tx, last, self.author, content).await?;
        let pruned = last.saturating_sub(stored(BLOCK_VERSIONS_MAX as u64));
        entry_versions::prune(tx, self.entry, pruned).await.map_err(|e| tx.error(e))
    }

    async fn insert(
        &self,
        tx: &mut WriteTx,
        version: i64,
        author: &Author,
        content: &str,
    ) -> Result<(), DbError> {
        let row = VersionRow { version, author: written(author), written_at: self.now };
        let whole = WholeVersion { row, content: content.to_owned() };
        entry_versions::insert(tx, self.entry, &whole).await.map_err(|e| tx.error(e))
    }
}

/// Keeps versions of an entry that lies with a provider outside the agent's file.
pub(super) async fn record_outside(
    session: &Session,
    write: EntryWrite<'_>,
    before: Option<&str>,
    content: &str,
) -> Result<(), ContextError> {
    let mut tx = session.shared().db.write().await?;
    if write.entry.session.is_some() {
        let _tip = open_tip(&mut tx, session.id(), write.now).await?;
    }
    write.record(&mut tx, before, content).await?;
    Ok(tx.commit().await?)
}

impl Context {
    /// The versions of an entry before `before`, or the newest ones, newest first and without their texts. Empty for
    /// an entry that was never written here.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`], [`ContextError::NotMadeOfEntries`].
    pub async fn entry_history(
        &self,
        label: &str,
        key: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<BlockVersion>, ContextError> {
        let entry = EntryKey { session: self.entries_of(label).await?, label, key };
        let before = before.map_or(i64::MAX, stored);
        let limit = stored(limit.clamp(1, BLOCK_VERSION_PAGE_MAX) as u64);
        let mut tx = self.session.shared().db.read().await?;
        let rows = entry_versions::list(&mut tx, entry, before, limit).await.map_err(|e| tx.error(e))?;
        rows.iter().map(|row| version_of(label, row, None)).collect()
    }

    /// One version of an entry with its text. Write that text again to restore it.
    ///
    /// # Errors
    /// As [`Context::entry_history`], and [`ContextError::UnknownVersion`].
    pub async fn entry_version(
        &self,
        label: &str,
        key: &str,
        version: u64,
    ) -> Result<BlockVersion, ContextError> {
        let entry = EntryKey { session: self.entries_of(label).await?, label, key };
        let mut tx = self.session.shared().db.read().await?;
        let latest =
            entry_versions::latest(&mut tx, entry, stored(version)).await.map_err(|e| tx.error(e))?;
        match latest.filter(|latest| latest.row.version == stored(version)) {
            Some(WholeVersion { row, content }) => version_of(label, &row, Some(content)),
            None => Err(ContextError::UnknownVersion { label: label.to_owned(), version }),
        }
    }

    /// Whose the entries of a block are.
    async fn entries_of(&self, label: &str) -> Result<Option<&str>, ContextError> {
        let view = self.view().await?;
        match &view.find(label)?.provider {
            Provider::StoredEntries { owner } => Ok(self.session_of(*owner)),
            Provider::Skills(_)
            | Provider::WritableSkills(_)
            | Provider::Search(_)
            | Provider::WritableSearch(_) => Ok(None),
            Provider::Stored { .. } | Provider::Readonly(_) | Provider::Writable(_) => {
                Err(ContextError::NotMadeOfEntries(label.to_owned()))
            }
        }
    }
}
