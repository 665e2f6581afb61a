//! Reading blocks: which there are, and what they hold.

use super::config::{BlockOptions, BlockSpec, ContextConfig};
use super::entries::StoredEntries;
use super::error::ContextError;
use super::provider::{Owner, Provider, ReadContext, SearchContext};
use super::{Context, write};
use crate::append::open_tip;
use crate::manager::SessionManager;
use crate::store::blocks::{self, BlockRow, ChangeRow};
use crate::store::{counted, entries, entry_versions, stored};
use crate::tokens::estimate_text;
use protocol::limits::BLOCKS_MAX;
use protocol::{BlockKind, BlockOrigin, BlockScope, ContextBlock, SessionId};
use std::sync::Arc;

/// The blocks there are, and what the file holds of them, at one moment.
#[derive(Debug)]
pub(super) struct View {
    pub(super) specs: Vec<Arc<BlockSpec>>,
    rows: Vec<BlockRow>,
}

impl View {
    /// The block with this label.
    pub(super) fn find(&self, label: &str) -> Result<&Arc<BlockSpec>, ContextError> {
        let found = self.specs.iter().find(|spec| spec.label == label);
        found.ok_or_else(|| ContextError::UnknownBlock(label.to_owned()))
    }

    fn row(&self, session: Option<&str>, label: &str) -> Option<&BlockRow> {
        self.rows.iter().find(|row| row.label == label && row.session_id.as_deref() == session)
    }
}

impl Context {
    /// All blocks, in the order the model reads them. One that cannot be read says so and hides no other.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn blocks(&self) -> Result<Vec<ContextBlock>, ContextError> {
        let view = self.view().await?;
        let mut blocks = Vec::with_capacity(view.specs.len());
        for spec in &view.specs {
            blocks.push(match self.load(spec, &view).await {
                Err(ContextError::Provider { source, .. }) => {
                    let problem = Some(source.to_string());
                    ContextBlock { problem, ..show(spec, String::new(), 0, None) }
                }
                read => read?,
            });
        }
        Ok(blocks)
    }

    /// Whether there is no block at all, configured or added: then there is no prompt to freeze.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn is_empty(&self) -> Result<bool, ContextError> {
        Ok(self.view().await?.specs.is_empty())
    }

    /// All blocks, or the first one that cannot be read: a prompt has everything or is not made.
    pub(super) async fn whole(&self) -> Result<Vec<ContextBlock>, ContextError> {
        let view = self.view().await?;
        let mut blocks = Vec::with_capacity(view.specs.len());
        for spec in &view.specs {
            blocks.push(self.load(spec, &view).await?);
        }
        Ok(blocks)
    }

    /// One block; none where no block has this label.
    ///
    /// # Errors
    /// [`ContextError::Provider`] where it cannot be read.
    pub async fn block(&self, label: &str) -> Result<Option<ContextBlock>, ContextError> {
        let view = self.view().await?;
        match view.find(label) {
            Ok(spec) => self.load(spec, &view).await.map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Adds a stored text block after those there are, for this session or for all of the agent. What an earlier
    /// block of this label held is there again, and a configured block that was removed comes back as it was
    /// configured. The frozen prompt does not change.
    ///
    /// For a block with a provider, extend the [`ContextConfig`] instead: providers live in code, not in the file.
    ///
    /// # Errors
    /// [`ContextError::Exists`] and what [`ContextConfig::with_context`] refuses; [`ContextError::Readonly`] where
    /// `options` names a provider that is not a stored text.
    pub async fn add_block(&self, label: &str, options: BlockOptions) -> Result<ContextBlock, ContextError> {
        let spec = BlockSpec::new(label, options)?;
        let Provider::Stored { owner, .. } = &spec.provider else {
            return Err(ContextError::Readonly(label.to_owned()));
        };
        let view = self.view().await?;
        if view.specs.iter().any(|other| other.is_called(label)) {
            return Err(ContextError::Exists(label.to_owned()));
        }
        if view.specs.len() >= BLOCKS_MAX {
            return Err(ContextError::TooManyBlocks);
        }
        let change = ChangeRow {
            session_id: self.session_of(*owner).map(str::to_owned),
            label: label.to_owned(),
            is_removed: false,
            description: spec.description,
            max_tokens: spec.max_tokens.map(stored),
        };
        let is_configured = self.config.blocks().iter().any(|other| other.label == label);
        self.change_list(label, Some(&change).filter(|_| !is_configured)).await?;
        self.block(label).await?.ok_or_else(|| ContextError::UnknownBlock(label.to_owned()))
    }

    /// Takes a block off the list; whether there was one. What it holds stays stored, and neither the frozen prompt
    /// nor the conversation changes.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn remove_block(&self, label: &str) -> Result<bool, ContextError> {
        let view = self.view().await?;
        let Ok(spec) = view.find(label) else { return Ok(false) };
        let session_id = match spec.provider.scope() {
            BlockScope::Agent => None,
            BlockScope::Session | BlockScope::Outside => Some(self.session.id().to_string()),
        };
        let change = ChangeRow {
            session_id,
            label: label.to_owned(),
            is_removed: true,
            description: None,
            max_tokens: None,
        };
        // What was added is simply no longer added.
        self.change_list(label, Some(&change).filter(|_| spec.origin == BlockOrigin::Configured)).await?;
        Ok(true)
    }

    /// Puts a change of the list in the place of earlier ones of the same label; without a change, those are undone
    /// and no more.
    async fn change_list(&self, label: &str, change: Option<&ChangeRow>) -> Result<(), ContextError> {
        let shared = self.session.shared();
        let mut tx = shared.db.write().await?;
        for session in [None, Some(self.session.id().as_str())] {
            let deleted = blocks::delete_change(&mut tx, session, label).await;
            let _was_there = deleted.map_err(|e| tx.error(e))?;
        }
        if let Some(change) = change {
            if change.session_id.is_some() {
                let _tip = open_tip(&mut tx, self.session.id(), shared.now()).await?;
            }
            blocks::insert_change(&mut tx, change).await.map_err(|e| tx.error(e))?;
        }
        Ok(tx.commit().await?)
    }

    pub(super) async fn view(&self) -> Result<View, ContextError> {
        let session = self.session.id().as_str();
        let mut tx = self.session.shared().db.read().await?;
        let changes = blocks::changes(&mut tx, session).await.map_err(|e| tx.error(e))?;
        let rows = blocks::visible(&mut tx, session).await.map_err(|e| tx.error(e))?;
        Ok(View { specs: specs(&self.config, &changes), rows })
    }

    pub(super) async fn load(&self, spec: &BlockSpec, view: &View) -> Result<ContextBlock, ContextError> {
        if let Provider::Stored { owner, initial } = &spec.provider {
            let row = view.row(self.session_of(*owner), &spec.label);
            return Ok(row.map_or_else(
                || show(spec, initial.clone(), 0, None),
                |row| show(spec, row.content.clone(), row.version, Some(row.updated_at)),
            ));
        }
        let content = self.read(spec).await?;
        if spec.provider.kind() != BlockKind::Text || !spec.provider.is_writable() {
            return Ok(show(spec, content, 0, None));
        }
        let seen = write::seen(view.row(None, &spec.label), &content);
        Ok(show(spec, content, seen.version, seen.updated_at))
    }

    /// Asks the provider of a block that is not a stored text.
    pub(super) async fn read(&self, spec: &BlockSpec) -> Result<String, ContextError> {
        let Some(reader) = self.reader(spec) else { return Ok(String::new()) };
        let failed = |source| ContextError::Provider { label: spec.label.clone(), source };
        reader.init(&spec.label).await.map_err(failed)?;
        Ok(reader.get().await.map_err(failed)?.unwrap_or_default())
    }

    fn reader(&self, spec: &BlockSpec) -> Option<Arc<dyn ReadContext>> {
        match &spec.provider {
            Provider::StoredEntries { owner } => Some(Arc::new(self.entries(*owner, &spec.label))),
            Provider::Stored { .. }
            | Provider::Readonly(_)
            | Provider::Writable(_)
            | Provider::Skills(_)
            | Provider::WritableSkills(_)
            | Provider::Search(_)
            | Provider::WritableSearch(_) => spec.provider.reader(),
        }
    }

    /// What can be searched.
    pub(super) fn searcher(&self, spec: &BlockSpec) -> Option<Arc<dyn SearchContext>> {
        match &spec.provider {
            Provider::StoredEntries { owner } => Some(Arc::new(self.entries(*owner, &spec.label))),
            Provider::Search(provider) => Some(Arc::clone(provider)),
            Provider::WritableSearch(provider) => {
                Some(Arc::<dyn super::provider::WriteSearch>::clone(provider))
            }
            Provider::Stored { .. }
            | Provider::Readonly(_)
            | Provider::Writable(_)
            | Provider::Skills(_)
            | Provider::WritableSkills(_) => None,
        }
    }

    pub(super) fn entries(&self, owner: Owner, label: &str) -> StoredEntries {
        StoredEntries::new(&self.session, owner, label)
    }

    /// The column that tells whose a row is.
    pub(super) fn session_of(&self, owner: Owner) -> Option<&str> {
        match owner {
            Owner::Session => Some(self.session.id().as_str()),
            Owner::Agent => None,
        }
    }
}

impl SessionManager {
    /// Gives session `to`, which must have none of its own, the blocks and entries of session `from` as they are
    /// now, with their versions: what a fork begins with.
    ///
    /// # Errors
    /// Only what the file can meet; where `to` has blocks already, nothing changes.
    pub async fn copy_context(&self, from: &SessionId, to: &SessionId) -> Result<(), ContextError> {
        let mut tx = self.shared().db.write().await?;
        blocks::copy(&mut tx, from.as_str(), to.as_str()).await.map_err(|e| tx.error(e))?;
        entries::copy(&mut tx, from.as_str(), to.as_str()).await.map_err(|e| tx.error(e))?;
        entry_versions::copy(&mut tx, from.as_str(), to.as_str()).await.map_err(|e| tx.error(e))?;
        Ok(tx.commit().await?)
    }
}

/// The configured blocks that were not removed, then those that were added.
fn specs(config: &ContextConfig, changes: &[ChangeRow]) -> Vec<Arc<BlockSpec>> {
    let is_removed = |label: &str| changes.iter().any(|change| change.is_removed && change.label == label);
    let kept = config.blocks().iter().filter(|block| !is_removed(&block.label));
    let mut specs: Vec<Arc<BlockSpec>> = kept.cloned().collect();
    for change in changes.iter().filter(|change| !change.is_removed) {
        if !specs.iter().any(|spec| spec.is_called(&change.label)) {
            specs.push(Arc::new(added(change)));
        }
    }
    specs
}

fn added(change: &ChangeRow) -> BlockSpec {
    let owner = if change.session_id.is_some() { Owner::Session } else { Owner::Agent };
    BlockSpec {
        label: change.label.clone(),
        description: change.description.clone(),
        max_tokens: change.max_tokens.map(counted),
        provider: Provider::stored(owner),
        origin: BlockOrigin::Added,
    }
}

/// A block with its content.
pub(super) fn show(spec: &BlockSpec, content: String, version: i64, updated_at: Option<i64>) -> ContextBlock {
    ContextBlock {
        label: spec.label.clone(),
        description: spec.description.clone(),
        tokens: estimate_text(&content),
        content,
        max_tokens: spec.max_tokens,
        kind: spec.provider.kind(),
        is_writable: spec.provider.is_writable(),
        scope: spec.provider.scope(),
        version: counted(version),
        updated_at: updated_at.map(counted),
        origin: spec.origin,
        problem: None,
    }
}
