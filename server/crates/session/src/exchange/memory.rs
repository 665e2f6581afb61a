//! Taking over what a session, or the agent, remembers, row by row. Whatever limits a write limits this too, in the same
//! words; what does not keep to it is left out and named.

use super::format::{Change, Entry, EntryVersion, Memory, Version, WholeBlock};
use super::original::Problems;
use crate::context::{BlockOptions, BlockSpec, ContextConfig, ContextError, check_key, fits, without_nul};
use crate::store::{counted, entries, exchange as store, stored};
use db::{DbError, WriteTx};
use protocol::Author;
use protocol::limits::{
    BLOCK_MAX_BYTES, BLOCK_VERSIONS_MAX, BLOCKS_MAX, ENTRY_MAX_BYTES, SEARCH_ENTRIES_MAX,
};
use serde::Deserialize;
use serde_json::Value;
use sqlx::types::Json;
use std::sync::Arc;

/// The greatest number of a version: the next one must have a number too, and JSON one to tell it by.
const NUMBER_MAX: i64 = (1 << 53) - 1;

/// One row of what is remembered. The versions of a block come right behind it.
#[derive(Debug)]
pub(super) enum Piece {
    Change(Change),
    Block(WholeBlock),
    Version(Version),
    Entry(Entry),
    EntryVersion(EntryVersion),
}

impl Piece {
    /// The rows, a change of the list before the block it is about.
    pub(super) fn all(memory: Memory) -> impl Iterator<Item = Self> {
        let Memory { blocks, block_changes, entries, entry_versions } = memory;
        let blocks = blocks.into_iter().flat_map(|mut block| {
            let mut versions = std::mem::take(&mut block.versions);
            versions.sort_by_key(|version| version.version);
            let too_many = versions.len().saturating_sub(BLOCK_VERSIONS_MAX);
            let last = versions.last().map_or(0, |version| version.version);
            // The next version gets the number behind.
            block.version = block.version.max(last);
            std::iter::once(Self::Block(block)).chain(versions.into_iter().skip(too_many).map(Self::Version))
        });
        let entries = entries.into_iter().map(Self::Entry);
        let versions = entry_versions.into_iter().map(Self::EntryVersion);
        block_changes.into_iter().map(Self::Change).chain(blocks).chain(entries).chain(versions)
    }

    /// What its text takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Change(_) => 0,
            Self::Block(block) => block.content.len(),
            Self::Version(version) => version.content.len(),
            Self::Entry(entry) => entry.content.len(),
            Self::EntryVersion(version) => version.content.len(),
        }
    }
}

/// Whose rows they become.
#[derive(Debug)]
pub(super) enum Owner {
    Session(String),
    /// The agent. A block stands in a session that nobody sees until it has all its versions.
    Agent {
        meanwhile: String,
    },
}

/// Taking over rows.
#[derive(Debug)]
pub(super) struct Remembering {
    owner: Owner,
    /// The blocks as the agent defines them, and as the file does.
    known: ContextConfig,
    /// The block whose versions come now, where it was taken.
    block: Option<(i64, String)>,
    problems: Problems,
}

impl Remembering {
    pub(super) fn new(owner: Owner, known: &ContextConfig) -> Self {
        Self { owner, known: known.clone(), block: None, problems: Problems::default() }
    }

    /// The session has another id now.
    pub(super) fn move_to(&mut self, session: &str) {
        if let Owner::Session(id) = &mut self.owner
            && id != session
        {
            session.clone_into(id);
        }
    }

    fn session(&self) -> Option<&str> {
        match &self.owner {
            Owner::Session(id) => Some(id),
            Owner::Agent { .. } => None,
        }
    }

    /// Takes one row.
    pub(super) async fn take(&mut self, tx: &mut WriteTx, piece: Piece) -> Result<(), DbError> {
        match piece {
            Piece::Version(version) => self.take_version(tx, version).await,
            Piece::Block(block) => {
                self.finish_block(tx).await?;
                self.take_block(tx, block).await
            }
            Piece::Change(change) => self.take_change(tx, change).await,
            Piece::Entry(entry) => {
                self.finish_block(tx).await?;
                self.take_entry(tx, entry).await
            }
            Piece::EntryVersion(version) => {
                self.finish_block(tx).await?;
                self.take_entry_version(tx, version).await
            }
        }
    }

    /// Says what was left out, once all rows have come.
    pub(super) async fn end(mut self, tx: &mut WriteTx) -> Result<Problems, DbError> {
        self.finish_block(tx).await?;
        Ok(self.problems)
    }

    fn leave_out(&mut self, what: &str, name: &str, why: &str) {
        self.problems.add(format!("{what} {name:?} was left out: {why}"));
    }

    /// A text is kept though nobody knows who wrote it.
    fn know(&mut self, author: &mut Json<Value>, what: impl Fn() -> String) {
        if let Err(_unknown) = Author::deserialize(&author.0) {
            self.problems.add(format!("nobody knows who wrote {}", what()));
            author.0 = serde_json::to_value(Author::Outside).unwrap_or_default();
        }
    }

    /// Adds a block to the list, or takes one off it.
    async fn take_change(&mut self, tx: &mut WriteTx, mut change: Change) -> Result<(), DbError> {
        let options = BlockOptions {
            description: change.description.take(),
            max_tokens: change.max_tokens.map(counted),
            ..BlockOptions::default()
        };
        let spec = match BlockSpec::new(&change.label, options.clone()) {
            Ok(spec) => spec,
            Err(error) => {
                self.leave_out("block", &change.label, &error.to_string());
                return Ok(());
            }
        };
        if store::count_changes(tx, self.session()).await.map_err(|e| tx.error(e))?
            >= stored(BLOCKS_MAX as u64)
        {
            self.leave_out("block", &change.label, &ContextError::TooManyBlocks.to_string());
            return Ok(());
        }
        if !change.is_removed
            && let Ok(known) = self.known.clone().with_context(&change.label, options)
        {
            self.known = known;
        }
        (change.description, change.max_tokens) = (spec.description, spec.max_tokens.map(stored));
        store::insert_change(tx, self.session(), &change).await.map_err(|e| tx.error(e))
    }

    async fn take_block(&mut self, tx: &mut WriteTx, mut block: WholeBlock) -> Result<(), DbError> {
        block.content = without_nul(block.content);
        if let Err(why) = self.check_block(&block) {
            self.leave_out("block", &block.label, &why);
            return Ok(());
        }
        let is_taken = store::has_block(tx, self.session(), &block.label).await.map_err(|e| tx.error(e))?;
        let owner = match &self.owner {
            Owner::Session(id) => id,
            Owner::Agent { meanwhile } => meanwhile,
        };
        let number = if is_taken {
            None
        } else {
            store::insert_block(tx, Some(owner), &block).await.map_err(|e| tx.error(e))?
        };
        match number {
            Some(number) => self.block = Some((number, block.label)),
            None => self.leave_out("block", &block.label, "there is one already"),
        }
        Ok(())
    }

    fn check_block(&self, block: &WholeBlock) -> Result<(), String> {
        let words = |error: ContextError| error.to_string();
        let spec = BlockSpec::new(&block.label, BlockOptions::default()).map_err(words)?;
        let known = self.known.blocks().iter().find(|known| known.label == block.label);
        fits(known.unwrap_or(&Arc::new(spec)), &block.content, BLOCK_MAX_BYTES).map_err(words)?;
        check_number(block.version)
    }

    async fn take_version(&mut self, tx: &mut WriteTx, mut version: Version) -> Result<(), DbError> {
        let Some((number, label)) = self.block.clone() else { return Ok(()) };
        version.content = without_nul(version.content);
        if let Err(why) = check_text(&label, &version.content, BLOCK_MAX_BYTES, version.version) {
            self.leave_out(&format!("version {} of block", version.version), &label, &why);
            return Ok(());
        }
        self.know(&mut version.author, || format!("version {} of block {label:?}", version.version));
        store::insert_version(tx, number, &version).await.map_err(|e| tx.error(e))
    }

    /// Gives the agent a block that is whole now.
    async fn finish_block(&mut self, tx: &mut WriteTx) -> Result<(), DbError> {
        let Some((number, label)) = self.block.take() else { return Ok(()) };
        if matches!(self.owner, Owner::Session(_)) {
            return Ok(());
        }
        if !store::give_to_agent(tx, number).await.map_err(|e| tx.error(e))? {
            self.leave_out("block", &label, "there is one already");
        }
        Ok(())
    }

    async fn take_entry(&mut self, tx: &mut WriteTx, mut entry: Entry) -> Result<(), DbError> {
        entry.content = without_nul(entry.content);
        let checked = check_entry(&entry.label, &entry.key, &entry.content, /* version */ 0);
        if let Err(why) = checked {
            self.leave_out("entry", &entry.key, &why);
            return Ok(());
        }
        let count = entries::count(tx, self.session(), &entry.label).await.map_err(|e| tx.error(e))?;
        if count >= stored(SEARCH_ENTRIES_MAX as u64) {
            self.leave_out("entry", &entry.key, &ContextError::TooManyEntries(entry.label).to_string());
            return Ok(());
        }
        store::insert_entry(tx, self.session(), &entry).await.map_err(|e| tx.error(e))
    }

    async fn take_entry_version(&mut self, tx: &mut WriteTx, mut row: EntryVersion) -> Result<(), DbError> {
        row.content = without_nul(row.content);
        if let Err(why) = check_entry(&row.label, &row.key, &row.content, row.version) {
            self.leave_out(&format!("version {} of entry", row.version), &row.key, &why);
            return Ok(());
        }
        self.know(&mut row.author, || format!("version {} of entry {:?}", row.version, row.key));
        store::insert_entry_version(tx, self.session(), &row).await.map_err(|e| tx.error(e))
    }
}

fn check_number(version: i64) -> Result<(), String> {
    if (0..=NUMBER_MAX).contains(&version) { Ok(()) } else { Err(format!("{version} is no version")) }
}

fn check_text(label: &str, content: &str, max: usize, version: i64) -> Result<(), String> {
    if content.len() > max {
        let too_large = ContextError::TooLarge { label: label.to_owned(), bytes: content.len(), max };
        return Err(too_large.to_string());
    }
    check_number(version)
}

fn check_entry(label: &str, key: &str, content: &str, version: i64) -> Result<(), String> {
    let words = |error: ContextError| error.to_string();
    let _spec = BlockSpec::new(label, BlockOptions::default()).map_err(words)?;
    check_key(key).map_err(words)?;
    check_text(label, content, ENTRY_MAX_BYTES, version)
}
