//! Random stories, told to the store and to a tree in memory that is too simple to be wrong.

use crate::support::Story;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::MessageId;
use session::{Parent, Session};
use std::collections::HashMap;
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
        1 => Just(Step::Clear),
    ]
}

/// The tree in memory: nodes in the order they were stored, `None` standing above the roots.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<(String, Option<String>)>,
    chosen: HashMap<Option<String>, String>,
    active: Option<String>,
}

impl Tree {
    fn parent(&self, id: &str) -> Option<String> {
        self.nodes.iter().find(|(node, _)| node == id).and_then(|(_, parent)| parent.clone())
    }

    fn children(&self, parent: Option<&str>) -> Vec<String> {
        self.nodes.iter().filter(|(_, p)| p.as_deref() == parent).map(|(id, _)| id.clone()).collect()
    }

    fn path(&self, leaf: Option<&str>) -> Vec<String> {
        let mut path: Vec<String> =
            std::iter::successors(leaf.map(str::to_owned), |id| self.parent(id)).collect();
        path.reverse();
        path
    }

    fn descend(&self, from: Option<String>) -> Option<String> {
        let children = self.children(from.as_deref());
        let chosen = self.chosen.get(&from).filter(|chosen| children.contains(chosen)).or(children.last());
        match chosen {
            Some(child) => self.descend(Some(child.clone())),
            None => from,
        }
    }

    fn look_at(&mut self, leaf: Option<String>) {
        for id in self.path(leaf.as_deref()) {
            self.chosen.insert(self.parent(&id), id);
        }
        self.active = leaf;
    }

    fn append(&mut self, id: &str, parent: Option<String>) {
        self.nodes.push((id.to_owned(), parent));
        self.look_at(Some(id.to_owned()));
    }

    fn delete(&mut self, id: &str) {
        let Some(at) = self.nodes.iter().position(|(node, _)| node == id) else { return };
        let (_, above) = self.nodes.remove(at);
        let chosen_below = self.chosen.remove(&Some(id.to_owned()));
        if self.chosen.get(&above).is_some_and(|chosen| chosen == id) {
            self.chosen.remove(&above);
            self.chosen.extend(chosen_below.map(|child| (above.clone(), child)));
        }
        for (_, parent) in self.nodes.iter_mut().filter(|(_, parent)| parent.as_deref() == Some(id)) {
            parent.clone_from(&above);
        }
        if self.active.as_deref() == Some(id) {
            self.active = above;
        }
    }

    fn leaves(&self) -> Vec<String> {
        let is_leaf = |id: &&String| self.children(Some(id)).is_empty();
        self.nodes.iter().map(|(id, _)| id).filter(is_leaf).cloned().collect()
    }

    /// Some stored message, or one that is not stored where there is none.
    fn pick(&self, number: usize) -> String {
        let index = number.checked_rem(self.nodes.len());
        index.map_or("nobody".to_owned(), |index| self.nodes[index].0.clone())
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
            tree.append(&fresh, tree.active.clone());
        }
        Step::AppendUnder(at) => {
            let parent = tree.pick(*at);
            let stored = append(&fresh, Parent::Under(parent.as_str().into())).await;
            assert_eq!(stored.is_ok(), !tree.nodes.is_empty());
            if stored.is_ok() {
                tree.append(&fresh, Some(parent));
            }
        }
        Step::Regenerate => {
            let parent = tree.active.as_ref().and_then(|leaf| tree.parent(leaf));
            append(&fresh, parent_of(parent.clone())).await.unwrap();
            tree.append(&fresh, parent);
        }
        Step::NewRoot => {
            append(&fresh, Parent::Root).await.unwrap();
            tree.append(&fresh, None);
        }
        Step::Repeat(at) => {
            let id = tree.pick(*at);
            if !tree.nodes.is_empty() {
                assert!(!append(&id, Parent::Root).await.unwrap().inserted);
            }
        }
        Step::SetActive(at) => {
            let id = tree.pick(*at);
            session.set_active(&id.as_str().into()).await.unwrap();
            if !tree.nodes.is_empty() {
                tree.look_at(tree.descend(Some(id)));
            }
        }
        Step::Delete(all) => {
            let picked: Vec<String> = all.iter().map(|at| tree.pick(*at)).collect();
            let ids: Vec<MessageId> = picked.iter().map(|id| id.as_str().into()).collect();
            session.delete(&ids).await.unwrap();
            let before = tree.nodes.len();
            picked.iter().for_each(|id| tree.delete(id));
            if tree.nodes.len() < before {
                tree.look_at(tree.descend(tree.active.clone()));
            }
        }
        Step::Clear => {
            session.clear().await.unwrap();
            *tree = Tree::default();
        }
    }
}

fn names(ids: Vec<MessageId>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

async fn compare(session: &Session, tree: &Tree) {
    let active = session.active_leaf().await.unwrap();
    assert_eq!(active.map(|id| id.to_string()), tree.active);
    let path = tree.path(tree.active.as_deref());
    assert_eq!(names(session.history_ids(None).await.unwrap()), path);
    assert_eq!(session.message_count().await.unwrap(), tree.nodes.len() as u64);
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
    for (id, parent) in &tree.nodes {
        let id = MessageId::from(id.as_str());
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
        });
    }
}
