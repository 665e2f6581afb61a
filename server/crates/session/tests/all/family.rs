//! Trees of messages in memory, as far as parents, children and what was looked at make them: what the simple worlds of
//! random stories have in common.

use protocol::MessageId;
use std::collections::HashMap;

/// What is looked at.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The child last viewed below each message; `None` stands above the roots.
    pub(crate) chosen: HashMap<Option<String>, String>,
    pub(crate) active: Option<String>,
}

/// A tree of messages that somebody looks at.
pub(crate) trait Family {
    fn parent(&self, id: &str) -> Option<String>;
    /// In the order they were stored.
    fn children(&self, parent: Option<&str>) -> Vec<String>;
    fn view(&self) -> &View;
    fn view_mut(&mut self) -> &mut View;

    /// From the root on.
    fn path(&self, leaf: Option<&str>) -> Vec<String> {
        let up = std::iter::successors(leaf.map(str::to_owned), |id| self.parent(id));
        let mut path: Vec<String> = up.collect();
        path.reverse();
        path
    }

    /// The end below a message: at each step the child last viewed, else the one stored last.
    fn descend(&self, from: Option<String>) -> Option<String> {
        let children = self.children(from.as_deref());
        let chosen = self.view().chosen.get(&from).filter(|chosen| children.contains(chosen));
        match chosen.or(children.last()) {
            Some(child) => self.descend(Some(child.clone())),
            None => from,
        }
    }

    fn look_at(&mut self, leaf: Option<String>) {
        for id in self.path(leaf.as_deref()) {
            let parent = self.parent(&id);
            self.view_mut().chosen.insert(parent, id);
        }
        self.view_mut().active = leaf;
    }
}

pub(crate) fn names(ids: Vec<MessageId>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}
