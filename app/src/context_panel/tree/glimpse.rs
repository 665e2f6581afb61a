//! What can be shown of a tree before it is here: the end of the branch that is on the screen anyway. Pure.

use crate::chat::transcript::{Head, Pin, TranscriptState};
use protocol::{Message, MessageId, SessionTree, TreeNode, preview};

/// The messages at the end of the path, without those before a place where some are missing.
pub fn glimpse(transcript: &TranscriptState) -> SessionTree {
    let start = transcript.gap().map_or(0, |gap| gap.at);
    let mut nodes: Vec<TreeNode> = Vec::new();
    for key in transcript.order().iter().skip(start) {
        let (Some(message), Some(head)) = (transcript.message(key), transcript.head(key)) else { continue };
        if head.fold.is_none() {
            let parent = nodes.last().map(|node| node.id.clone());
            nodes.push(node(message, &head, parent));
        }
    }
    let active_leaf = nodes.last().map(|node| node.id.clone());
    SessionTree { nodes, active_leaf }
}

fn node(message: &Message, head: &Head, parent_id: Option<MessageId>) -> TreeNode {
    TreeNode {
        id: message.id.clone(),
        parent_id,
        role: message.role.clone(),
        preview: preview(&message.plain_text()),
        created_at: 0,
        status: head.ending.as_ref().map(|ending| ending.status),
        is_pinned: head.pin == Pin::Pinned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Role, Transcript};

    #[test]
    fn the_end_of_the_path_is_a_branch() {
        let message = |id: &str, text: &str| Message::text(id, Role::User, text);
        let messages = vec![message("a", " one\n two "), message("b", "two")];
        let pinned = vec!["a".into()];
        let window = Transcript { messages, pinned, earlier: 7, ..Transcript::default() };
        let tree = glimpse(&TranscriptState::new(window));
        let told: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (node.id.as_str(), node.parent_id.as_ref().map(MessageId::as_str), node.is_pinned))
            .collect();
        assert_eq!(told, [("a", None, true), ("b", Some("a"), false)]);
        let previews: Vec<_> = tree.nodes.iter().map(|node| node.preview.as_str()).collect();
        assert_eq!(previews, ["one two", "two"]);
        assert_eq!(tree.active_leaf, Some("b".into()));
        assert_eq!(glimpse(&TranscriptState::default()), SessionTree::default());
    }
}
