//! Random lives of several sessions, told to the store and to a world in memory that is too simple to be wrong: trees,
//! pins, summaries, copies and the trash. After each step everything that was stored can be reached.

use crate::family::{Family, names};
use crate::support::Story;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::{MessageId, SessionId};
use session::{NewSession, Parent, Pin, Session, SessionError, SessionManager};
use testkit::user;
use world::{Overlay, Told, World};

mod world;

#[derive(Debug, Clone)]
enum Step {
    Move(Move),
    Mark(Mark),
    /// A copy of the path to some message, which is worked on from then on.
    Fork(usize),
    /// Another session is worked on.
    Go(usize),
    Trash(usize),
    Restore(usize),
}

/// What changes the tree.
#[derive(Debug, Clone)]
enum Move {
    Append,
    AppendUnder(usize),
    Regenerate,
    NewRoot,
    SetActive(usize),
    Delete(Vec<usize>),
    Clear,
}

/// What leaves the tree as it is.
#[derive(Debug, Clone)]
enum Mark {
    Update(usize),
    Pin(usize),
    Unpin(usize),
    /// From one message of the active path to another.
    Cover(usize, usize),
    EditSummary(usize),
    Uncover(usize),
}

fn any_move() -> impl Strategy<Value = Move> {
    let any = any::<usize>;
    prop_oneof![
        10 => Just(Move::Append),
        3 => any().prop_map(Move::AppendUnder),
        2 => Just(Move::Regenerate),
        1 => Just(Move::NewRoot),
        3 => any().prop_map(Move::SetActive),
        3 => vec(any(), 1..4).prop_map(Move::Delete),
        1 => Just(Move::Clear),
    ]
}

fn any_mark() -> impl Strategy<Value = Mark> {
    let any = any::<usize>;
    prop_oneof![
        2 => any().prop_map(Mark::Update),
        2 => any().prop_map(Mark::Pin),
        1 => any().prop_map(Mark::Unpin),
        5 => (any(), any()).prop_map(|(from, to)| Mark::Cover(from, to)),
        1 => any().prop_map(Mark::EditSummary),
        1 => any().prop_map(Mark::Uncover),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let any = any::<usize>;
    prop_oneof![
        12 => any_move().prop_map(Step::Move),
        6 => any_mark().prop_map(Step::Mark),
        1 => any().prop_map(Step::Fork),
        1 => any().prop_map(Step::Go),
        1 => any().prop_map(Step::Trash),
        1 => any().prop_map(Step::Restore),
    ]
}

/// The file and the worlds in memory, one a session.
struct Both {
    manager: SessionManager,
    worlds: Vec<(SessionId, World)>,
    thrown_away: Vec<(SessionId, World)>,
    /// Which of the worlds is worked on.
    at: usize,
}

impl Both {
    async fn begin(manager: SessionManager) -> Self {
        let new = NewSession { id: Some("first".into()), ..NewSession::default() };
        manager.create(new).await.unwrap();
        Self { manager, worlds: vec![("first".into(), World::default())], thrown_away: Vec::new(), at: 0 }
    }

    async fn session(&self, id: &SessionId) -> Session {
        self.manager.session(id).await.unwrap().unwrap()
    }

    fn here(&mut self) -> (SessionId, &mut World) {
        let (id, world) = &mut self.worlds[self.at];
        (id.clone(), world)
    }

    async fn take(&mut self, step: &Step, number: usize) {
        match step {
            Step::Fork(at) => self.fork(*at).await,
            Step::Go(to) => self.at = to % self.worlds.len(),
            Step::Trash(which) if self.worlds.len() > 1 => {
                let gone = self.worlds.remove(which % self.worlds.len());
                assert!(self.manager.delete(&gone.0).await.unwrap());
                assert!(self.manager.session(&gone.0).await.unwrap().is_none());
                self.thrown_away.push(gone);
                self.at = 0;
            }
            Step::Restore(which) if !self.thrown_away.is_empty() => {
                let back = self.thrown_away.remove(which % self.thrown_away.len());
                assert!(self.manager.restore(&back.0).await.unwrap().is_some());
                self.worlds.push(back);
            }
            Step::Trash(_) | Step::Restore(_) => {}
            Step::Move(step) => {
                let session = self.session(&self.worlds[self.at].0).await;
                go(step, &format!("m{number}"), &session, self.here().1).await;
            }
            Step::Mark(step) => {
                let session = self.session(&self.worlds[self.at].0).await;
                mark(step, &format!("m{number}"), &session, self.here().1).await;
            }
        }
    }

    async fn fork(&mut self, at: usize) {
        let manager = self.manager.clone();
        let (id, world) = self.here();
        let Some(name) = world.pick(at) else { return };
        let forked = manager.fork(&id, &name.as_str().into(), "copy").await.unwrap();
        let told = world.shown(Some(&name));
        let mut copy = World::default();
        assert_eq!(forked.ids.len(), told.len());
        for (Told { id, text }, (old, new)) in told.into_iter().zip(forked.ids) {
            assert_eq!(old.as_str(), id);
            copy.append(new.as_str(), &text, copy.active());
            if world.pins.contains(&id) {
                copy.pins.insert(new.to_string());
            }
        }
        self.worlds.push((forked.session.id, copy));
        self.at = self.worlds.len() - 1;
    }
}

/// Does one step in one session and its world.
async fn go(step: &Move, fresh: &str, session: &Session, world: &mut World) {
    let append = async |parent: Parent| session.append(&user(fresh, fresh), parent).await.unwrap();
    let below = |id: Option<String>| id.map_or(Parent::Root, |id| Parent::Under(id.into()));
    match step {
        Move::Append => {
            append(Parent::ActiveLeaf).await;
            world.append(fresh, fresh, world.active());
        }
        Move::AppendUnder(at) => {
            let parent = world.pick(*at);
            append(below(parent.clone())).await;
            world.append(fresh, fresh, parent);
        }
        Move::Regenerate => {
            let parent = world.active().and_then(|leaf| world.parent(&leaf));
            append(below(parent.clone())).await;
            world.append(fresh, fresh, parent);
        }
        Move::NewRoot => {
            append(Parent::Root).await;
            world.append(fresh, fresh, None);
        }
        Move::SetActive(at) => {
            let Some(id) = world.pick(*at) else { return };
            session.set_active(&id.as_str().into()).await.unwrap().unwrap();
            world.set_active(id);
        }
        Move::Delete(all) => {
            let names: Vec<String> = all.iter().filter_map(|at| world.pick(*at)).collect();
            let ids: Vec<MessageId> = names.iter().map(|id| id.as_str().into()).collect();
            session.delete(&ids).await.unwrap();
            world.delete(&names);
        }
        Move::Clear => {
            let _deletion = session.clear().await.unwrap();
            *world = World::default();
        }
    }
}

/// The same for what leaves the tree as it is.
async fn mark(step: &Mark, text: &str, session: &Session, world: &mut World) {
    match step {
        Mark::Update(at) => {
            let Some(id) = world.pick(*at) else { return };
            assert!(session.update(&user(&id, text)).await.unwrap());
            world.set_text(&id, text);
        }
        Mark::Pin(at) => {
            let Some(id) = world.pick(*at) else { return };
            assert!(session.set_pinned(&id.as_str().into(), Pin::Pinned).await.unwrap());
            world.pins.insert(id);
        }
        Mark::Unpin(at) => {
            let Some(id) = world.pick(*at) else { return };
            assert!(session.set_pinned(&id.as_str().into(), Pin::Loose).await.unwrap());
            world.pins.remove(&id);
        }
        Mark::Cover(from, to) => {
            let path = world.path(world.active().as_deref());
            let (Some(from), Some(to)) = (pick(&path, *from), pick(&path, *to)) else { return };
            let done = session.add_compaction(text, &from.as_str().into(), &to.as_str().into()).await;
            match world.may_cover(&from, &to) {
                Ok(()) => {
                    let id = done.unwrap().id.to_string();
                    world.overlays.push(Overlay { id, summary: text.to_owned(), from, to });
                }
                Err(None) => assert!(matches!(done, Err(SessionError::NotOnePath { .. })), "{done:?}"),
                Err(Some(pinned)) => {
                    assert!(
                        matches!(&done, Err(SessionError::Pinned(id)) if pinned.contains(id.as_str())),
                        "{done:?}"
                    );
                }
            }
        }
        Mark::EditSummary(at) => {
            let Some(number) = at.checked_rem(world.overlays.len()) else { return };
            let overlay = &mut world.overlays[number];
            text.clone_into(&mut overlay.summary);
            session.set_summary(&overlay.id.as_str().into(), text).await.unwrap().unwrap();
        }
        Mark::Uncover(at) => {
            let Some(number) = at.checked_rem(world.overlays.len()) else { return };
            let overlay = world.overlays.remove(number);
            assert!(session.delete_compaction(&overlay.id.as_str().into()).await.unwrap());
        }
    }
}

fn pick(list: &[String], number: usize) -> Option<String> {
    Some(list[number.checked_rem(list.len())?].clone())
}

/// A session is its world, as far as anybody can see.
async fn compare(session: &Session, world: &World) {
    let active = world.active();
    assert_eq!(session.active_leaf().await.unwrap().map(|id| id.to_string()), active);
    assert_eq!(names(session.history_ids(None).await.unwrap()), world.path(active.as_deref()));
    let history = session.history(None).await.unwrap();
    let shown: Vec<Told> =
        history.iter().map(|m| Told { id: m.id.to_string(), text: m.plain_text() }).collect();
    assert_eq!((shown, history.broken.len()), (world.shown(active.as_deref()), 0));
    assert_eq!(names(session.pinned().await.unwrap()), world.pinned());
    let overlays = session.compactions().await.unwrap().into_iter();
    let overlays: Vec<Overlay> = overlays
        .map(|o| Overlay {
            id: o.id.to_string(),
            summary: o.summary,
            from: o.from.to_string(),
            to: o.to.to_string(),
        })
        .collect();
    assert_eq!(overlays, world.overlays);

    let mut reached = std::collections::BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        reached.extend(names(session.history_ids(Some(&leaf)).await.unwrap()));
    }
    assert_eq!(reached, world.all());
    assert_eq!(session.message_count().await.unwrap(), world.all().len() as u64);
}

async fn live(steps: &[Step]) {
    let story = Story::begin().await;
    let mut both = Both::begin(story.manager.clone()).await;
    for (number, step) in steps.iter().enumerate() {
        both.take(step, number).await;
        let (id, world) = &both.worlds[both.at];
        compare(&both.session(id).await, world).await;
    }
    while !both.thrown_away.is_empty() {
        both.take(&Step::Restore(0), 0).await;
    }
    for (id, world) in &both.worlds {
        let session = both.session(id).await;
        compare(&session, world).await;
        for Told { id, text } in world.texts() {
            assert_eq!(session.get(&id.as_str().into()).await.unwrap().unwrap().plain_text(), text);
        }
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn sessions_are_the_worlds_in_memory(steps in vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(live(&steps));
    }
}
