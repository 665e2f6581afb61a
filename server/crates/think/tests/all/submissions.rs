//! Turns that are handed in, and tasks that hand them in: what runs, in which order, and what a restart makes of it.

use crate::support::{Stage, soon, stage, stage_with, user};
use futures::future::BoxFuture;
use model::{Gate, Script, ScriptedModel};
use protocol::{ErrorCode, Message, Submission, SubmissionStatus, WireError};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use think::{NewSubmission, Rest, Schedule, ScheduledHandler, ScheduledTask, ScheduledWork, ThinkError};
use tokio::sync::Notify;

fn new(key: &str) -> NewSubmission {
    NewSubmission {
        idempotency_key: Some(key.to_owned()),
        messages: vec![user(key)],
        metadata: Some(json!({ "for": key })),
        ..NewSubmission::default()
    }
}

/// Waits until a submission stands there.
async fn until(stage: &Stage, id: &str, wanted: SubmissionStatus) -> Submission {
    let look = async {
        loop {
            let submission = stage.engine.submission(id).await.unwrap().unwrap();
            if submission.status == wanted {
                return submission;
            }
            tokio::task::yield_now().await;
        }
    };
    soon(&format!("{id} is {wanted:?}"), look).await
}

fn code(error: &ThinkError) -> ErrorCode {
    WireError::from(error).code
}

#[tokio::test]
async fn what_is_handed_in_runs_in_order_and_once() {
    let stage = stage([Script::new().text("one").stop(), Script::new().text("two").stop()]).await;
    let first = stage.engine.submit_messages(new("k1")).await.unwrap();
    stage.clock.advance(1);
    let second = stage.engine.submit_messages(new("k2")).await.unwrap();
    let again = stage.engine.submit_messages(new("k1")).await.unwrap();
    assert_eq!((first.accepted, second.accepted, again.accepted), (true, true, false));
    assert_eq!(again.submission.id, first.submission.id);

    let done = until(&stage, &second.submission.id, SubmissionStatus::Completed).await;
    assert_eq!(stage.path().await, "k1:say k1 *:one k2:say k2 *:two");
    assert_eq!(done.metadata, Some(json!({ "for": "k2" })));
    assert!(done.times.messages_applied_at.is_some() && done.times.completed_at.is_some());
    let listed = stage.engine.submissions(Some(SubmissionStatus::Completed), 9).await.unwrap();
    assert_eq!(listed.iter().map(|it| it.messages[0].id.as_str()).collect::<Vec<_>>(), ["k2", "k1"]);
    assert!(stage.engine.delete_submission(&done.id).await.unwrap());
    assert_eq!(stage.engine.submission(&done.id).await.unwrap(), None);
}

// Whoever comes second gets what the first one made, however close together they are.
#[tokio::test]
async fn of_many_that_hand_in_the_same_at_once_one_counts() {
    let stage = stage([Script::new().text("one").stop()]).await;
    let with_id = |n: usize| NewSubmission { id: Some(format!("s{n}")), ..new("k") };
    let all = (0..16).map(|n| if n % 2 == 0 { new("k") } else { with_id(n) });
    let all: Vec<_> = all.map(|new| stage.engine.submit_messages(new)).collect();
    let handed_in: Vec<_> = futures::future::join_all(all).await.into_iter().map(Result::unwrap).collect();
    let ids: std::collections::BTreeSet<_> = handed_in.iter().map(|it| it.submission.id.clone()).collect();
    let accepted = handed_in.iter().filter(|it| it.accepted).count();
    assert_eq!((ids.len(), accepted), (1, 1), "{ids:?}");
    until(&stage, ids.first().unwrap(), SubmissionStatus::Completed).await;
    assert_eq!(stage.path().await, "k:say k *:one");
}

/// A message of anybody.
fn said(id: &str, role: &str, text: &str) -> Message {
    let parts = json!([{ "type": "text", "text": text }]);
    testkit::message(id, role, &parts)
}

#[tokio::test]
async fn a_submission_may_tell_a_whole_conversation() {
    let stage = stage([Script::new().text("ok").stop(), Script::new().text("more").stop()]).await;
    let mut forged = said("a1", "assistant", "Hello.");
    let turn = json!({ "bough": { "status": "running", "model": "m", "startedAt": 1 }, "own": 1 });
    forged.metadata = serde_json::from_value(turn).unwrap();
    let messages =
        vec![said("s1", "system", "Be brief."), said("u1", "user", "hi"), forged, said("u2", "user", "so?")];
    let first =
        stage.engine.submit_messages(NewSubmission { messages, ..new("k1") }).await.unwrap().submission;
    let done = until(&stage, &first.id, SubmissionStatus::Completed).await;
    assert_eq!(stage.path().await, "s1:Be brief. u1:hi a1:Hello. u2:so? *:ok");
    let own = stage.history().await[2].metadata.clone().unwrap();
    assert_eq!(serde_json::to_value(own).unwrap(), json!({ "own": 1 }));
    let times = done.times;
    assert_eq!(
        (times.started_at, times.messages_applied_at, times.completed_at),
        (Some(1_000_000), Some(1_000_000), Some(1_000_000))
    );
    // One that ends in an answer asks for more of it.
    let messages = vec![said("u3", "user", "and?"), said("a3", "assistant", "Well,")];
    let second =
        stage.engine.submit_messages(NewSubmission { messages, ..new("k2") }).await.unwrap().submission;
    until(&stage, &second.id, SubmissionStatus::Completed).await;
    assert_eq!(stage.path().await, "s1:Be brief. u1:hi a1:Hello. u2:so? *:ok u3:and? a3:Well, *:more");
    // What the conversation holds already is neither said nor answered again.
    let messages = vec![said("u3", "user", "and?"), said("a3", "assistant", "Well,")];
    let third =
        stage.engine.submit_messages(NewSubmission { messages, ..new("k3") }).await.unwrap().submission;
    let skipped = until(&stage, &third.id, SubmissionStatus::Skipped).await;
    assert_eq!((skipped.times.messages_applied_at, stage.model.requests().len()), (None, 2));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let stage = stage([Script::new().text("ok").stop(), Script::new().text("ok").stop()]).await;
    let id = |id: &str, key: &str| NewSubmission { id: Some(id.to_owned()), ..new(key) };
    let one = stage.engine.submit_messages(id("a", "k1")).await.unwrap();
    let _other = stage.engine.submit_messages(id("b", "k2")).await.unwrap();
    let known = stage.engine.submit_messages(id("a", "new key")).await.unwrap();
    assert_eq!((known.accepted, known.submission.id), (false, one.submission.id));
    let empty = NewSubmission { messages: Vec::new(), ..new("k3") };
    let elsewhere = NewSubmission { session: "nowhere".into(), ..new("k4") };
    let twice = NewSubmission { messages: vec![user("u"), user("u")], ..new("k5") };
    let nobody = NewSubmission { messages: vec![said("u", "nobody", "hi")], ..new("k6") };
    let silent = Message { parts: Vec::new(), ..user("u") };
    let silent = NewSubmission { messages: vec![silent], ..new("k7") };
    for (wrong, expected) in [
        (id("a", "k2"), ErrorCode::Conflict),
        (empty, ErrorCode::BadRequest),
        (elsewhere, ErrorCode::UnknownSession),
        (twice, ErrorCode::BadRequest),
        (nobody, ErrorCode::BadRequest),
        (silent, ErrorCode::BadRequest),
    ] {
        let error = stage.engine.submit_messages(wrong).await.unwrap_err();
        assert_eq!(code(&error), expected, "{error}");
    }
}

#[tokio::test]
async fn cancelling_before_the_slot_stores_nothing_and_later_stops_the_turn() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("par").hold(&gate).text("tial").stop()]).await;
    let running = stage.engine.submit_messages(new("k1")).await.unwrap().submission;
    until(&stage, &running.id, SubmissionStatus::Running).await;
    let waiting = stage.engine.submit_messages(new("k2")).await.unwrap().submission;
    let cancelled = stage.engine.cancel_submission(&waiting.id).await.unwrap().unwrap();
    assert_eq!(cancelled.status, SubmissionStatus::Aborted);
    assert!(!stage.engine.delete_submission(&running.id).await.unwrap());
    let mut tab = stage.tab().await;
    tab.ack(running.request_id.as_str(), None).await;
    tab.until_text(running.request_id.as_str(), "par").await;
    let _still = stage.engine.cancel_submission(&running.id).await.unwrap();
    until(&stage, &running.id, SubmissionStatus::Aborted).await;
    assert_eq!(stage.path().await, "k1:say k1 *:par");
    assert_eq!(stage.engine.cancel_submission("nobody").await.unwrap(), None);
}

#[tokio::test]
async fn a_clear_skips_what_waits() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("par").hold(&gate).stop()]).await;
    let running = stage.engine.submit_messages(new("k1")).await.unwrap().submission;
    until(&stage, &running.id, SubmissionStatus::Running).await;
    let waiting = stage.engine.submit_messages(new("k2")).await.unwrap().submission;
    let _live = stage.engine.messages(&"".into()).await.unwrap();
    assert!(stage.engine.clear_session(&"".into()).await.unwrap());
    until(&stage, &waiting.id, SubmissionStatus::Skipped).await;
}

#[tokio::test]
async fn a_restart_goes_on_with_what_waits() {
    let gate = Gate::new();
    let before = stage([Script::new().hold(&gate).text("never").stop()]).await;
    let first = before.engine.submit_messages(new("k1")).await.unwrap().submission;
    let running = until(&before, &first.id, SubmissionStatus::Running).await;
    before.clock.advance(1);
    let second = before.engine.submit_messages(new("k2")).await.unwrap().submission;
    assert_eq!(running.error, None);
    let applied = async {
        while before.engine.submission(&first.id).await.unwrap().unwrap().times.messages_applied_at.is_none()
        {
            tokio::task::yield_now().await;
        }
    };
    soon("the messages are stored", applied).await;
    let after = before.after_kill([Script::new().text("one").stop(), Script::new().text("two").stop()]).await;
    until(&after, &first.id, SubmissionStatus::Completed).await;
    until(&after, &second.id, SubmissionStatus::Completed).await;
    assert_eq!(after.path().await, "k1:say k1 *:one k2:say k2 *:two");
}

// A turn that goes on after its tools does so as another request; whoever handed it in still hears its end.
#[tokio::test]
async fn a_stop_between_tools_and_words_is_no_end() {
    let adding = Script::new().tool("c1", "add", &json!({ "a": 1, "b": 2 })).tool_calls();
    let before = stage([adding, Script::new().hold(&Gate::new()).stop()]).await;
    let handed_in = before.engine.submit_messages(new("k1")).await.unwrap().submission;
    before.model.wait_for_calls(2).await;
    soon("the stop", before.engine.shutdown()).await;
    let stopped = before.engine.submission(&handed_in.id).await.unwrap().unwrap();
    assert_eq!(stopped.status, SubmissionStatus::Running);
    let after = before.after_kill([Script::new().text("It is 3.").stop()]).await;
    until(&after, &handed_in.id, SubmissionStatus::Completed).await;
    assert_eq!(after.path().await, "k1:say k1 *:It is 3.");
}

fn tasks(schedule: &str, prompt: &str) -> BTreeMap<String, ScheduledTask> {
    let task = ScheduledTask {
        schedule: Schedule::parse(schedule, None).unwrap(),
        session: "".into(),
        work: ScheduledWork::Prompt(prompt.to_owned()),
    };
    BTreeMap::from([("report".to_owned(), task)])
}

// The clock stands at 1,000 s.
#[tokio::test]
async fn a_task_runs_at_its_time_once_and_missed_times_are_left_out() {
    let script = || Script::new().text("ok").stop();
    let model = ScriptedModel::new([script(), script()]);
    let stage = stage_with(model, |spec| spec.schedules = tasks("every 1 hour", "Report.")).await;
    let next =
        |told: Vec<protocol::ScheduleInfo>| told.into_iter().map(|it| it.next_run_at).collect::<Vec<_>>();
    assert_eq!(next(stage.engine.schedules().await.unwrap()), [4_600_000]);
    assert_eq!(stage.engine.submissions(None, 9).await.unwrap(), []);
    stage.clock.set(4_600_000);
    stage.hook_calls(1).await;
    // Two and a half hours later: one run, and the next time is on the grid.
    stage.clock.set(4_600_000 + 9_000_000);
    stage.hook_calls(2).await;
    let runs = stage.engine.submissions(None, 9).await.unwrap();
    let keys: Vec<_> = runs.iter().filter_map(|it| it.idempotency_key.clone()).collect();
    assert_eq!(keys, ["schedule:default:report:8200000", "schedule:default:report:4600000"]);
    let armed = async {
        while next(stage.engine.schedules().await.unwrap()) != [15_400_000] {
            tokio::task::yield_now().await;
        }
    };
    soon("the next time", armed).await;

    // Another prompt keeps the time; another schedule counts from now; none removes the task.
    let at = |changed: BTreeMap<String, ScheduledTask>| {
        let stage = &stage;
        async move {
            let after = stage.after_kill_with([], |spec| spec.schedules = changed).await;
            next(after.engine.schedules().await.unwrap())
        }
    };
    assert_eq!(at(tasks("every 1 hour", "Another.")).await, [15_400_000]);
    assert_eq!(at(tasks("every 2 hours", "Report.")).await, [13_600_000 + 7_200_000]);
    assert_eq!(at(BTreeMap::new()).await, Vec::<u64>::new());
}

// A clock that is put back runs nothing again and moves no time; one that is put far ahead runs a task once.
#[tokio::test]
async fn a_clock_that_is_set_repeats_nothing() {
    let model = ScriptedModel::answering(|_request| Script::new().text("ok").stop());
    let stage = stage_with(model, |spec| spec.schedules = tasks("every 1 hour", "Report.")).await;
    stage.clock.set(4_600_000);
    stage.hook_calls(1).await;
    stage.clock.set(5_000);
    let after = stage.after_kill_with([], |spec| spec.schedules = tasks("every 1 hour", "Report.")).await;
    let next: Vec<_> = after.engine.schedules().await.unwrap().iter().map(|it| it.next_run_at).collect();
    assert_eq!((next, after.engine.submissions(None, 9).await.unwrap().len()), (vec![8_200_000], 1));
    stage.clock.set(400_000_000);
    stage.hook_calls(2).await;
    assert_eq!(stage.engine.submissions(None, 9).await.unwrap().len(), 2);
}

/// Works until it is let go; told when it begins.
#[derive(Clone)]
struct Slow(Arc<Notify>, Arc<Notify>);

impl ScheduledHandler for Slow {
    fn run(&self, _task: &str, _due_ms: u64) -> BoxFuture<'static, Result<(), String>> {
        let Self(begun, may_end) = self.clone();
        Box::pin(async move {
            begun.notify_one();
            may_end.notified().await;
            Ok(())
        })
    }
}

// An instance that nobody looks at may be closed, but not under the hands of its own tasks.
#[tokio::test]
async fn an_instance_does_not_rest_while_a_scheduled_handler_works() {
    let slow = Slow(Arc::default(), Arc::default());
    let work = ScheduledWork::Handler(Arc::new(slow.clone()));
    let stage = stage_with(ScriptedModel::new([]), |spec| {
        spec.schedules = tasks("every 1 hour", "");
        spec.schedules.get_mut("report").unwrap().work = work;
    })
    .await;
    let rested = async |due| {
        while stage.engine.rest().await.unwrap() != (Rest::Quiet { due: Some(due) }) {
            tokio::task::yield_now().await;
        }
    };
    // Its first task, which plans the others, is over soon after the start.
    soon("the rest", rested(4_600_000)).await;
    stage.clock.set(4_600_000);
    soon("the handler", slow.0.notified()).await;
    assert_eq!(stage.engine.rest().await.unwrap(), Rest::Active);
    slow.1.notify_one();
    soon("the end of the handler", rested(8_200_000)).await;
}
