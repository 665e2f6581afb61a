//! Writing blocks: limits first, then the provider, then what is remembered of it. A refused write changes nothing.

use super::Context;
use super::config::BlockSpec;
use super::entry_versions::{EntryWrite, record_outside};
use super::error::{BoxError, ContextError};
use super::key::entry_key;
use super::load::show;
use super::provider::{Owner, Provider, WriteContext};
use super::versions::{begin, record};
use crate::append::open_tip;
use crate::store::blocks::{self, BlockRow};
use crate::store::entry_versions::EntryKey;
use crate::tokens::estimate_text;
use protocol::limits::{BLOCK_MAX_BYTES, ENTRY_KEY_MAX_BYTES, ENTRY_MAX_BYTES};
use protocol::{Author, ContextBlock, RequestId};

/// Who changes a block, and which version they saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Who it is.
    pub author: Author,
    /// The version the change was made for; without one, it applies to whatever is there.
    pub expected_version: Option<u64>,
}

impl Change {
    /// A change by a person, made for `version`.
    pub fn by_user(version: Option<u64>) -> Self {
        Self { author: Author::User, expected_version: version }
    }

    /// A change by the model in a turn.
    pub fn by_model(request_id: RequestId) -> Self {
        Self { author: Author::Model { request_id: Some(request_id) }, expected_version: None }
    }
}

/// An entry of a block of skills, or of a searchable block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name; without one, it is made from the title, else from the content.
    pub key: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// What it is about; without one, the title says it.
    pub description: Option<String>,
    /// The text.
    pub content: String,
}

/// How a text changes.
pub(super) enum Edit<'a> {
    Replace(&'a str),
    Append(&'a str),
}

/// A block after a change, and the number of the version before it; its own where nothing changed.
pub(super) struct Edited {
    pub(super) block: ContextBlock,
    pub(super) previous: u64,
}

impl Edited {
    fn unchanged(block: ContextBlock) -> Self {
        Self { previous: block.version, block }
    }

    /// Every change makes one version more.
    fn changed(block: ContextBlock) -> Self {
        Self { previous: block.version.saturating_sub(1), block }
    }
}

impl Edit<'_> {
    /// SQLite's own functions read a text up to the first NUL only, so none is stored.
    fn apply(&self, before: &str) -> String {
        let after = match self {
            Self::Replace(text) => (*text).to_owned(),
            Self::Append(text) if before.is_empty() || text.starts_with('\n') => format!("{before}{text}"),
            Self::Append(text) => format!("{before}\n{text}"),
        };
        without_nul(after)
    }
}

pub(crate) fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// What is known of a text that is not in the agent's file.
pub(super) struct Seen {
    pub(super) version: i64,
    pub(super) updated_at: Option<i64>,
    /// Whether somebody else changed it since it was recorded.
    is_foreign: bool,
}

/// Compares a text with the version recorded last. A foreign change counts as a version of its own.
pub(super) fn seen(row: Option<&BlockRow>, content: &str) -> Seen {
    let Some(row) = row else { return Seen { version: 0, updated_at: None, is_foreign: false } };
    let is_foreign = row.content != content;
    let version = row.version.saturating_add(i64::from(is_foreign));
    Seen { version, updated_at: Some(row.updated_at).filter(|_| !is_foreign), is_foreign }
}

impl Context {
    /// Replaces the text of a block. A text that is there already is no change. Outside the agent's file nothing can be
    /// locked: of two changes at the same moment the later one stands, and both are kept as versions.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`], [`ContextError::Readonly`], [`ContextError::MadeOfEntries`],
    /// [`ContextError::Conflict`], [`ContextError::Full`], [`ContextError::TooLarge`], [`ContextError::Provider`].
    pub async fn replace(
        &self,
        label: &str,
        content: &str,
        change: &Change,
    ) -> Result<ContextBlock, ContextError> {
        Ok(self.edit(label, Edit::Replace(content), change).await?.block)
    }

    /// Adds to the end of a block, on a line of its own.
    ///
    /// # Errors
    /// As [`Context::replace`]; the limits apply to the whole.
    pub async fn append(
        &self,
        label: &str,
        text: &str,
        change: &Change,
    ) -> Result<ContextBlock, ContextError> {
        Ok(self.edit(label, Edit::Append(text), change).await?.block)
    }

    /// Writes one entry of a block made of entries, and gives its key. What it held before is kept as a version, as far
    /// as its provider can tell.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`], [`ContextError::Readonly`], [`ContextError::NotMadeOfEntries`],
    /// [`ContextError::InvalidKey`], [`ContextError::Full`] where the entry, or the list with it, is larger than the
    /// block may be, [`ContextError::TooLarge`], [`ContextError::TooManyEntries`], [`ContextError::Provider`].
    pub async fn set_entry(
        &self,
        label: &str,
        entry: &Entry,
        author: &Author,
    ) -> Result<String, ContextError> {
        let view = self.view().await?;
        let spec = view.find(label)?;
        let content = without_nul(entry.content.clone());
        let key = match &entry.key {
            Some(key) => key.clone(),
            None => entry_key(entry.title.as_deref(), &content),
        };
        check_key(&key)?;
        fits(spec, &content, ENTRY_MAX_BYTES)?;
        let description = entry.description.as_deref().or(entry.title.as_deref());
        let failed = |source: BoxError| failure(label, source);
        let before = match &spec.provider {
            Provider::StoredEntries { owner } => {
                self.entries(*owner, label).put(&key, &content, author).await?;
                return Ok(key);
            }
            Provider::WritableSearch(provider) => {
                provider.set(&key, &content).await.map_err(failed)?;
                None
            }
            Provider::WritableSkills(provider) => {
                // In the list, that is where the description begins.
                if key.contains(": ") {
                    return Err(ContextError::InvalidKey(key));
                }
                self.list_fits(spec, &key, description).await?;
                let before = provider.load(&key).await.map_err(failed)?;
                provider.set(&key, &content, description).await.map_err(failed)?;
                before
            }
            Provider::Stored { .. } | Provider::Writable(_) => {
                return Err(ContextError::NotMadeOfEntries(label.to_owned()));
            }
            Provider::Readonly(_) | Provider::Skills(_) | Provider::Search(_) => {
                return Err(ContextError::Readonly(label.to_owned()));
            }
        };
        let entry = EntryKey { session: None, label, key: &key };
        let write = EntryWrite { entry, author, now: self.session.shared().now() };
        record_outside(&self.session, write, before.as_deref(), &content).await?;
        Ok(key)
    }

    pub(super) async fn edit(
        &self,
        label: &str,
        edit: Edit<'_>,
        change: &Change,
    ) -> Result<Edited, ContextError> {
        let view = self.view().await?;
        let spec = view.find(label)?;
        match &spec.provider {
            Provider::Stored { owner, initial } => {
                self.edit_stored(spec, (*owner, initial), &edit, change).await
            }
            Provider::Writable(provider) => self.edit_outside(spec, provider.as_ref(), &edit, change).await,
            Provider::StoredEntries { .. } | Provider::WritableSkills(_) | Provider::WritableSearch(_) => {
                Err(ContextError::MadeOfEntries(label.to_owned()))
            }
            Provider::Readonly(_) | Provider::Skills(_) | Provider::Search(_) => {
                Err(ContextError::Readonly(label.to_owned()))
            }
        }
    }

    async fn edit_stored(
        &self,
        spec: &BlockSpec,
        (owner, initial): (Owner, &str),
        edit: &Edit<'_>,
        change: &Change,
    ) -> Result<Edited, ContextError> {
        let (shared, session) = (self.session.shared(), self.session_of(owner));
        let mut tx = shared.db.write().await?;
        let found = blocks::find(&mut tx, session, &spec.label).await.map_err(|e| tx.error(e))?;
        let before = match &found {
            Some(row) => show(spec, row.content.clone(), row.version, Some(row.updated_at)),
            None => show(spec, initial.to_owned(), 0, None),
        };
        let content = edit.apply(&before.content);
        if content == before.content {
            expected(&before, change)?;
            return Ok(Edited::unchanged(before));
        }
        let before = checked(spec, before, &content, change)?;
        let mut row = match found {
            Some(row) => row,
            None => {
                if session.is_some() {
                    let _tip = open_tip(&mut tx, self.session.id(), shared.now()).await?;
                }
                let place = (session, spec.label.as_str());
                begin(&mut tx, place, &before.content, &Author::Setup, shared.now()).await?
            }
        };
        record(&mut tx, &mut row, content, &change.author, shared.now()).await?;
        tx.commit().await?;
        Ok(Edited::changed(show(spec, row.content, row.version, Some(row.updated_at))))
    }

    /// Writes through to the provider, then remembers both what was there and what is there now.
    async fn edit_outside(
        &self,
        spec: &BlockSpec,
        provider: &dyn WriteContext,
        edit: &Edit<'_>,
        change: &Change,
    ) -> Result<Edited, ContextError> {
        let (shared, label) = (self.session.shared(), spec.label.as_str());
        let found = self.read(spec).await?;
        let mut tx = shared.db.read().await?;
        let row = blocks::find(&mut tx, None, label).await.map_err(|e| tx.error(e))?;
        drop(tx);
        let known = seen(row.as_ref(), &found);
        let before = show(spec, found, known.version, known.updated_at);
        let content = edit.apply(&before.content);
        if content == before.content {
            expected(&before, change)?;
            return Ok(Edited::unchanged(before));
        }
        let before = checked(spec, before, &content, change)?;
        provider.set(&content).await.map_err(|source| failure(label, source))?;
        let mut tx = shared.db.write().await?;
        let row = blocks::find(&mut tx, None, label).await.map_err(|e| tx.error(e))?;
        let mut row = match row {
            Some(row) => row,
            None => begin(&mut tx, (None, label), &before.content, &Author::Outside, shared.now()).await?,
        };
        if known.is_foreign && row.content != before.content {
            record(&mut tx, &mut row, before.content, &Author::Outside, shared.now()).await?;
        }
        record(&mut tx, &mut row, content, &change.author, shared.now()).await?;
        tx.commit().await?;
        Ok(Edited::changed(show(spec, row.content, row.version, Some(row.updated_at))))
    }

    /// Whether the list of skills still fits its block with one entry more.
    async fn list_fits(
        &self,
        spec: &BlockSpec,
        key: &str,
        description: Option<&str>,
    ) -> Result<(), ContextError> {
        if spec.max_tokens.is_none() {
            return Ok(());
        }
        let list = self.read(spec).await?;
        let line = super::skills::line(key, description);
        let is_listed = |old: &str| old == format!("- {key}") || old.starts_with(&format!("- {key}: "));
        let others = list.lines().filter(|old| !is_listed(old));
        let lines: Vec<&str> = others.chain([line.as_str()]).collect();
        fits(spec, &lines.join("\n"), usize::MAX)
    }
}

fn failure(label: &str, source: BoxError) -> ContextError {
    ContextError::Provider { label: label.to_owned(), source }
}

/// Gives `before` back where `content` may take its place.
fn checked(
    spec: &BlockSpec,
    before: ContextBlock,
    content: &str,
    change: &Change,
) -> Result<ContextBlock, ContextError> {
    expected(&before, change)?;
    fits(spec, content, BLOCK_MAX_BYTES)?;
    Ok(before)
}

fn expected(before: &ContextBlock, change: &Change) -> Result<(), ContextError> {
    match change.expected_version {
        Some(expected) if expected != before.version => {
            Err(ContextError::Conflict { expected, current: Box::new(before.clone()) })
        }
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn fits(spec: &BlockSpec, content: &str, max: usize) -> Result<(), ContextError> {
    let (label, bytes) = (spec.label.clone(), content.len());
    if bytes > max {
        return Err(ContextError::TooLarge { label, bytes, max });
    }
    let Some(max_tokens) = spec.max_tokens else { return Ok(()) };
    let tokens = estimate_text(content);
    if tokens > max_tokens { Err(ContextError::Full { label, tokens, max_tokens }) } else { Ok(()) }
}

pub(crate) fn check_key(key: &str) -> Result<(), ContextError> {
    let is_key = (1..=ENTRY_KEY_MAX_BYTES).contains(&key.len()) && !key.chars().any(char::is_control);
    if is_key { Ok(()) } else { Err(ContextError::InvalidKey(key.to_owned())) }
}
