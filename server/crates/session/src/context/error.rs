//! What can be wrong with a request to a block. The sentences are read by people and by the model.

use crate::error::SessionError;
use db::DbError;
use protocol::ContextBlock;
use protocol::limits::{
    BLOCK_DESCRIPTION_MAX_CHARS, BLOCK_LABEL_MAX_BYTES, BLOCKS_MAX, ENTRY_KEY_MAX_BYTES, SEARCH_ENTRIES_MAX,
};

/// What went wrong in a provider.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why something could not be done to a block. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The session, or the file.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// No block has this label.
    #[error("Block \"{0}\" not found")]
    UnknownBlock(String),
    /// Only people who change the agent's definition may change this block.
    #[error("Block \"{0}\" is readonly")]
    Readonly(String),
    /// The block is made of entries.
    #[error("Block \"{0}\" is made of entries; write one entry by its key")]
    MadeOfEntries(String),
    /// The block is one text.
    #[error("Block \"{0}\" is one text and has no entries")]
    NotMadeOfEntries(String),
    /// The block would be larger than its own limit.
    #[error("Block \"{label}\" exceeds maxTokens: {tokens} > {max_tokens}")]
    Full {
        /// The block.
        label: String,
        /// The estimated size it would have.
        tokens: u64,
        /// Its limit.
        max_tokens: u64,
    },
    /// The text is larger than any block or entry may be.
    #[error("Block \"{label}\" takes at most {max} bytes at once; this is {bytes}")]
    TooLarge {
        /// The block.
        label: String,
        /// The size it would have.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The block has too many entries.
    #[error("Block \"{0}\" has {SEARCH_ENTRIES_MAX} entries and takes no more")]
    TooManyEntries(String),
    /// Somebody else changed the block meanwhile.
    #[error("Block \"{}\" was changed meanwhile: it is at version {}, not {expected}", .current.label, .current.version)]
    Conflict {
        /// The version that was to be changed.
        expected: u64,
        /// The block as it is now.
        current: Box<ContextBlock>,
    },
    /// The block has no such version, or does not have it any more.
    #[error("Block \"{label}\" has no version {version}")]
    UnknownVersion {
        /// The block.
        label: String,
        /// The version asked for.
        version: u64,
    },
    /// There is a block with this label, maybe in other letters of the same name.
    #[error("Block \"{0}\" already exists")]
    Exists(String),
    /// A text that cannot be a label.
    #[error(
        "a block's label has 1 to {BLOCK_LABEL_MAX_BYTES} bytes, no control characters, and no blanks at its ends; \
         {0:?} cannot be one"
    )]
    InvalidLabel(String),
    /// A description that is too long.
    #[error(
        "a block's description has at most {BLOCK_DESCRIPTION_MAX_CHARS} characters; that of {0:?} has more"
    )]
    LongDescription(String),
    /// Too many blocks.
    #[error("there are at most {BLOCKS_MAX} blocks")]
    TooManyBlocks,
    /// A text that cannot name an entry.
    #[error(
        "an entry's key has 1 to {ENTRY_KEY_MAX_BYTES} bytes, no control characters, and in a block of skills no colon \
         before a blank; {0:?} cannot be one"
    )]
    InvalidKey(String),
    /// The provider of the block failed.
    #[error("{source}")]
    Provider {
        /// The block.
        label: String,
        /// What it said.
        source: BoxError,
    },
    /// A stored version does not say who wrote it.
    #[error("version {version} of block \"{label}\" cannot be read: {reason}")]
    Broken {
        /// The block.
        label: String,
        /// The version.
        version: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl From<DbError> for ContextError {
    fn from(error: DbError) -> Self {
        Self::Session(SessionError::Db(error))
    }
}

impl ContextError {
    /// Names the block whose provider failed.
    pub(crate) fn provider(label: &str) -> impl FnOnce(BoxError) -> Self + '_ {
        move |source| Self::Provider { label: label.to_owned(), source }
    }
}
