//! Every version of a text block, who wrote it, how two differ, and the way back.

use super::Context;
use super::error::ContextError;
use super::provider::Provider;
use super::write::Change;
use crate::store::blocks::{self, BlockRow, VersionRow};
use crate::store::{counted, stored};
use db::{DbError, WriteTx};
use protocol::limits::{BLOCK_VERSION_PAGE_MAX, BLOCK_VERSIONS_MAX};
use protocol::{Author, BlockVersion, ContextBlock};
use similar::TextDiff;

/// Lines of a diff around a change.
const DIFF_RADIUS: usize = 3;

/// Stores a block for the first time, with what it held before as version 0.
pub(super) async fn begin(
    tx: &mut WriteTx,
    (session, label): (Option<&str>, &str),
    content: &str,
    author: &Author,
    now: i64,
) -> Result<BlockRow, DbError> {
    let row = blocks::insert(tx, session, label, now, content).await.map_err(|e| tx.error(e))?;
    blocks::insert_version(tx, &row, &written(author)).await.map_err(|e| tx.error(e))?;
    Ok(row)
}

/// Makes `content` the next version of a block.
pub(super) async fn record(
    tx: &mut WriteTx,
    row: &mut BlockRow,
    content: String,
    author: &Author,
    now: i64,
) -> Result<(), DbError> {
    row.version = row.version.saturating_add(1);
    row.updated_at = now;
    row.content = content;
    blocks::update(tx, row).await.map_err(|e| tx.error(e))?;
    blocks::insert_version(tx, row, &written(author)).await.map_err(|e| tx.error(e))?;
    let keep = stored(BLOCK_VERSIONS_MAX as u64);
    blocks::prune_versions(tx, row, keep).await.map_err(|e| tx.error(e))
}

pub(super) fn written(author: &Author) -> String {
    serde_json::to_string(author).unwrap_or_default()
}

pub(super) fn version_of(
    label: &str,
    row: &VersionRow,
    content: Option<String>,
) -> Result<BlockVersion, ContextError> {
    let version = counted(row.version);
    let broken = |error: serde_json::Error| ContextError::Broken {
        label: label.to_owned(),
        version,
        reason: error.to_string(),
    };
    let author = serde_json::from_str(&row.author).map_err(broken)?;
    Ok(BlockVersion { version, author, written_at: counted(row.written_at), content })
}

impl Context {
    /// The versions of a block before `before`, or the newest ones, newest first and without their texts. Empty for a
    /// block that was never written, and for one that is no text.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`].
    pub async fn history(
        &self,
        label: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<BlockVersion>, ContextError> {
        let Some(row) = self.row(label).await? else { return Ok(Vec::new()) };
        let before = before.map_or(i64::MAX, stored);
        let limit = stored(limit.clamp(1, BLOCK_VERSION_PAGE_MAX) as u64);
        let mut tx = self.session.shared().db.read().await?;
        let rows = blocks::versions(&mut tx, row.id, before, limit).await.map_err(|e| tx.error(e))?;
        rows.iter().map(|row| version_of(label, row, None)).collect()
    }

    /// One version with its text.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`], [`ContextError::UnknownVersion`].
    pub async fn version(&self, label: &str, version: u64) -> Result<BlockVersion, ContextError> {
        let unknown = || ContextError::UnknownVersion { label: label.to_owned(), version };
        let row = self.row(label).await?.ok_or_else(unknown)?;
        let mut tx = self.session.shared().db.read().await?;
        let found = blocks::version(&mut tx, row.id, stored(version)).await.map_err(|e| tx.error(e))?;
        let (row, content) = found.ok_or_else(unknown)?;
        version_of(label, &row, Some(content))
    }

    /// How a block changed from one version to another, as a unified diff; empty where it did not.
    ///
    /// # Errors
    /// As [`Context::version`].
    pub async fn diff(&self, label: &str, from: u64, to: u64) -> Result<String, ContextError> {
        let old = self.version(label, from).await?.content.unwrap_or_default();
        let new = self.version(label, to).await?.content.unwrap_or_default();
        let (from, to) = (format!("{label}@{from}"), format!("{label}@{to}"));
        let diff = TextDiff::from_lines(&old, &new);
        Ok(diff.unified_diff().context_radius(DIFF_RADIUS).header(&from, &to).to_string())
    }

    /// Writes the text of an earlier version again, as a new version.
    ///
    /// # Errors
    /// As [`Context::version`] and [`Context::replace`].
    pub async fn restore(
        &self,
        label: &str,
        version: u64,
        change: &Change,
    ) -> Result<ContextBlock, ContextError> {
        let content = self.version(label, version).await?.content.unwrap_or_default();
        self.replace(label, &content, change).await
    }

    /// What the file holds of a text block.
    async fn row(&self, label: &str) -> Result<Option<BlockRow>, ContextError> {
        let view = self.view().await?;
        let session = match &view.find(label)?.provider {
            Provider::Stored { owner, .. } => self.session_of(*owner),
            Provider::Writable(_) => None,
            Provider::StoredEntries { .. }
            | Provider::Readonly(_)
            | Provider::Skills(_)
            | Provider::WritableSkills(_)
            | Provider::Search(_)
            | Provider::WritableSearch(_) => return Ok(None),
        };
        let mut tx = self.session.shared().db.read().await?;
        blocks::find(&mut tx, session, label).await.map_err(|e| tx.error(e).into())
    }
}
