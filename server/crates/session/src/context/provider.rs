//! Where the content of a block comes from: one trait for each thing a block can do, and one enum that says which of
//! them a block has. Nothing is guessed from an object's methods.

use super::error::BoxError;
use super::text::FixedText;
use async_trait::async_trait;
use protocol::{BlockKind, BlockScope};
use std::fmt::Debug;
use std::sync::Arc;

/// A block that can be read.
#[async_trait]
pub trait ReadContext: Debug + Send + Sync {
    /// Called with the block's label before each reading.
    ///
    /// # Errors
    /// Whatever keeps the provider from being ready.
    async fn init(&self, label: &str) -> Result<(), BoxError> {
        let _ = label;
        Ok(())
    }

    /// The text of the block; for a block made of entries, the list of them or what there is to know about them.
    ///
    /// # Errors
    /// Whatever keeps it from being read.
    async fn get(&self) -> Result<Option<String>, BoxError>;

    /// What of this provider belongs to the agent's definition: a frozen prompt made with another one is made again.
    fn fingerprint(&self) -> Option<String> {
        None
    }
}

/// A block that is one text and can be written.
#[async_trait]
pub trait WriteContext: ReadContext {
    /// Replaces the text.
    ///
    /// # Errors
    /// Whatever keeps it from being written; the old text is still there then.
    async fn set(&self, content: &str) -> Result<(), BoxError>;
}

/// A block of entries that are read one by one.
#[async_trait]
pub trait SkillContext: ReadContext {
    /// One entry; none where there is no such key.
    ///
    /// # Errors
    /// Whatever keeps it from being read.
    async fn load(&self, key: &str) -> Result<Option<String>, BoxError>;
}

/// A block of skills that can be written.
#[async_trait]
pub trait WriteSkills: SkillContext {
    /// Writes one entry.
    ///
    /// # Errors
    /// Whatever keeps it from being written.
    async fn set(&self, key: &str, content: &str, description: Option<&str>) -> Result<(), BoxError>;
}

/// A block of entries that are searched.
#[async_trait]
pub trait SearchContext: ReadContext {
    /// What there is about `query`, as text for the model; none where there is nothing.
    ///
    /// # Errors
    /// Whatever keeps it from being searched.
    async fn search(&self, query: &str) -> Result<Option<String>, BoxError>;
}

/// A searchable block that can be written.
#[async_trait]
pub trait WriteSearch: SearchContext {
    /// Writes one entry.
    ///
    /// # Errors
    /// Whatever keeps it from being written.
    async fn set(&self, key: &str, content: &str) -> Result<(), BoxError>;
}

/// Whose the rows of a stored block are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Each session has its own.
    #[default]
    Session,
    /// All sessions of the agent share them.
    Agent,
}

impl From<Owner> for BlockScope {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Session => Self::Session,
            Owner::Agent => Self::Agent,
        }
    }
}

/// Where a block comes from and what can be done with it.
#[derive(Debug, Clone)]
pub enum Provider {
    /// A writable text in the agent's file.
    Stored {
        /// Whose it is.
        owner: Owner,
        /// What it holds until it is written for the first time.
        initial: String,
    },
    /// Searchable entries in the agent's file.
    StoredEntries {
        /// Whose they are.
        owner: Owner,
    },
    /// A text that nobody can change here.
    Readonly(Arc<dyn ReadContext>),
    /// A text.
    Writable(Arc<dyn WriteContext>),
    /// Entries that are read one by one.
    Skills(Arc<dyn SkillContext>),
    /// Such entries, and the model may write them.
    WritableSkills(Arc<dyn WriteSkills>),
    /// Entries that are searched.
    Search(Arc<dyn SearchContext>),
    /// Such entries, and the model may write them.
    WritableSearch(Arc<dyn WriteSearch>),
}

impl Default for Provider {
    /// A writable text that belongs to the session.
    fn default() -> Self {
        Self::stored(Owner::Session)
    }
}

impl Provider {
    /// A writable text in the agent's file, empty at first.
    pub fn stored(owner: Owner) -> Self {
        Self::Stored { owner, initial: String::new() }
    }

    /// A text that never changes.
    pub fn fixed(text: impl Into<String>) -> Self {
        Self::Readonly(Arc::new(FixedText::new(text)))
    }

    pub(crate) fn kind(&self) -> BlockKind {
        match self {
            Self::Stored { .. } | Self::Readonly(_) | Self::Writable(_) => BlockKind::Text,
            Self::Skills(_) | Self::WritableSkills(_) => BlockKind::Skills,
            Self::StoredEntries { .. } | Self::Search(_) | Self::WritableSearch(_) => BlockKind::Search,
        }
    }

    pub(crate) fn is_writable(&self) -> bool {
        match self {
            Self::Readonly(_) | Self::Skills(_) | Self::Search(_) => false,
            Self::Stored { .. }
            | Self::StoredEntries { .. }
            | Self::Writable(_)
            | Self::WritableSkills(_)
            | Self::WritableSearch(_) => true,
        }
    }

    pub(crate) fn scope(&self) -> BlockScope {
        match self {
            Self::Stored { owner, .. } | Self::StoredEntries { owner } => (*owner).into(),
            Self::Readonly(_)
            | Self::Writable(_)
            | Self::Skills(_)
            | Self::WritableSkills(_)
            | Self::Search(_)
            | Self::WritableSearch(_) => BlockScope::Outside,
        }
    }

    /// What can be read, where it is not in the agent's file.
    pub(crate) fn reader(&self) -> Option<Arc<dyn ReadContext>> {
        Some(match self {
            Self::Stored { .. } | Self::StoredEntries { .. } => return None,
            Self::Readonly(provider) => Arc::clone(provider),
            Self::Writable(provider) => Arc::<dyn WriteContext>::clone(provider),
            Self::Skills(provider) => Arc::<dyn SkillContext>::clone(provider),
            Self::WritableSkills(provider) => Arc::<dyn WriteSkills>::clone(provider),
            Self::Search(provider) => Arc::<dyn SearchContext>::clone(provider),
            Self::WritableSearch(provider) => Arc::<dyn WriteSearch>::clone(provider),
        })
    }

    /// What of it belongs to the agent's definition.
    pub(crate) fn fingerprint(&self) -> String {
        let inner = match self {
            Self::Stored { initial, .. } => Some(initial.clone()),
            Self::StoredEntries { .. } => None,
            Self::Readonly(_)
            | Self::Writable(_)
            | Self::Skills(_)
            | Self::WritableSkills(_)
            | Self::Search(_)
            | Self::WritableSearch(_) => self.reader().and_then(|reader| reader.fingerprint()),
        };
        let kind = match self.kind() {
            BlockKind::Text => "text",
            BlockKind::Skills => "skills",
            BlockKind::Search => "search",
        };
        let scope = match self.scope() {
            BlockScope::Agent => "agent",
            BlockScope::Session => "session",
            BlockScope::Outside => "outside",
        };
        format!("{kind} {scope} {} {}", self.is_writable(), inner.unwrap_or_default())
    }
}
