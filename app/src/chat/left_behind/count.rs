//! How far the other versions of a message lead. Pure.

use protocol::{MessageId, TreeNode};
use std::collections::HashMap;

/// The version that leads furthest, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Messages below it, along its longest path.
    pub count: usize,
    /// Which version it is, from 1.
    pub number: usize,
    /// The version.
    pub version: MessageId,
}

/// The other version of `message` that leads furthest; none if this one leads as far. Parents come before their
/// children.
pub fn left_behind(nodes: &[TreeNode], message: &MessageId) -> Option<Left> {
    let mut below: HashMap<&MessageId, usize> = HashMap::new();
    for node in nodes.iter().rev() {
        let own = below.get(&node.id).copied().unwrap_or_default();
        if let Some(parent) = &node.parent_id {
            let known = below.entry(parent).or_default();
            *known = (*known).max(own + 1);
        }
    }
    let depth = |id: &MessageId| below.get(id).copied().unwrap_or_default();
    let parent = &nodes.iter().find(|node| node.id == *message)?.parent_id;
    let versions = nodes.iter().filter(|node| node.parent_id == *parent).enumerate();
    let (index, furthest) =
        versions.max_by_key(|(index, node)| (depth(&node.id), std::cmp::Reverse(*index)))?;
    let count = depth(&furthest.id);
    let left = Left { count, number: index + 1, version: furthest.id.clone() };
    (count > depth(message)).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(edges: &[(&str, &str)]) -> Vec<TreeNode> {
        let node = |(id, parent): &(&str, &str)| {
            let mut fields = serde_json::json!({
                "id": id, "role": "user", "preview": "", "created_at": 1,
            });
            if !parent.is_empty() {
                fields["parent_id"] = serde_json::json!(parent);
            }
            serde_json::from_value(fields).expect("a node")
        };
        edges.iter().map(node).collect()
    }

    /// C23, C03: nothing goes out of sight silently.
    #[test]
    fn the_version_that_leads_furthest_is_named() {
        let nodes = tree(&[("q", ""), ("a1", "q"), ("a2", "q"), ("b", "a2"), ("c", "b"), ("x", "a1")]);
        let told =
            |id: &str| left_behind(&nodes, &id.into()).map(|left| (left.count, left.number, left.version));
        assert_eq!(told("a1"), Some((2, 2, "a2".into())));
        assert_eq!(told("a2"), None);
        assert_eq!((told("q"), told("c"), told("unknown")), (None, None, None));
    }
}
