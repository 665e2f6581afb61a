//! What is wrong with the shape of a conversation. Pure.

use super::{Fault, Finding};
use crate::store::doctor::{Head, Node};
use protocol::{MessageId, SessionId};
use std::collections::{HashMap, HashSet};

/// Names what is wrong with a session's tree.
pub(crate) fn examine(head: &Head, nodes: &[Node]) -> Vec<Finding> {
    let mut tree = Tree::of(head, nodes);
    tree.parents();
    tree.circles();
    tree.depths();
    tree.chosen();
    tree.active_path();
    tree.counts();
    tree.findings
}

struct Tree<'a> {
    head: &'a Head,
    /// In the order they were stored.
    nodes: &'a [Node],
    by_id: HashMap<&'a str, &'a Node>,
    findings: Vec<Finding>,
}

impl<'a> Tree<'a> {
    fn of(head: &'a Head, nodes: &'a [Node]) -> Self {
        let by_id = nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        Self { head, nodes, by_id, findings: Vec::new() }
    }

    fn find(&mut self, fault: Fault, message: Option<&str>, detail: impl Into<String>) {
        self.findings.push(Finding {
            fault,
            session: Some(SessionId::new(self.head.id.as_str())),
            message: message.map(MessageId::new),
            detail: detail.into(),
        });
    }

    fn parent(&self, node: &Node) -> Option<&'a Node> {
        self.by_id.get(node.parent_id.as_deref()?).copied()
    }

    fn parents(&mut self) {
        for node in self.nodes {
            if let Some(parent) = node.parent_id.as_deref().filter(|_| self.parent(node).is_none()) {
                self.find(
                    Fault::UnknownParent,
                    Some(&node.id),
                    format!("its parent {parent:?} does not exist"),
                );
            }
        }
    }

    /// A circle is named by its oldest message.
    fn circles(&mut self) {
        let mut settled: HashSet<&str> = HashSet::new();
        for node in self.nodes {
            let (walk, circle) = self.walk_up(node, &settled);
            settled.extend(walk.iter().map(|node| node.id.as_str()));
            let oldest = circle.iter().min_by_key(|node| node.seq);
            if let Some(oldest) = oldest {
                let detail = format!("{} messages are each other's parents", circle.len());
                self.find(Fault::Circle, Some(&oldest.id), detail);
            }
        }
    }

    /// Follows parents up to what is settled. A walk that comes back to itself has found a circle.
    fn walk_up(&self, node: &'a Node, settled: &HashSet<&str>) -> (Vec<&'a Node>, Vec<&'a Node>) {
        let (mut walk, mut seen) = (Vec::new(), HashSet::new());
        let mut next = Some(node);
        while let Some(at) = next.filter(|at| !settled.contains(at.id.as_str())) {
            if !seen.insert(at.id.as_str()) {
                let circle = walk.iter().copied().skip_while(|node: &&Node| node.id != at.id).collect();
                return (walk, circle);
            }
            walk.push(at);
            next = self.parent(at);
        }
        (walk, Vec::new())
    }

    fn depths(&mut self) {
        let is_wrong = |node: &&Node| match (&node.parent_id, self.parent(node)) {
            (None, _) => node.depth != 0,
            (Some(_), Some(parent)) => node.depth != parent.depth.saturating_add(1),
            (Some(_), None) => false,
        };
        let count = self.nodes.iter().filter(is_wrong).count();
        if count > 0 {
            self.find(
                Fault::WrongDepth,
                None,
                format!("{count} messages do not stand at the depth they claim"),
            );
        }
    }

    fn chosen(&mut self) {
        for node in self.nodes {
            let Some(chosen) = node.chosen_child.as_deref() else { continue };
            let child = self.by_id.get(chosen);
            if child.is_none_or(|child| child.parent_id.as_ref() != Some(&node.id)) {
                let detail = format!("it remembers the child {chosen:?}, which is none of its own");
                self.find(Fault::WrongChosenChild, Some(&node.id), detail);
            }
        }
        let Some(chosen) = self.head.chosen_root.as_deref() else { return };
        if self.by_id.get(chosen).is_none_or(|root| root.parent_id.is_some()) {
            let detail = format!("the session remembers the root {chosen:?}, which is none");
            self.find(Fault::WrongChosenChild, None, detail);
        }
    }

    fn active_path(&mut self) {
        let leaf = self.head.active_leaf.as_deref();
        let Some(node) = leaf.and_then(|leaf| self.by_id.get(leaf)).copied() else {
            if leaf.is_some() || !self.nodes.is_empty() {
                self.find(Fault::UnknownActiveLeaf, None, format!("the active leaf {leaf:?} does not exist"));
            }
            return;
        };
        if self.nodes.iter().any(|child| child.parent_id.as_ref() == Some(&node.id)) {
            self.find(Fault::ActiveLeafNotLast, Some(&node.id), "the active leaf has children");
            return;
        }
        let mut at = node;
        for _ in self.nodes {
            let remembered = match self.parent(at) {
                Some(parent) => parent.chosen_child.as_ref(),
                None => self.head.chosen_root.as_ref(),
            };
            if remembered != Some(&at.id) {
                self.find(
                    Fault::PathNotRemembered,
                    Some(&at.id),
                    "it is active but not remembered by what is above",
                );
                return;
            }
            let Some(parent) = self.parent(at) else { return };
            at = parent;
        }
    }

    fn counts(&mut self) {
        let (count, last) = (self.nodes.len(), self.nodes.last().map_or(0, |node| node.seq));
        let Head { message_count, last_seq, .. } = *self.head;
        if i64::try_from(count) != Ok(message_count) || last_seq < last {
            let detail = format!(
                "{count} messages are counted as {message_count}; the last one has number {last}, the session says {last_seq}"
            );
            self.find(Fault::WrongCount, None, detail);
        }
    }
}
