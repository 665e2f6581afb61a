//! When instances are closed, kept open, and opened again.

use super::*;
use db::{Clock, UuidSource};
use futures::StreamExt;
use model::{LanguageModel, ModelError, ModelRequest, ModelStream};
use protocol::{Message, Role, SessionId, SubmissionStatus};
use session::NewSession;
use std::pin::Pin;
use std::time::Duration;
use tempfile::TempDir;
use think::{ModelSource, NewSubmission, Rest, Schedule, ScheduledTask, ScheduledWork};
use tokio::sync::watch;

/// A clock that stands until it is set.
#[derive(Debug, Clone)]
pub(crate) struct SetClock(pub(crate) watch::Sender<u64>);

impl Clock for SetClock {
    fn now_ms(&self) -> u64 {
        *self.0.borrow()
    }

    fn reached<'a>(&'a self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let mut now = self.0.subscribe();
        Box::pin(async move {
            let _gone = now.wait_for(|now| *now >= at_ms).await;
        })
    }
}

/// A model that never says anything.
struct Silent;

impl LanguageModel for Silent {
    fn name(&self) -> &str {
        "test/silent"
    }

    fn call(&self, _request: ModelRequest) -> ModelStream {
        futures::stream::pending().boxed()
    }
}

impl ModelSource for Silent {
    fn model(&self, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Ok(Arc::new(Silent))
    }
}

struct Stage {
    instances: Instances,
    clock: SetClock,
    _folder: TempDir,
}

const HOUR_MS: u64 = 3_600_000;

fn stage(room: usize) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock(watch::Sender::new(HOUR_MS));
    let world = World { clock: Arc::new(clock.clone()), ids: Arc::new(UuidSource) };
    let plain = AgentSpec::new("plain", "test/silent", Arc::new(Silent));
    let mut busy = AgentSpec::new("busy", "test/silent", Arc::new(Silent));
    let task = ScheduledTask {
        schedule: Schedule::parse("every 1 hour", None).unwrap(),
        session: SessionId::default(),
        work: ScheduledWork::Prompt("Report.".to_owned()),
    };
    let _none = busy.schedules.insert("report".to_owned(), task);
    let data = DataConfig { folder: folder.path().to_owned(), ..DataConfig::default() };
    let instances = Instances { room, ..Instances::new(vec![plain, busy], data, world) };
    Stage { instances, clock, _folder: folder }
}

/// Looks until it is so.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let look = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), look).await.unwrap_or_else(|_| panic!("never: {what}"));
}

#[tokio::test]
async fn what_nobody_uses_is_closed_and_opened_again_with_everything_in_it() {
    let Stage { instances, _folder, .. } = stage(9);
    let (used, left) =
        (instances.engine("plain", "used").await.unwrap(), instances.engine("plain", "left").await.unwrap());
    let made =
        left.create_session(NewSession { name: "kept".to_owned(), ..NewSession::default() }).await.unwrap();
    let remains = think::Engine::clone(&left);
    drop(left);
    instances.close_unused(Duration::from_secs(3_600)).await;
    assert_eq!(instances.count(), 2, "it was used a moment ago");
    until("the tasks of the start to end", async || {
        remains.rest().await.unwrap() == Rest::Quiet { due: None }
    })
    .await;
    instances.close_unused(Duration::ZERO).await;
    assert_eq!(instances.count(), 1);
    until("its tasks to end", async || {
        remains.vitals() == think::Vitals { tasks: 1, ..think::Vitals::default() }
    })
    .await;

    let again = instances.engine("plain", "left").await.unwrap();
    assert_eq!(again.get_session(&made.id).await.unwrap().map(|row| row.name), Some("kept".to_owned()));
    assert_eq!(used.get_session(&made.id).await.unwrap(), None);
    assert_eq!(instances.count(), 2);
    drop((used, again));
    instances.shutdown().await;
    assert!(matches!(instances.engine("plain", "left").await, Err(InstanceError::Stopping)));
}

#[tokio::test]
async fn what_runs_or_waits_keeps_an_instance_open() {
    let Stage { instances, _folder, .. } = stage(9);
    let lease = instances.engine("plain", "one").await.unwrap();
    let engine = think::Engine::clone(&lease);
    drop(lease);
    let new =
        NewSubmission { messages: vec![Message::text("u1", Role::User, "hi")], ..NewSubmission::default() };
    let submission = engine.submit_messages(new).await.unwrap().submission;
    instances.close_unused(Duration::ZERO).await;
    assert_eq!((instances.count(), engine.rest().await.unwrap()), (1, Rest::Active));
    until("its turn", async || {
        engine.submission(&submission.id).await.unwrap().unwrap().times.messages_applied_at.is_some()
    })
    .await;
    instances.close_unused(Duration::ZERO).await;
    assert_eq!(instances.count(), 1);
    let _stopped = engine.cancel_submission(&submission.id).await.unwrap();
    until("the end of the turn", async || matches!(engine.rest().await, Ok(Rest::Quiet { .. }))).await;
    instances.close_unused(Duration::ZERO).await;
    assert_eq!(instances.count(), 0);
}

#[tokio::test]
async fn a_closed_instance_is_opened_when_its_own_task_is_due() {
    let Stage { instances, clock, _folder } = stage(9);
    drop(instances.engine("busy", "one").await.unwrap());
    until("it to be closed", async || {
        instances.close_unused(Duration::ZERO).await;
        instances.count() == 0
    })
    .await;
    instances.open_due().await;
    assert_eq!(instances.count(), 0, "nothing is due yet");
    let due = instances.open().due.clone();
    assert_eq!(due, BTreeMap::from([(("busy".to_owned(), "one".to_owned()), 2 * HOUR_MS)]));

    let _was = clock.0.send_replace(2 * HOUR_MS);
    // As the server does it: the wait for the task ends by itself.
    let kept = async {
        tokio::select! {
            () = instances.keep(Some(Duration::from_secs(3_600))) => {}
            () = until("it to be open", async || instances.count() == 1) => {}
        }
    };
    kept.await;
    let engine = instances.engine("busy", "one").await.unwrap();
    until("the task's turn", async || {
        let handed_in = engine.submissions(None, 9).await.unwrap();
        handed_in.iter().any(|one| one.status == SubmissionStatus::Running)
    })
    .await;
    assert!(instances.open().due.is_empty());
    drop(engine);
    instances.shutdown().await;
}

// A request that makes room closes instances too, also where nobody looks for unused ones.
#[tokio::test]
async fn what_was_closed_to_make_room_is_opened_when_its_own_task_is_due() {
    let Stage { instances, clock, _folder } = stage(1);
    drop(instances.engine("busy", "one").await.unwrap());
    let story = async {
        until("room for another", async || instances.engine("plain", "two").await.is_ok()).await;
        until("it to be closed", async || {
            instances.close_unused(Duration::ZERO).await;
            instances.count() == 0
        })
        .await;
        let _was = clock.0.send_replace(2 * HOUR_MS);
        until("the first to be open", async || instances.count() == 1).await;
    };
    tokio::select! {
        biased;
        () = instances.keep(None) => {}
        () = story => {}
    }
    drop(instances.engine("busy", "one").await.unwrap());
    assert!(instances.open().due.is_empty());
    instances.shutdown().await;
}

#[tokio::test]
async fn where_there_is_no_room_the_longest_unused_makes_some() {
    let Stage { instances, _folder, .. } = stage(2);
    drop(instances.engine("plain", "oldest").await.unwrap());
    drop(instances.engine("plain", "newer").await.unwrap());
    let third = instances.engine("plain", "third").await.unwrap();
    let names: Vec<String> = instances.all().into_iter().map(|((_, name), _)| name).collect();
    assert_eq!((names.len(), names.contains(&"oldest".to_owned())), (2, false), "{names:?}");
    let fourth = instances.engine("plain", "fourth").await.unwrap();
    let refused = instances.engine("plain", "fifth").await;
    assert!(matches!(refused, Err(InstanceError::TooMany)));
    drop((third, fourth));
}

async fn poll_at_most(times: u32, mut future: Pin<&mut impl Future>) {
    for _ in 0..times {
        if futures::poll!(future.as_mut()).is_ready() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_closing_that_is_broken_off_anywhere_is_brought_to_its_end() {
    let Stage { instances, _folder, .. } = stage(9);
    for polls in (0..14).map(|power| 1_u32 << power) {
        let engine = think::Engine::clone(&*instances.engine("busy", "one").await.unwrap());
        until("the tasks of the start to end", async || {
            matches!(engine.rest().await, Ok(Rest::Quiet { .. }))
        })
        .await;
        let mut closing = Box::pin(instances.close_unused(Duration::ZERO));
        poll_at_most(polls, closing.as_mut()).await;
        drop(closing);
        until("it to be closed", async || {
            instances.close_unused(Duration::ZERO).await;
            instances.count() == 0
        })
        .await;
        assert_eq!(instances.open().due.len(), 1, "after {polls}");
    }
}

#[tokio::test]
async fn a_place_that_nobody_filled_is_free_for_others() {
    let Stage { instances, _folder, .. } = stage(1);
    let mut opening = Box::pin(instances.engine("plain", "left"));
    assert!(futures::poll!(opening.as_mut()).is_pending());
    drop(opening);
    assert_eq!(instances.count(), 1, "whoever asked left while it was opened");
    let next = instances.engine("plain", "next").await.unwrap();
    assert_eq!((instances.count(), next.get_session(&"none".into()).await.unwrap()), (1, None));
}

#[tokio::test]
async fn a_request_that_comes_while_an_instance_is_closed_waits_and_opens_it() {
    let Stage { instances, _folder, .. } = stage(9);
    for _ in 0..20 {
        drop(instances.engine("plain", "one").await.unwrap());
        let (_, lease) =
            tokio::join!(instances.close_unused(Duration::ZERO), instances.engine("plain", "one"));
        let lease = lease.unwrap();
        assert_eq!(lease.get_session(&"none".into()).await.unwrap(), None, "its file is open");
        assert_eq!(instances.count(), 1);
    }
}
