//! Whether summaries stand for what is there. Pure.

use super::{Fault, Finding};
use crate::compaction::overlay_id;
use crate::store::compactions::CompactionRow;
use crate::store::doctor::{Head, Node};
use protocol::SessionId;
use std::collections::HashMap;

/// Names the summaries of a session whose ranges do not lie on one path, from above to below.
pub(super) fn examine(head: &Head, nodes: &[Node], summaries: &[CompactionRow]) -> Vec<Finding> {
    let parents: HashMap<&str, Option<&str>> =
        nodes.iter().map(|node| (node.id.as_str(), node.parent_id.as_deref())).collect();
    let lost = summaries.iter().filter(|row| !is_range(&parents, row));
    let find = |row: &CompactionRow| Finding {
        fault: Fault::LostSummary,
        session: Some(SessionId::new(head.id.as_str())),
        message: Some(overlay_id(&row.id)),
        detail: format!("{:?} does not stand above {:?} on one path", row.from_message_id, row.to_message_id),
    };
    lost.map(find).collect()
}

/// Goes up from the end of a range, at most once through every message.
fn is_range(parents: &HashMap<&str, Option<&str>>, row: &CompactionRow) -> bool {
    let mut at = Some(row.to_message_id.as_str());
    for _ in parents {
        let Some((id, parent)) = at.and_then(|id| parents.get_key_value(id)) else { return false };
        if *id == row.from_message_id {
            return true;
        }
        at = *parent;
    }
    false
}
