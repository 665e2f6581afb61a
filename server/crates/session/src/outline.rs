//! The whole tree of a session at a glance: every message of every branch with a line of its text, read in one go.

use crate::error::SessionError;
use crate::history::role_of;
use crate::session::Session;
use crate::store::{counted, outline, stored};
use protocol::limits::{PREVIEW_MAX_CHARS, TREE_MAX_NODES};
use protocol::{MessageId, SessionTree, TreeNode, TurnStatus, preview};
use serde_json::Value;

/// What is read of a text to make a line of [`PREVIEW_MAX_CHARS`]; blanks in it are joined.
pub(crate) const READ_CHARS: usize = 3 * PREVIEW_MAX_CHARS;

impl Session {
    /// The outline of all branches. Of more than [`TREE_MAX_NODES`] messages the latest ones are shown; the parents of
    /// the first of them are not there then.
    ///
    /// # Errors
    /// Only what the file can meet. A row that does not parse is a node without a preview.
    pub async fn tree(&self) -> Result<SessionTree, SessionError> {
        let (mut tx, leaf) = self.reading(None).await?;
        let (limit, chars) = (stored(TREE_MAX_NODES as u64), stored(READ_CHARS as u64));
        let rows = outline::nodes(&mut tx, self.id().as_str(), limit, chars).await;
        let nodes = rows.map_err(|e| tx.error(e))?.into_iter().map(node).collect();
        Ok(SessionTree { nodes, active_leaf: leaf.map(MessageId::new) })
    }
}

fn node(row: outline::OutlineRow) -> TreeNode {
    TreeNode {
        id: MessageId::new(row.id),
        parent_id: row.parent_id.map(MessageId::new),
        role: role_of(row.role),
        preview: row.preview.as_deref().map(preview).unwrap_or_default(),
        created_at: counted(row.created_at),
        status: row.status.and_then(status_of),
        is_pinned: row.is_pinned,
    }
}

fn status_of(name: String) -> Option<TurnStatus> {
    serde_json::from_value(Value::String(name)).ok()
}
