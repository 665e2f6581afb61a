//! Random stories, told to the store and to a tree in memory that is too simple to be wrong.

use crate::family::{Family, View, names};
use crate::support::Story;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::MessageId;
use session::{Parent, Session};
use std::collections::HashSet;
use testkit::user;

#[derive(Debug, Clone)]
enum Step {
    /// Below the active leaf.
    Append,
    /// Below some message.
    AppendUnder(usize),
    /// Beside the active leaf.
    Regenerate,
    NewRoot,
    /// An id that is stored already.
    Repeat(usize),
    SetActive(usize),
    Delete(Vec<usize>),
    /// A message from the trash, with what was deleted together with it.
    Restore(usize),
    Purge(usize),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Append),
        3 => any::<usize>().prop_map(Step::AppendUnder),
        3 => Just(Step::Regenerate),
        1 => Just(Step::NewRoot),
        1 => any::<usize>().prop_map(Step::Repeat),
        3 => any::<usize>().prop_map(Step::SetActive),
        3 => vec(any::<usize>(), 1..4).prop_map(Step::Delete),
        3 => any::<usize>().prop_map(Step::Restore),
        1 => any::<usize>().prop_map(Step::Purge),
        1 => Just(Step::Clear),
    ]
}

/// The tree in memory: nodes in the order they were stored, with the parents they were stored below, those in the trash
/// too; `None` stands above the roots.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    view: View,
    trash: Vec<Deletion>,
}

#[derive(Debug)]
struct Node {
    id: String,
    own_parent: Option<String>,
    is_trashed: bool,
}

#[derive(Debug, Default)]
struct Deletion {
    ids: Vec<String>,
    choices: Vec<(Option<String>, String, Option<String>)>,
    before: Option<String>,
    after: Option<String>,
}

impl Family for Tree {
    /// The nearest node above that is not in the trash.
    fn parent(&self, id: &str) -> Option<String> {
        let parent = self.node(id)?.own_parent.clone()?;
        if self.node(&parent)?.is_trashed { self.parent(&parent) } else { Some(parent) }
    }

    fn children(&self, parent: Option<&str>) -> Vec<String> {
        self.living().filter(|n| self.parent(&n.id).as_deref() == parent).map(|n| n.id.clone()).collect()
    }

    fn view(&self) -> &View {
        &self.view
    }

    fn view_mut(&mut self) -> &mut View {
        &mut self.view
    }
}

impl Tree {
    fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    fn living(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.is_trashed)
    }

    fn append(&mut self, id: &str, own_parent: Option<String>) {
        self.nodes.push(Node { id: id.to_owned(), own_parent, is_trashed: false });
        self.look_at(Some(id.to_owned()));
    }

    fn nodes_of(&mut self, ids: &[String]) -> impl Iterator<Item = &mut Node> {
        self.nodes.iter_mut().filter(|node| ids.contains(&node.id))
    }

    /// The child, if it is one, else the last one.
    fn child_or_last(&self, parent: Option<&str>, child: Option<String>) -> Option<String> {
        let mut children = self.children(parent);
        child.filter(|child| children.contains(child)).or_else(|| children.pop())
    }

    fn choose(&mut self, parent: &Option<String>, child: Option<String>) {
        self.view.chosen.remove(parent);
        self.view.chosen.extend(child.map(|child| (parent.clone(), child)));
    }

    fn delete(&mut self, picked: &[String]) {
        let ids: Vec<String> =
            self.living().map(|node| node.id.clone()).filter(|id| picked.contains(id)).collect();
        if ids.is_empty() {
            return;
        }
        let parents: HashSet<Option<String>> = ids.iter().map(|id| self.parent(id)).collect();
        let before = self.view.active.clone();
        self.nodes_of(&ids).for_each(|node| node.is_trashed = true);
        let mut choices = Vec::new();
        for parent in parents.into_iter().filter(|p| p.as_ref().is_none_or(|p| !ids.contains(p))) {
            let Some(old) = self.view.chosen.get(&parent).filter(|old| ids.contains(old)).cloned() else {
                continue;
            };
            let mut below = Some(old.clone());
            while below.as_ref().is_some_and(|id| ids.contains(id)) {
                below = self.view.chosen.get(&below).cloned();
            }
            let new = self.child_or_last(parent.as_deref(), below);
            self.choose(&parent, new.clone());
            choices.push((parent, old, new));
        }
        let mut top = self.view.active.clone();
        while top.as_ref().is_some_and(|id| ids.contains(id)) {
            top = self.parent(&top.unwrap());
        }
        self.look_at(self.descend(top));
        self.trash.push(Deletion { ids, choices, before, after: self.view.active.clone() });
    }

    fn restore(&mut self, at: usize) {
        let Deletion { ids, choices, before, after } = self.trash.remove(at);
        self.nodes_of(&ids).for_each(|node| node.is_trashed = false);
        for (parent, old, new) in choices {
            if self.view.chosen.get(&parent) == new.as_ref()
                && self.children(parent.as_deref()).contains(&old)
            {
                self.choose(&parent, Some(old));
            }
        }
        let mut concerned: HashSet<Option<String>> = ids.iter().map(|id| self.parent(id)).collect();
        concerned.extend(ids.iter().cloned().map(Some));
        for parent in concerned {
            let mut below = self.view.chosen.get(&parent).cloned();
            while below.as_ref().is_some_and(|id| self.parent(id) != parent) {
                below = self.parent(&below.unwrap());
            }
            let child = self.child_or_last(parent.as_deref(), below);
            self.choose(&parent, child);
        }
        let is_there = |id: &String| self.living().any(|node| node.id == *id);
        let top = if self.view.active == after { before } else { self.view.active.clone() };
        let top = top.filter(is_there).or_else(|| self.view.chosen.get(&None).cloned());
        self.look_at(self.descend(top));
    }

    fn purge(&mut self, at: usize) {
        for id in self.trash.remove(at).ids {
            let above = self.node(&id).unwrap().own_parent.clone();
            self.nodes.retain(|node| node.id != id);
            for node in self.nodes.iter_mut().filter(|node| node.own_parent.as_ref() == Some(&id)) {
                node.own_parent.clone_from(&above);
            }
        }
    }

    fn leaves(&self) -> Vec<String> {
        let is_leaf = |id: &String| self.children(Some(id)).is_empty();
        self.living().map(|node| node.id.clone()).filter(is_leaf).collect()
    }

    /// Some message that is not in the trash, or one that is not stored where there is none.
    fn pick(&self, number: usize) -> String {
        let living: Vec<&Node> = self.living().collect();
        let index = number.checked_rem(living.len());
        index.map_or("nobody".to_owned(), |index| living[index].id.clone())
    }

    fn is_empty(&self) -> bool {
        self.living().next().is_none()
    }

    /// Some deletion, and one of its messages.
    fn pick_trashed(&self, number: usize) -> Option<(usize, MessageId)> {
        let at = number.checked_rem(self.trash.len())?;
        let ids = &self.trash[at].ids;
        Some((at, ids[number / self.trash.len() % ids.len()].as_str().into()))
    }
}

/// Does a step with the trash in both worlds.
async fn take_from_trash(step: &Step, session: &Session, tree: &mut Tree) {
    let (Step::Restore(number) | Step::Purge(number)) = step else { return };
    let Some((at, id)) = tree.pick_trashed(*number) else { return };
    let count = tree.trash[at].ids.len() as u64;
    if matches!(step, Step::Purge(_)) {
        assert_eq!(session.purge(&id).await.unwrap(), Some(count));
        tree.purge(at);
    } else {
        assert_eq!(session.restore(&id).await.unwrap(), Some(count));
        tree.restore(at);
    }
}

/// Does one step in both worlds.
async fn take(step: &Step, number: usize, session: &Session, tree: &mut Tree) {
    let fresh = format!("m{number}");
    let append = async |id: &str, parent: Parent| session.append(&user(id, id), parent).await;
    let parent_of = |id: Option<String>| id.map_or(Parent::Root, |id| Parent::Under(id.into()));
    match step {
        Step::Append => {
            append(&fresh, Parent::ActiveLeaf).await.unwrap();
            tree.append(&fresh, tree.view.active.clone());
        }
        Step::AppendUnder(at) => {
            let parent = tree.pick(*at);
            let stored = append(&fresh, Parent::Under(parent.as_str().into())).await;
            assert_eq!(stored.is_ok(), !tree.is_empty());
            if stored.is_ok() {
                tree.append(&fresh, Some(parent));
            }
        }
        Step::Regenerate => {
            let parent = tree.view.active.as_ref().and_then(|leaf| tree.parent(leaf));
            append(&fresh, parent_of(parent.clone())).await.unwrap();
            tree.append(&fresh, parent);
        }
        Step::NewRoot => {
            append(&fresh, Parent::Root).await.unwrap();
            tree.append(&fresh, None);
        }
        Step::Repeat(at) => {
            let id = tree.pick(*at);
            if !tree.is_empty() {
                assert!(!append(&id, Parent::Root).await.unwrap().inserted);
            }
        }
        Step::SetActive(at) => {
            let id = tree.pick(*at);
            session.set_active(&id.as_str().into()).await.unwrap();
            if !tree.is_empty() {
                tree.look_at(tree.descend(Some(id)));
            }
        }
        Step::Delete(all) => {
            let picked: Vec<String> = all.iter().map(|at| tree.pick(*at)).collect();
            let ids: Vec<MessageId> = picked.iter().map(|id| id.as_str().into()).collect();
            session.delete(&ids).await.unwrap();
            tree.delete(&picked);
        }
        Step::Restore(_) | Step::Purge(_) => take_from_trash(step, session, tree).await,
        Step::Clear => {
            let all: Vec<String> = tree.living().map(|node| node.id.clone()).collect();
            let head = session.clear().await.unwrap().map(|id| id.to_string());
            assert_eq!(head.as_ref(), all.first());
            tree.delete(&all);
        }
    }
}

async fn compare(session: &Session, tree: &Tree) {
    let active = session.active_leaf().await.unwrap();
    assert_eq!(active.map(|id| id.to_string()), tree.view.active);
    let path = tree.path(tree.view.active.as_deref());
    assert_eq!(names(session.history_ids(None).await.unwrap()), path);
    assert_eq!(session.message_count().await.unwrap(), tree.living().count() as u64);
    assert_eq!(names(session.leaves().await.unwrap()), tree.leaves());
    assert_eq!(session.latest_leaf().await.unwrap().map(|id| id.to_string()), tree.leaves().pop());
    assert_eq!(names(session.children(None).await.unwrap()), tree.children(None));
    let window = session.window(None, 3).await.unwrap();
    let shown: Vec<String> = window.messages.iter().map(|m| m.id.to_string()).collect();
    assert_eq!(shown, path[path.len().saturating_sub(3)..]);
    assert_eq!(window.earlier, path.len().saturating_sub(3) as u64);
    let with_versions: Vec<(String, Vec<String>)> = shown
        .iter()
        .map(|id| (id.clone(), tree.children(tree.parent(id).as_deref())))
        .filter(|(_, v)| v.len() > 1)
        .collect();
    let found: Vec<_> = window.siblings.into_iter().map(|s| (s.id.to_string(), names(s.ids))).collect();
    assert_eq!(found, with_versions);
}

/// What is too much to ask after every step.
async fn compare_each(session: &Session, tree: &Tree) {
    for Node { id, .. } in tree.living() {
        let (id, parent) = (MessageId::from(id.as_str()), tree.parent(id));
        assert_eq!(names(session.children(Some(&id)).await.unwrap()), tree.children(Some(id.as_str())));
        assert_eq!(names(session.siblings(&id).await.unwrap()), tree.children(parent.as_deref()));
        let length = tree.path(Some(id.as_str())).len() as u64;
        assert_eq!(session.path_length(Some(&id)).await.unwrap(), length);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_store_is_the_tree(steps in vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let story = Story::begin().await;
            let session = story.default_session().await;
            let mut tree = Tree::default();
            for (number, step) in steps.iter().enumerate() {
                take(step, number, &session, &mut tree).await;
                compare(&session, &tree).await;
            }
            compare_each(&session, &tree).await;
            let faults = story.manager.examine().await.unwrap();
            assert_eq!(faults, []);
            let listed: Vec<u64> = session.trash().await.unwrap().iter().map(|row| row.count).collect();
            let trashed = tree.trash.iter().rev().map(|deletion| deletion.ids.len() as u64);
            assert_eq!(listed, trashed.collect::<Vec<_>>());
        });
    }
}
