//! What a killed server leaves behind, and what the next one makes of it.

use crate::support::{Stage, Tab, soon, stage, stage_with, story, tab_of, text_of, user};
use futures::future::BoxFuture;
use model::{Gate, Script, ScriptedModel};
use protocol::{
    Answered, ClientFrame, Part, ServerFrame, SessionId, ToolSpec, ToolVerdict, TurnStatus, limits,
};
use serde_json::{Value, json};
use std::sync::Arc;
use think::{Recovery, Tool};

// TK-044, A18
#[tokio::test]
async fn what_was_shown_survives_a_kill() {
    let gate = Gate::new();
    let script = (0..11).fold(Script::new(), |script, n| script.text(&format!("{n},"))).hold(&gate).stop();
    let before = stage([script]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "10,").await;
    let shown = text_of(&tab.seen, "r1");

    let after = before.after_kill([Script::new().text("next").stop()]).await;
    assert_eq!(after.path().await, format!("u1:say u1 *:{shown}"));
    assert_eq!(after.history().await[1].turn().unwrap().status, TurnStatus::Interrupted);
    let mut tab = after.tab().await;
    tab.until("greeting", |frame| matches!(frame, ServerFrame::Messages(_))).await;
    tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    tab.ack("r1", None).await;
    let frames = tab.rest().await;
    assert_eq!(story(&frames), ["resuming r1", "chunk r1", "done r1"]);
    assert_eq!(text_of(&frames, "r1"), shown);

    // The follow-up goes on below the interrupted answer.
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(after.path().await, format!("u1:say u1 *:{shown} u2:say u2 *:next"));
    assert_eq!(after.model.requests()[0].messages.len(), 3);
}

#[tokio::test]
async fn a_turn_that_never_spoke_runs_again() {
    let before = silent().await;
    let gate = Gate::new();
    let after = before.after_kill([Script::new().text("again").hold(&gate).stop()]).await;
    let mut tab = after.tab().await;
    after.model.wait_for_calls(1).await;
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(after.path().await, "u1:say u1 *:again");
    assert_eq!(after.hook_calls(1).await.len(), 1);
}

/// What a tab that opens now hears before anything else happens.
async fn greeting(mut tab: Tab) -> (Tab, Vec<String>) {
    let heard = story(&tab.rest().await);
    (tab, heard)
}

// While the turn is finished, who comes is told; at its end, everybody.
#[tokio::test]
async fn tabs_hear_that_an_interrupted_answer_is_being_finished() {
    let before = silent().await;
    let gate = Gate::new();
    let after = before.after_kill([Script::new().hold(&gate).text("again").stop()]).await;
    after.model.wait_for_calls(1).await;
    let (mut public, heard) = greeting(after.tab().await).await;
    assert_eq!(heard, ["identity", "resuming r1", "recovering true r1"]);
    let (mut page, heard) = greeting(after.page().await).await;
    assert_eq!(heard, ["identity", "messages[u1:say u1]", "resuming r1", "recovering true r1"]);
    after.clock.advance(limits::RECOVERING_TOLD_MS);
    let (mut late, heard) = greeting(after.tab().await).await;
    assert_eq!(heard, ["identity", "resuming r1"], "so long ago that it says nothing");
    gate.open();
    let end = ["recovering false r1", "done r1", "messages[u1:say u1 *:again]", "turn r1 Complete"];
    for tab in [&mut public, &mut page, &mut late] {
        assert_eq!(story(&tab.until_turn_ends("r1").await), end);
    }
    let (_tab, heard) = greeting(after.tab().await).await;
    assert_eq!(heard, ["identity", "messages[u1:say u1 *:again]"]);
}

#[tokio::test]
async fn an_interrupted_answer_that_is_stopped_or_cleared_is_over_too() {
    for frame in [ClientFrame::Cancel { id: "r1".into() }, ClientFrame::Clear {}] {
        let gate = Gate::new();
        let after = silent().await.after_kill([Script::new().hold(&gate).stop()]).await;
        after.model.wait_for_calls(1).await;
        let mut tab = after.tab().await;
        tab.say(frame).await;
        let heard = story(&tab.rest().await);
        assert_eq!(heard[2..5], ["recovering true r1", "recovering false r1", "done r1"], "{heard:?}");
    }
}

// What only waited was not interrupted.
#[tokio::test]
async fn an_answer_that_had_not_begun_is_not_called_interrupted() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&Gate::new()).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.rest().await;
    let after = before.after_kill([Script::new().hold(&gate).text("two").stop()]).await;
    after.model.wait_for_calls(1).await;
    let (mut tab, heard) = greeting(after.tab().await).await;
    assert_eq!(heard, ["identity", "resuming r2"]);
    gate.open();
    let end = ["done r2", "messages[u1:say u1 *:one u2:say u2 *:two]", "turn r2 Complete"];
    assert_eq!(story(&tab.until_turn_ends("r2").await), end);
}

// An answer that goes on does so under another name, and that one is told.
#[tokio::test]
async fn tabs_hear_that_an_answer_goes_on_after_its_tools() {
    let before = stage([adding("c1"), Script::new().hold(&Gate::new()).stop()]).await;
    before.tab().await.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(2).await;
    let gate = Gate::new();
    let after = before.after_kill([Script::new().hold(&gate).text("It is 3.").stop()]).await;
    after.model.wait_for_calls(1).await;
    let (mut tab, heard) = greeting(after.tab().await).await;
    let id = heard[1].strip_prefix("resuming ").unwrap().to_owned();
    assert_eq!(heard, ["identity".to_owned(), format!("resuming {id}"), format!("recovering true {id}")]);
    gate.open();
    let end = story(&tab.until_turn_ends(&id).await);
    assert_eq!(end.iter().filter(|word| **word == format!("recovering false {id}")).count(), 1, "{end:?}");
}

// A turn whose mere work ends the server must not do so at each start.
#[tokio::test]
async fn a_turn_that_never_speaks_is_not_tried_for_ever() {
    let mut killed = silent().await;
    for _again in 0..limits::RECOVERY_FRUITLESS_MAX {
        killed = killed.after_kill([Script::new().hold(&Gate::new()).stop()]).await;
        killed.model.wait_for_calls(1).await;
    }
    let after = killed.after_kill([]).await;
    assert_eq!(after.path().await, "u1:say u1");
    assert_eq!(failure_for_late_tabs(&after, "r1").await, exhausted("3 times without getting any further"));
    assert_eq!(after.model.requests().len(), 0);
    // The session is as good as any other.
    let next = after.after_kill([Script::new().text("fine").stop()]).await;
    let mut tab = next.tab().await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    assert_eq!(next.path().await, "u1:say u1 u2:say u2 *:fine");
}

// A18: what tools have given is kept, and none of them runs a second time.
#[tokio::test]
async fn a_turn_between_its_tools_and_its_words_goes_on() {
    let gate = Gate::new();
    let scripts = [adding("c1"), Script::new().hold(&gate).stop()];
    let before = stage(scripts).await;
    before.tab().await.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(2).await;
    let after = before.after_kill([Script::new().text("It is 3.").stop()]).await;
    let outcomes = after.hook_calls(1).await;
    assert_eq!((outcomes[0].is_continuation, outcomes[0].turn_status), (true, TurnStatus::Complete));
    assert_eq!(after.path().await, "u1:say u1 *:It is 3.");
    assert_eq!(calls(&after).await, ["c1 OutputAvailable"]);
    assert_eq!(after.model.requests()[0].messages.len(), 3, "question, call, result");
    // A second start finds nothing more to do.
    let twice = after.after_kill([]).await;
    assert_eq!(twice.history().await, after.history().await);
}

#[tokio::test]
async fn a_call_that_was_running_is_not_run_again() {
    let before =
        stage_with(ScriptedModel::new([endless("c1")]), |spec| spec.tools = vec![Arc::new(Endless)]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let is_called =
        |frame: &ServerFrame| serde_json::to_string(frame).unwrap().contains("tool-input-available");
    tab.until("the call", is_called).await;
    let after = before
        .after_kill_with([Script::new().text("I see.").stop()], |spec| spec.tools = vec![Arc::new(Endless)])
        .await;
    after.hook_calls(1).await;
    assert_eq!(after.path().await, "u1:say u1 *:I see.");
    assert_eq!(calls(&after).await, ["c1 OutputError"]);
}

#[tokio::test]
async fn a_turn_that_is_interrupted_too_often_is_given_up_with_what_it_had() {
    let scripts = |n: u32| [adding(&format!("c{n}")), Script::new().hold(&Gate::new()).stop()];
    let mut killed = stage(scripts(0)).await;
    killed.tab().await.submit("r1", vec![user("u1")]).await;
    killed.model.wait_for_calls(2).await;
    for n in 1..=limits::RECOVERY_ATTEMPTS_MAX {
        killed = killed.after_kill(scripts(n)).await;
        killed.model.wait_for_calls(2).await;
    }
    let after = killed.after_kill([]).await;
    let turn = after.history().await[1].turn().unwrap();
    assert_eq!((turn.status, turn.error), (TurnStatus::Failed, exhausted("11 times").1));
    assert_eq!(calls(&after).await.len(), 11);
    assert_eq!(after.model.requests().len(), 0);
}

// J11: a question that was asked before the stop can be answered after it.
#[tokio::test]
async fn a_question_survives_a_kill_in_the_middle_of_its_answer() {
    let gate = Gate::new();
    let asking = Script::new().tool("c1", "danger", &json!({ "target": "x" })).hold(&gate).tool_calls();
    let before = stage([asking]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let is_asked = |frame: &ServerFrame| serde_json::to_string(frame).unwrap().contains("approval-request");
    tab.until("the question", is_asked).await;
    let after = before.after_kill([Script::new().text("done").stop()]).await;
    assert_eq!(calls(&after).await, ["c1 ApprovalRequested"]);
    let tab = after.tab().await;
    tab.say(ClientFrame::ToolApproval(ToolVerdict::new("c1".into(), Answered::Yes))).await;
    // The first is the turn that the start ended.
    assert_eq!(after.hook_calls(2).await[1].turn_status, TurnStatus::Complete);
    assert_eq!(calls(&after).await, ["c1 OutputAvailable"]);
    assert_eq!(after.path().await, "u1:say u1 *:done");
}

// J11: a question whose time is over is put away, and the next one is like any other.
#[tokio::test]
async fn an_old_question_can_be_dismissed_and_blocks_no_other() {
    let asking = |id: &str| Script::new().tool(id, "danger", &json!({ "target": "x" })).tool_calls();
    let before = stage([asking("c1")]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let after = before.after_kill([asking("c2"), Script::new().text("done").stop()]).await;
    let (session, mut tab) = (SessionId::default(), after.tab().await);
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_turn_ends("r2").await;
    let old = after.history().await[1].id.clone();
    let dismissed = after.engine.dismiss(&session, &old).await.unwrap().unwrap();
    assert_eq!(dismissed, after.history().await[1]);
    assert_eq!(
        after.engine.dismiss(&session, &old).await.unwrap(),
        Some(dismissed.clone()),
        "once is enough"
    );
    assert_eq!(after.engine.dismiss(&session, &"nobody".into()).await.unwrap(), None);
    let story = story(&tab.rest().await);
    assert_eq!(story.len(), 1, "one update, no turn: {story:?}");
    // Too late for the old one; the new one is answered.
    for call in ["c1", "c2"] {
        tab.say(ClientFrame::ToolApproval(ToolVerdict::new(call.into(), Answered::Yes))).await;
    }
    after.hook_calls(2).await;
    assert_eq!(calls(&after).await, ["c1 OutputDenied", "c2 OutputAvailable"]);
    assert_eq!(after.model.requests().len(), 2);
}

/// J11: the list of sessions shows where somebody is waited for.
#[tokio::test]
async fn a_session_waits_for_somebody_until_the_question_is_put_away() {
    let stage = stage([Script::new().tool("c1", "danger", &json!({ "target": "x" })).tool_calls()]).await;
    let session = SessionId::default();
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let waiting = |expected: bool| move |frame: &ServerFrame| matches!(frame, ServerFrame::SessionChanged { session } if !session.is_running && session.is_waiting == expected);
    tab.until("the question", waiting(true)).await;
    let question = stage.history().await[1].id.clone();
    let _dismissed = stage.engine.dismiss(&session, &question).await.unwrap();
    tab.until("quiet", waiting(false)).await;
    assert!(!stage.engine.get_session(&session).await.unwrap().unwrap().is_waiting);
}

/// An answer that calls `add`.
fn adding(id: &str) -> Script {
    Script::new().tool(id, "add", &json!({ "a": 1, "b": 2 })).tool_calls()
}

fn endless(id: &str) -> Script {
    Script::new().tool(id, "endless", &json!({})).tool_calls()
}

/// A tool that never ends.
struct Endless;

impl Tool for Endless {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "endless".into(), description: None, parameters: None }
    }

    fn run(&self, _input: Value) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(std::future::pending())
    }
}

/// The calls of the session and how they stand.
async fn calls(stage: &Stage) -> Vec<String> {
    let history = stage.history().await;
    let calls = history.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
    calls.map(|tool| format!("{} {:?}", tool.call.tool_call_id, tool.call.state)).collect()
}

fn exhausted(times: &str) -> (TurnStatus, Option<String>) {
    let reason =
        format!("The server ended {times} while it worked on this answer, so it is not tried again.");
    (TurnStatus::Failed, Some(reason))
}

/// What a tab that opens now hears of a turn.
async fn failure_for_late_tabs(stage: &Stage, id: &str) -> (TurnStatus, Option<String>) {
    let mut late = tab_of(&stage.engine, "", Some(50)).await;
    match late.until_turn_ends(id).await.pop() {
        Some(ServerFrame::Turn { status, error, .. }) => (status, error),
        other => panic!("no end was told: {other:?}"),
    }
}

#[tokio::test]
async fn without_recovery_a_silent_turn_is_marked() {
    let after = silent().await.after_kill_with([], |spec| spec.turns.recovery = Recovery::Mark).await;
    let mut late = tab_of(&after.engine, "", Some(50)).await;
    let greeting = late.until_turn_ends("r1").await;
    assert_eq!(story(&greeting), ["identity", "messages[u1:say u1]", "turn r1 Interrupted"]);
}

/// A turn whose model was called and has not said a word.
async fn silent() -> Stage {
    let gate = Gate::new();
    let stage = stage([Script::new().hold(&gate).stop()]).await;
    stage.tab().await.submit("r1", vec![user("u1")]).await;
    stage.model.wait_for_calls(1).await;
    stage
}

#[tokio::test]
async fn queued_turns_that_never_ran_keep_their_place_and_run() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.submit("r3", vec![user("u3")]).await;
    tab.rest().await;
    let after = before.after_kill(["two", "three"].map(|text| Script::new().text(text).stop())).await;
    // The start tells the first beside the others, so its place among them is not fixed.
    let mut ended: Vec<String> =
        after.hook_calls(3).await.iter().map(|outcome| outcome.request_id.to_string()).collect();
    ended.retain(|id| id != "r1");
    assert_eq!(ended, ["r2", "r3"]);
    assert_eq!(after.path().await, "u1:say u1 *:one u2:say u2 *:two u3:say u3 *:three");
}

#[tokio::test]
async fn a_second_start_changes_nothing_more() {
    let gate = Gate::new();
    let before = stage([Script::new().text("one").hold(&gate).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    let once = before.after_kill([]).await;
    let twice = once.after_kill([]).await;
    assert_eq!(twice.history().await, once.history().await);
}

/// What the next start finds after a stop in good order.
async fn after_stop(before: &Stage, scripts: impl IntoIterator<Item = Script>) -> Stage {
    soon("the stop", before.engine.shutdown()).await;
    before.after_kill(scripts).await
}

// A restart of the server is no worse for a turn than a kill.
#[tokio::test]
async fn a_stop_in_good_order_leaves_turns_to_the_next_start() {
    let after = after_stop(&silent().await, [Script::new().text("again").stop()]).await;
    assert_eq!(after.hook_calls(1).await[0].turn_status, TurnStatus::Complete);
    assert_eq!(after.path().await, "u1:say u1 *:again");

    let before = stage([adding("c1"), Script::new().hold(&Gate::new()).stop()]).await;
    before.tab().await.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(2).await;
    let after = after_stop(&before, [Script::new().text("It is 3.").stop()]).await;
    assert!(after.hook_calls(1).await[0].is_continuation);
    assert_eq!(after.path().await, "u1:say u1 *:It is 3.");
    assert_eq!(calls(&after).await, ["c1 OutputAvailable"]);
    assert_eq!(before.hooks.all(), [], "no end was told before");
}

#[tokio::test]
async fn a_stop_in_good_order_keeps_the_line_and_what_was_said() {
    let before = stage([Script::new().text("one").hold(&Gate::new()).stop()]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.rest().await;
    let after = after_stop(&before, [Script::new().text("two").stop()]).await;
    assert_eq!(after.hook_calls(1).await[0].request_id.as_str(), "r2");
    assert_eq!(after.path().await, "u1:say u1 *:one u2:say u2 *:two");
    assert_eq!(after.history().await[1].turn().unwrap().status, TurnStatus::Interrupted);
}

#[tokio::test]
async fn a_stop_without_recovery_ends_the_turn() {
    let before = stage_with(ScriptedModel::new([Script::new().hold(&Gate::new()).stop()]), |spec| {
        spec.turns.recovery = Recovery::Mark;
    })
    .await;
    before.tab().await.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(1).await;
    let after = after_stop(&before, []).await;
    assert_eq!((after.path().await.as_str(), after.model.requests().len()), ("u1:say u1", 0));
    let (status, _) = failure_for_late_tabs(&after, "r1").await;
    assert_eq!(status, TurnStatus::Interrupted);
}

/// What is written down of the fruitless time of the session's turn.
async fn noted(stage: &Stage) -> Option<i64> {
    let row = sqlx::query_scalar("SELECT fruitless_ms FROM think_turns");
    row.fetch_optional(stage.file.db.reader()).await.unwrap()
}

/// Lets so much time pass, as it does: bit by bit, each of which is written down.
async fn pass(stage: &Stage, ms: u64) {
    let from = noted(stage).await.unwrap();
    for bit in 1..=ms / limits::RECOVERY_NOTED_MS {
        stage.clock.advance(limits::RECOVERY_NOTED_MS);
        let wanted = from + (bit * limits::RECOVERY_NOTED_MS).cast_signed();
        let written = async {
            while noted(stage).await.is_some_and(|noted| noted < wanted) {
                tokio::task::yield_now().await;
            }
        };
        soon("the time to be written down", written).await;
    }
}

// The five minutes of the specification: of work, over all tries, and without progress.
#[tokio::test]
async fn a_turn_that_hangs_after_a_kill_is_given_up_in_time_over_restarts() {
    let hanging = || [Script::new().hold(&Gate::new()).stop()];
    let first = silent().await.after_kill(hanging()).await;
    first.model.wait_for_calls(1).await;
    pass(&first, 200_000).await;
    soon("the stop", first.engine.shutdown()).await;
    // A night in which no server runs costs nothing.
    first.clock.advance(8 * 3_600_000);
    let second = first.after_kill(hanging()).await;
    second.model.wait_for_calls(1).await;
    assert_eq!(noted(&second).await, Some(200_000));
    let mut tab = second.page().await;
    tab.ack("r1", None).await;
    tab.rest().await;
    pass(&second, 90_000).await;
    assert_eq!(story(&tab.rest().await), Vec::<String>::new());
    second.clock.advance(limits::RECOVERY_NOTED_MS);
    let reason = "The server ended while it worked on this answer, and 5 more minutes brought it no further.";
    let heard = tab.until_turn_ends("r1").await;
    let end =
        ["chunk r1", "error r1", "recovering false r1", "done r1", "messages[u1:say u1]", "turn r1 Failed"];
    assert_eq!(story(&heard), end);
    soon("the call to be dropped", second.model.wait_for_cancelled(1)).await;
    let (status, told) = failure_for_late_tabs(&second, "r1").await;
    assert_eq!((status, told.as_deref()), (TurnStatus::Failed, Some(reason)));
    // It is over for the next start too.
    let third = second.after_kill([]).await;
    assert_eq!((third.path().await.as_str(), third.model.requests().len()), ("u1:say u1", 0));
}

#[tokio::test]
async fn a_turn_that_speaks_after_a_kill_has_all_the_time_it_wants() {
    let gate = Gate::new();
    let after = silent().await.after_kill([Script::new().text("So").hold(&gate).stop()]).await;
    let mut tab = after.page().await;
    tab.ack("r1", None).await;
    tab.until_text("r1", "So").await;
    after.clock.advance(2 * limits::RECOVERY_FRUITLESS_MS);
    tab.rest().await;
    gate.open();
    assert_eq!(after.hook_calls(1).await[0].turn_status, TurnStatus::Complete);
}

/// A session with two turns that ends of a server interrupted.
async fn two_interrupted() -> Stage {
    let silent = || Script::new().hold(&Gate::new()).stop();
    let before = stage([adding("c1"), silent()]).await;
    before.tab().await.submit("r1", vec![user("u1")]).await;
    before.model.wait_for_calls(2).await;
    let mut tab = before.tab().await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.rest().await;
    // By hand: it takes several ends at the right moments.
    let mut tx = before.file.db.write().await.unwrap();
    sqlx::query("UPDATE think_turns SET tries = 1").execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    before
}

// A client knows only that something is being finished, so it hears of the end with the last one.
#[tokio::test]
async fn of_several_interrupted_answers_the_end_of_the_last_one_is_told() {
    let (one, two) = (Gate::new(), Gate::new());
    let scripts = [Script::new().hold(&one).text("one").stop(), Script::new().hold(&two).text("two").stop()];
    let after = two_interrupted().await.after_kill(scripts).await;
    after.model.wait_for_calls(1).await;
    let (mut tab, heard) = greeting(after.page().await).await;
    let id = heard[2].strip_prefix("resuming ").unwrap().to_owned();
    assert_eq!(heard[3], format!("recovering true {id}"));
    one.open();
    let first = story(&tab.until_turn_ends(&id).await);
    assert!(!first.iter().any(|word| word.starts_with("recovering")), "{first:?}");
    two.open();
    let last = story(&tab.until_turn_ends("r2").await);
    assert_eq!(last.iter().filter(|word| *word == "recovering false r2").count(), 1, "{last:?}");
}
