//! The file that holds conversations outside of a database: what stands in it, read and written by the same types.
//! Described for people in `server/docs/export.md`.

use protocol::Sampling;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;

/// What the file says it is.
pub(crate) const FORMAT: &str = "bough";
/// Its version. A change that an older program would misread makes a new one.
pub(crate) const VERSION: u64 = 1;

/// A session without its messages.
#[derive(Debug, Default, Serialize, Deserialize, FromRow)]
pub(crate) struct Head {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) who: Who,
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) spent: Spent,
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) times: Times,
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) view: View,
}

/// Which session it is.
#[derive(Debug, Default, Serialize, Deserialize, FromRow)]
pub(crate) struct Who {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[sqlx(json(nullable))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sampling: Option<Sampling>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end_reason: Option<String>,
}

/// What it has used.
#[derive(Debug, Default, Serialize, Deserialize, FromRow)]
pub(crate) struct Spent {
    #[serde(default)]
    pub(crate) input_tokens: i64,
    #[serde(default)]
    pub(crate) output_tokens: i64,
    #[serde(default)]
    pub(crate) estimated_cost: f64,
}

/// When what happened to it.
#[derive(Debug, Default, Serialize, Deserialize, FromRow)]
pub(crate) struct Times {
    #[serde(default)]
    pub(crate) created_at: i64,
    #[serde(default)]
    pub(crate) updated_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pinned_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trashed_from: Option<String>,
}

/// What is looked at in it.
#[derive(Debug, Default, Serialize, Deserialize, FromRow)]
pub(crate) struct View {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) active_leaf: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chosen_root: Option<String>,
    #[serde(default)]
    pub(crate) last_seq: i64,
}

/// A message beside what it says.
#[derive(Debug, Clone, Serialize, Deserialize, FromRow)]
pub(crate) struct MessageFields {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<String>,
    #[serde(default)]
    pub(crate) seq: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chosen_child: Option<String>,
    #[serde(default)]
    pub(crate) created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pinned_at: Option<i64>,
    /// The deletion it went with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deletion: Option<i64>,
}

/// A deletion of messages.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct Deletion {
    pub(crate) number: i64,
    pub(crate) head: String,
    pub(crate) deleted_at: i64,
    /// What it did to choices.
    pub(crate) choices: Json<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) leaf_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) leaf_after: Option<String>,
    /// The summaries there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summaries: Option<Json<Vec<String>>>,
}

/// A summary and what it stands for.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct Summary {
    pub(crate) id: String,
    pub(crate) seq: i64,
    pub(crate) from_message: String,
    pub(crate) to_message: String,
    pub(crate) created_at: i64,
    pub(crate) summary: String,
}

/// Everything that is remembered in blocks: of one session, or of all sessions of the agent.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Memory {
    #[serde(default)]
    pub(crate) blocks: Vec<WholeBlock>,
    #[serde(default)]
    pub(crate) block_changes: Vec<Change>,
    #[serde(default)]
    pub(crate) entries: Vec<Entry>,
    #[serde(default)]
    pub(crate) entry_versions: Vec<EntryVersion>,
}

impl Memory {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { blocks, block_changes, entries, entry_versions } = self;
        blocks.is_empty() && block_changes.is_empty() && entries.is_empty() && entry_versions.is_empty()
    }
}

/// A block with its history.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct WholeBlock {
    /// Its row, which is nobody's business outside of the file.
    #[serde(skip)]
    pub(crate) number: i64,
    pub(crate) label: String,
    pub(crate) version: i64,
    pub(crate) updated_at: i64,
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[sqlx(skip)]
    pub(crate) versions: Vec<Version>,
}

/// A version of a block.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct Version {
    pub(crate) version: i64,
    pub(crate) author: Json<Value>,
    pub(crate) written_at: i64,
    pub(crate) content: String,
}

/// A change of the list of blocks.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct Change {
    pub(crate) label: String,
    pub(crate) is_removed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<i64>,
}

/// An entry of a searchable block.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) key: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) content: String,
}

/// A version of an entry.
#[derive(Debug, Serialize, Deserialize, FromRow)]
pub(crate) struct EntryVersion {
    pub(crate) label: String,
    pub(crate) key: String,
    pub(crate) version: i64,
    pub(crate) author: Json<Value>,
    pub(crate) written_at: i64,
    pub(crate) content: String,
}

/// What a session is written down with, before all that may be much.
#[derive(Debug, Serialize)]
pub(crate) struct Beginning {
    #[serde(flatten)]
    pub(crate) head: Head,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deletions: Vec<Deletion>,
}

/// All of a session but its messages.
#[derive(Debug, Deserialize)]
pub(crate) struct Opening {
    #[serde(flatten)]
    pub(crate) head: Head,
    #[serde(default)]
    pub(crate) deletions: Vec<Deletion>,
    #[serde(default)]
    pub(crate) summaries: Vec<Summary>,
    #[serde(default)]
    pub(crate) memory: Memory,
}
