//! One session in memory, written down from the rules and not from the store.

use crate::family::{Family, View};
use std::collections::BTreeSet;

/// A message as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// A summary and the ends of what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlay {
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

#[derive(Debug)]
struct Node {
    id: String,
    parent: Option<String>,
    text: String,
}

/// Messages in the order they were stored, and everything that is known of them.
#[derive(Debug, Default)]
pub(crate) struct World {
    nodes: Vec<Node>,
    view: View,
    pub(crate) pins: BTreeSet<String>,
    /// In the order they were made.
    pub(crate) overlays: Vec<Overlay>,
}

impl Family for World {
    fn parent(&self, id: &str) -> Option<String> {
        self.node(id)?.parent.clone()
    }

    fn children(&self, parent: Option<&str>) -> Vec<String> {
        let below = self.nodes.iter().filter(|node| node.parent.as_deref() == parent);
        below.map(|node| node.id.clone()).collect()
    }

    fn view(&self) -> &View {
        &self.view
    }

    fn view_mut(&mut self) -> &mut View {
        &mut self.view
    }
}

impl World {
    pub(crate) fn active(&self) -> Option<String> {
        self.view.active.clone()
    }

    /// Some stored message, if there is any.
    pub(crate) fn pick(&self, number: usize) -> Option<String> {
        Some(self.nodes[number.checked_rem(self.nodes.len())?].id.clone())
    }

    fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub(crate) fn set_active(&mut self, id: String) {
        self.look_at(self.descend(Some(id)));
    }

    pub(crate) fn append(&mut self, id: &str, text: &str, parent: Option<String>) {
        self.nodes.push(Node { id: id.to_owned(), parent, text: text.to_owned() });
        self.look_at(Some(id.to_owned()));
    }

    pub(crate) fn set_text(&mut self, id: &str, text: &str) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node.id == id) {
            text.clone_into(&mut node.text);
        }
    }

    pub(crate) fn delete(&mut self, ids: &[String]) {
        let before = self.nodes.len();
        ids.iter().for_each(|id| self.delete_one(id));
        if self.nodes.len() < before {
            self.look_at(self.descend(self.view.active.clone()));
        }
    }

    fn delete_one(&mut self, id: &str) {
        if self.node(id).is_none() {
            return;
        }
        self.clamp(id);
        self.pins.remove(id);
        let above = self.parent(id);
        self.nodes.retain(|node| node.id != id);
        let chosen_below = self.view.chosen.remove(&Some(id.to_owned()));
        if self.view.chosen.get(&above).is_some_and(|chosen| chosen == id) {
            self.view.chosen.remove(&above);
            self.view.chosen.extend(chosen_below.map(|child| (above.clone(), child)));
        }
        for node in self.nodes.iter_mut().filter(|node| node.parent.as_deref() == Some(id)) {
            node.parent.clone_from(&above);
        }
        if self.view.active.as_deref() == Some(id) {
            self.view.active = above;
        }
    }

    /// Ranges lose the message at their end, and go where they have no other.
    fn clamp(&mut self, id: &str) {
        self.overlays.retain(|overlay| overlay.from != id || overlay.to != id);
        let mut overlays = std::mem::take(&mut self.overlays);
        for overlay in &mut overlays {
            if overlay.from == id {
                let path = self.path(Some(&overlay.to));
                let at = path.iter().position(|name| name == id).unwrap();
                overlay.from.clone_from(&path[at + 1]);
            } else if overlay.to == id {
                overlay.to = self.parent(id).unwrap();
            }
        }
        self.overlays = overlays;
    }

    /// Which of the overlays stand on a path, with their first and last place, read from the root.
    fn standing(&self, path: &[String]) -> Vec<(usize, usize, &Overlay)> {
        let place = |id: &str| path.iter().position(|name| name == id);
        let mut standing = Vec::new();
        let mut at = 0;
        while at < path.len() {
            let here = self.overlays.iter().filter(|overlay| overlay.from == path[at]);
            let end = |overlay: &Overlay| place(&overlay.to).filter(|to| *to >= at);
            let last = here.filter_map(|overlay| Some((end(overlay)?, overlay))).next_back();
            match last {
                Some((to, overlay)) => {
                    standing.push((at, to, overlay));
                    at = to + 1;
                }
                None => at += 1,
            }
        }
        standing
    }

    /// A path as it is read.
    pub(crate) fn shown(&self, leaf: Option<&str>) -> Vec<Told> {
        let path = self.path(leaf);
        let mut shown = Vec::new();
        let mut next = 0;
        let told = |id: &String| Told { id: id.clone(), text: self.node(id).unwrap().text.clone() };
        for (from, to, overlay) in self.standing(&path) {
            shown.extend(path[next..from].iter().map(told));
            shown.push(Told { id: overlay.id.clone(), text: overlay.summary.clone() });
            next = to + 1;
        }
        shown.extend(path[next..].iter().map(told));
        shown
    }

    /// Whether a new summary may stand for a range; if not, because of which pinned messages, or because it is none.
    pub(crate) fn may_cover(&self, from: &str, to: &str) -> Result<(), Option<BTreeSet<String>>> {
        let path = self.path(Some(to));
        let first = path.iter().position(|id| id == from).ok_or(None)?;
        let standing = self.standing(&path);
        let is_hidden = |at: usize| standing.iter().any(|(from, to, _)| (*from..=*to).contains(&at));
        let in_the_way = (first..path.len()).filter(|at| self.pins.contains(&path[*at]) && !is_hidden(*at));
        let pinned: BTreeSet<String> = in_the_way.map(|at| path[at].clone()).collect();
        if pinned.is_empty() { Ok(()) } else { Err(Some(pinned)) }
    }

    /// The pinned messages in the order they were stored.
    pub(crate) fn pinned(&self) -> Vec<String> {
        let ids = self.nodes.iter().map(|node| node.id.clone());
        ids.filter(|id| self.pins.contains(id)).collect()
    }

    pub(crate) fn all(&self) -> BTreeSet<String> {
        self.nodes.iter().map(|node| node.id.clone()).collect()
    }

    pub(crate) fn texts(&self) -> Vec<Told> {
        self.nodes.iter().map(|node| Told { id: node.id.clone(), text: node.text.clone() }).collect()
    }
}
