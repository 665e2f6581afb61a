//! A server that is killed after any of its transactions: whatever the next one finds, nothing that was stored is lost,
//! nothing is there twice, no call is made again, and everything has one end.

use crate::support::{Log, Stage, Tab, soon, stage_with, take_continuation, until_quiet, user};
use model::{ModelMessage, ModelRequest, Script, ScriptedModel};
use protocol::{
    Answered, ClientFrame, Message, MessageId, Part, Role, SessionId, Submission, SubmissionStatus,
    ToolState, ToolVerdict, TurnStatus,
};
use serde_json::json;
use std::collections::BTreeSet;
use think::NewSubmission;

/// Adds, or asks to do something dangerous, and says what came of it.
fn model() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let id = format!("c{}", request.messages.len());
        match request.messages.last() {
            Some(ModelMessage::Tool(_)) => Script::new().text("It is ").text("so.").stop(),
            _ if asks(request, "u3") => {
                Script::new().tool(&id, "danger", &json!({ "target": "x" })).tool_calls()
            }
            _ => Script::new().text("Well: ").tool(&id, "add", &json!({ "a": 1, "b": 2 })).tool_calls(),
        }
    })
}

fn asks(request: &ModelRequest, id: &str) -> bool {
    format!("{:?}", request.messages.last()).contains(&format!("say {id}"))
}

/// Whole, or an honest part.
fn check_answer(answer: &Message, at: usize) {
    let turn = answer.turn().unwrap();
    let text = answer.plain_text();
    let calls: Vec<_> = answer.parts.iter().filter_map(Part::as_tool).map(|tool| &tool.call).collect();
    let ids: BTreeSet<_> = calls.iter().map(|call| &call.tool_call_id).collect();
    assert_eq!(ids.len(), calls.len(), "a call is there twice, cut at {at}: {answer:?}");
    assert!(text.matches("It is").count() <= 1, "said twice, cut at {at}: {answer:?}");
    let is_waiting = calls.iter().any(|call| call.state.is_waiting());
    let is_open = |state: ToolState| !state.is_terminal() && !state.is_waiting();
    assert!(!calls.iter().any(|call| is_open(call.state)), "cut at {at}: {answer:?}");
    match turn.status {
        TurnStatus::Complete => assert!(is_waiting || text.ends_with("It is so."), "cut at {at}: {answer:?}"),
        TurnStatus::Interrupted => {}
        other => panic!("{other:?}, cut at {at}: {answer:?}"),
    }
}

/// Every message once, each question answered at most once, and a tree without faults.
async fn check_tree(stage: &Stage, at: usize) {
    let tree = stage.engine.tree(&SessionId::default()).await.unwrap().unwrap();
    let ids: BTreeSet<_> = tree.nodes.iter().map(|node| &node.id).collect();
    assert_eq!(ids.len(), tree.nodes.len(), "cut at {at}");
    let history = stage.history().await;
    assert_eq!(history.len(), tree.nodes.len(), "all on one branch, cut at {at}: {history:?}");
    for answer in history.iter().filter(|message| message.role == Role::Assistant) {
        check_answer(answer, at);
    }
    let doubled = history.windows(2).any(|two| two.iter().all(|message| message.role == Role::Assistant));
    assert!(!doubled, "answered twice, cut at {at}: {history:?}");
    let row = stage.engine.sessions().get(&SessionId::default()).await.unwrap();
    let name = row.map(|row| row.name).unwrap_or_default();
    assert_eq!(name, if history.is_empty() { "" } else { "say u1" }, "named with its question, cut at {at}");
    assert_eq!(stage.engine.sessions().examine().await.unwrap(), [], "cut at {at}");
}

/// Two turns with a tool, and one that asks for consent and goes on with it; how many transactions were before them.
async fn conversation() -> (Stage, usize) {
    let stage = stage_with(model(), |_| {}).await;
    let begun = Log::of(&stage).cuts().len();
    let mut tab = stage.page().await;
    for (request, id) in [("r1", "u1"), ("r2", "u2"), ("r3", "u3")] {
        tab.submit(request, vec![user(id)]).await;
    }
    tab.until_turn_ends("r3").await;
    let call = waiting_call(&stage).await;
    stage.clock.advance(1);
    tab.say(ClientFrame::ToolApproval(ToolVerdict::new(call.as_str().into(), Answered::Yes))).await;
    take_continuation(&mut tab).await;
    (stage, begun)
}

async fn waiting_call(stage: &Stage) -> String {
    let history = stage.history().await;
    let tools = history.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
    let waiting = tools.filter(|tool| tool.call.state.is_waiting());
    waiting.map(|tool| tool.call.tool_call_id.to_string()).next().unwrap()
}

// A18, TK-044
#[tokio::test]
async fn a_kill_after_any_transaction_of_a_conversation_loses_and_doubles_nothing() {
    let (before, begun) = conversation().await;
    let (log, whole) = (Log::of(&before), before.history().await);
    let cuts = log.cuts();
    let mut asked_before: BTreeSet<MessageId> = BTreeSet::new();
    for (at, cut) in cuts.iter().copied().enumerate().skip(begun) {
        let after = before.after_kill_at((&log, cut), model()).await;
        until_quiet(&after).await;
        check_tree(&after, at).await;
        let asked: BTreeSet<MessageId> = questions(&after.history().await);
        assert!(asked.is_superset(&asked_before), "a question is lost, cut at {at}");
        asked_before = asked;
        if at % 5 == 0 {
            // Once is enough: the next start finds nothing to do.
            let twice = after.after_kill([]).await;
            assert_eq!(twice.history().await, after.history().await, "cut at {at}");
        }
    }
    assert_eq!(asked_before, questions(&whole));
    assert!(cuts.len() > begun + 20, "{begun} {}", cuts.len());
}

fn questions(history: &[Message]) -> BTreeSet<MessageId> {
    let questions = history.iter().filter(|message| message.role == Role::User);
    questions.map(|message| message.id.clone()).collect()
}

fn handed_in(ids: &[&str]) -> NewSubmission {
    NewSubmission {
        id: Some("s".into()),
        messages: ids.iter().map(|id| user(id)).collect(),
        ..NewSubmission::default()
    }
}

async fn until_over(stage: &Stage) -> Submission {
    let over = async {
        loop {
            let submission = stage.engine.submission("s").await.unwrap().unwrap();
            if !matches!(submission.status, SubmissionStatus::Pending | SubmissionStatus::Running) {
                return submission;
            }
            tokio::task::yield_now().await;
        }
    };
    soon("the end of the submission", over).await
}

/// A conversation of one question, then a submission that repeats some of it; how many transactions were before that.
async fn submitted(ids: &[&str]) -> (Stage, usize) {
    let stage = stage_with(model(), |_| {}).await;
    let mut tab: Tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    let begun = Log::of(&stage).cuts().len();
    stage.engine.submit_messages(handed_in(ids)).await.unwrap();
    until_over(&stage).await;
    (stage, begun)
}

/// What is handed in may hold messages that the conversation holds already, in any order.
async fn check_submission(ids: &[&str], new: &[&str]) {
    let (before, begun) = submitted(ids).await;
    let (log, end) = (Log::of(&before), until_over(&before).await.status);
    let expected: Vec<String> = ["u1"].iter().chain(new).map(ToString::to_string).collect();
    let mut seen = 0;
    for (at, cut) in log.cuts().into_iter().enumerate().skip(begun) {
        let after = before.after_kill_at((&log, cut), model()).await;
        if after.engine.submission("s").await.unwrap().is_none() {
            continue;
        }
        let over = until_over(&after).await;
        until_quiet(&after).await;
        check_tree(&after, at).await;
        let history = after.history().await;
        let asked: Vec<String> =
            history.iter().filter(|it| it.role == Role::User).map(|it| it.id.to_string()).collect();
        assert_eq!(asked, expected, "{ids:?}, cut at {at}");
        let answer = history.last().and_then(Message::turn).unwrap().status;
        let told = if answer == TurnStatus::Complete { end } else { SubmissionStatus::Error };
        assert_eq!(over.status, told, "{ids:?}, cut at {at}: {over:?}");
        seen += 1;
    }
    assert!(seen > new.len() * 3, "{ids:?}: {seen}");
}

#[tokio::test]
async fn a_submission_that_overlaps_the_conversation_is_resumed_without_doubling() {
    check_submission(&["u1", "u2"], &["u2"]).await;
    check_submission(&["u2", "u1"], &["u2"]).await;
    check_submission(&["u2", "u1", "u4"], &["u2", "u4"]).await;
}

#[tokio::test]
async fn a_submission_that_is_all_new_or_all_known_has_the_same_end_after_any_kill() {
    check_submission(&["u2"], &["u2"]).await;
    check_submission(&["u1"], &[]).await;
}
