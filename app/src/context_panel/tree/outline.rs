//! A session's tree as the rows of an outline. It steps in only at forks, so that a long conversation stays one
//! column; a fork can be folded. Pure, and linear in the number of messages.

use protocol::{MessageId, Role, SessionTree, TreeNode, TurnStatus};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Height of a row, in pixels; the style has the same number.
pub const ROW_PX: f64 = 28.0;

/// Rows above and below the window that are made too.
const SPARE_ROWS: usize = 12;

/// So many rows come and go together, so that not each row that is passed is a change.
const STEP_ROWS: usize = 6;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The message, as a place in the tree's list.
    pub node: usize,
    /// How many forks lead to it.
    pub depth: usize,
    /// Whether more than one message follows it.
    pub is_fork: bool,
    /// Messages below it that a fold hides; none where nothing is folded.
    pub hidden: usize,
}

/// The shape of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// The tree.
    pub tree: SessionTree,
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
    parents: Vec<Option<usize>>,
    /// Messages below each message.
    below: Vec<usize>,
    on_path: HashSet<usize>,
}

impl Outline {
    /// Finds the shape. A message whose parent is unknown counts as a root.
    pub fn new(tree: SessionTree) -> Self {
        let index: HashMap<&MessageId, usize> =
            tree.nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
        let parent = |(at, node): (usize, &TreeNode)| {
            node.parent_id.as_ref().and_then(|id| index.get(id).copied()).filter(|parent| *parent < at)
        };
        let parents: Vec<Option<usize>> = tree.nodes.iter().enumerate().map(parent).collect();
        let here = tree.active_leaf.as_ref().and_then(|id| index.get(id).copied());
        let mut outline = Self {
            roots: Vec::new(),
            children: vec![Vec::new(); parents.len()],
            below: vec![0; parents.len()],
            on_path: HashSet::new(),
            parents,
            tree: SessionTree::default(),
        };
        outline.join();
        let mut step = here;
        while let Some(at) = step {
            let _new = outline.on_path.insert(at);
            step = outline.parent(at);
        }
        drop(index);
        outline.tree = tree;
        outline
    }

    /// The rows, from top to bottom.
    pub fn rows(&self, folded: &HashSet<MessageId>) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.parents.len());
        let mut stack: Vec<(usize, usize)> = self.roots.iter().rev().map(|root| (*root, 0)).collect();
        while let Some((node, depth)) = stack.pop() {
            let children = self.children.get(node).map(Vec::as_slice).unwrap_or_default();
            let is_fork = children.len() > 1;
            let is_folded = is_fork && self.node(node).is_some_and(|node| folded.contains(&node.id));
            let hidden = if is_folded { self.below(node) } else { 0 };
            rows.push(Row { node, depth, is_fork, hidden });
            if !is_folded {
                let depth = depth + usize::from(is_fork);
                stack.extend(children.iter().rev().map(|child| (*child, depth)));
            }
        }
        rows
    }

    /// A message.
    pub fn node(&self, at: usize) -> Option<&TreeNode> {
        self.tree.nodes.get(at)
    }

    /// What a message follows.
    pub fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().flatten()
    }

    /// How many messages come below a message.
    pub fn below(&self, at: usize) -> usize {
        self.below.get(at).copied().unwrap_or_default()
    }

    /// Whether a message is on the branch that is looked at.
    pub fn is_on_path(&self, at: usize) -> bool {
        self.on_path.contains(&at)
    }

    /// Whether the branch that is looked at ends here.
    pub fn is_here(&self, at: usize) -> bool {
        self.node(at).is_some_and(|node| Some(&node.id) == self.tree.active_leaf.as_ref())
    }

    fn join(&mut self) {
        for at in (0..self.parents.len()).rev() {
            let with_itself = self.below(at) + 1;
            let Some(parent) = self.parent(at) else {
                self.roots.push(at);
                continue;
            };
            self.children.get_mut(parent).into_iter().for_each(|children| children.push(at));
            self.below.get_mut(parent).into_iter().for_each(|below| *below += with_itself);
        }
        self.roots.reverse();
        self.children.iter_mut().for_each(|children| children.reverse());
    }
}

/// Which of `count` rows a window of this height shows when it is scrolled by `top`, with a few to spare.
pub fn window(top: f64, height: f64, count: usize) -> Range<usize> {
    let first = (top.max(0.0) / ROW_PX) as usize;
    let first = first - first % STEP_ROWS;
    let shown = (height.max(0.0) / ROW_PX) as usize + 1;
    let end = (first + shown + STEP_ROWS + SPARE_ROWS).min(count);
    first.saturating_sub(SPARE_ROWS).min(end)..end
}

/// How a turn ended, where that is worth saying.
pub fn status(node: &TreeNode) -> Option<&'static str> {
    match node.status? {
        TurnStatus::Complete => None,
        TurnStatus::Running => Some("writing"),
        TurnStatus::Stopped => Some("stopped"),
        TurnStatus::CutOff => Some("cut off"),
        TurnStatus::Refused => Some("refused"),
        TurnStatus::Failed => Some("failed"),
        TurnStatus::StepLimit => Some("step limit"),
        TurnStatus::Interrupted => Some("interrupted"),
    }
}

/// Who speaks, in a word.
pub fn speaker(role: &Role) -> &str {
    match role {
        Role::User => "You",
        Role::Assistant => "Bough",
        Role::System => "System",
        Role::Other(name) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(nodes: &[(&str, &str)], leaf: &str) -> SessionTree {
        let node = |(id, parent): &(&str, &str)| TreeNode {
            id: (*id).into(),
            parent_id: (!parent.is_empty()).then(|| (*parent).into()),
            role: Role::User,
            preview: (*id).to_owned(),
            created_at: 1,
            status: None,
            is_pinned: false,
        };
        SessionTree { nodes: nodes.iter().map(node).collect(), active_leaf: Some(leaf.into()) }
    }

    fn forked() -> Outline {
        let nodes = [("a", ""), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "c"), ("f", "d"), ("g", "")];
        Outline::new(tree(&nodes, "f"))
    }

    fn told(outline: &Outline, folded: &[&str]) -> Vec<String> {
        let folded = folded.iter().map(|id| MessageId::from(*id)).collect();
        let tell = |row: &Row| {
            let name = outline.node(row.node).map(|node| node.preview.clone()).unwrap_or_default();
            let fork = if row.is_fork { "*" } else { "" };
            let hidden = if row.hidden > 0 { format!("+{}", row.hidden) } else { String::new() };
            format!("{}{name}{fork}{hidden}", "-".repeat(row.depth))
        };
        outline.rows(&folded).iter().map(tell).collect()
    }

    #[test]
    fn the_outline_steps_in_only_at_forks() {
        let outline = forked();
        assert_eq!(told(&outline, &[]), ["a", "b*", "-c", "-e", "-d", "-f", "g"]);
        assert_eq!(told(&outline, &["b"]), ["a", "b*+4", "g"]);
        assert_eq!(told(&outline, &["a"]), told(&outline, &[]), "only forks fold");
        assert_eq!(told(&Outline::new(SessionTree::default()), &[]), [""; 0]);
    }

    #[test]
    fn it_says_where_one_is() {
        let outline = forked();
        let on_path: Vec<bool> = (0..7).map(|at| outline.is_on_path(at)).collect();
        assert_eq!(on_path, [true, true, false, true, false, true, false]);
        assert!(outline.is_here(5) && !outline.is_here(3));
        assert_eq!((outline.parent(3), outline.below(1), outline.below(0)), (Some(1), 4, 5));
    }

    #[test]
    fn ten_thousand_messages_stay_one_column_and_little_of_it_is_made() {
        let names: Vec<String> = (0..10_000).map(|at| format!("m{at}")).collect();
        let nodes: Vec<(&str, &str)> = std::iter::once("")
            .chain(names.iter().map(String::as_str))
            .zip(&names)
            .map(|(parent, id)| (id.as_str(), parent))
            .collect();
        let rows = Outline::new(tree(&nodes, "m9999")).rows(&HashSet::new());
        assert_eq!((rows.len(), rows.iter().map(|row| row.depth).max()), (10_000, Some(0)));
        assert_eq!(window(0.0, 560.0, rows.len()), 0..39);
        assert_eq!(window(140_000.0, 560.0, rows.len()), 4_986..5_037);
        assert_eq!(window(280_000.0, 560.0, rows.len()), 9_984..10_000);
        assert_eq!(window(280_000.0, 560.0, 3), 3..3);
    }
}
