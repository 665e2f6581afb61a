//! A person agrees to a call and nothing runs it: whatever happens next, the call gets an end, and never runs
//! later.

use crate::support::{
    Log, Stage, Tab, frame_word, responses, soon, stage, take_continuation, until_quiet, user,
};
use model::{ModelMessage, Script, ScriptedModel};
use protocol::{ChatBody, ClientFrame, MessageId, Part, RequestId, ServerFrame, SessionId, ToolState};
use serde_json::{Value, json};

fn asks(calls: &[&str]) -> Script {
    let call = |script: Script, id: &&str| script.tool(id, "danger", &json!({ "target": id }));
    calls.iter().fold(Script::new(), call).tool_calls()
}

fn says(text: &str) -> Script {
    Script::new().text(text).stop()
}

/// A yes or a no, after which the model goes on by itself or does not.
fn verdict(call: &str, more: &Value) -> ClientFrame {
    let mut frame = json!({ "type": "cf_agent_tool_approval", "toolCallId": call, "approved": true });
    frame.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
    serde_json::from_value(frame).unwrap()
}

fn yes(call: &str) -> ClientFrame {
    verdict(call, &json!({}))
}

fn yes_go_on(call: &str) -> ClientFrame {
    verdict(call, &json!({ "autoContinue": true }))
}

/// A turn that has ended in these questions, and what the model says afterwards.
async fn asked(calls: &[&str], rest: &[&str]) -> (Stage, Tab) {
    let scripts = std::iter::once(asks(calls)).chain(rest.iter().map(|text| says(text)));
    let stage = stage(scripts.collect::<Vec<_>>()).await;
    let mut tab = stage.tab().await;
    turn(&mut tab, "r1", "u1").await;
    (stage, tab)
}

async fn turn(tab: &mut Tab, request: &str, id: &str) {
    tab.submit(request, vec![user(id)]).await;
    tab.until_turn_ends(request).await;
    tab.rest().await;
}

/// The calls on the active path, as `id state`.
async fn calls(stage: &Stage) -> Vec<String> {
    let history = stage.history().await;
    let tools = history.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
    let word = |tool: &protocol::ToolPart| {
        let state = serde_json::to_value(tool.call.state).unwrap();
        format!("{} {}", tool.call.tool_call_id, state.as_str().unwrap())
    };
    tools.map(word).collect()
}

async fn no_faults(stage: &Stage, what: &str) {
    assert_eq!(stage.engine.sessions().examine().await.unwrap(), [], "{what}");
}

/// The request of the continuation that is about to begin.
async fn pending_id(tab: &mut Tab) -> RequestId {
    tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
    match tab.rest().await.pop() {
        Some(ServerFrame::Pending { id: Some(id), .. }) => id,
        other => panic!("{other:?}"),
    }
}

async fn answer_id(stage: &Stage) -> MessageId {
    stage.history().await[1].id.clone()
}

#[tokio::test]
async fn a_new_question_ends_what_was_agreed_to_and_not_run() {
    let (stage, mut tab) = asked(&["c1"], &["two"]).await;
    tab.say(yes("c1")).await;
    tab.rest().await;
    assert_eq!(calls(&stage).await, ["c1 approval-responded"]);
    tab.submit("r2", vec![user("u2")]).await;
    let heard = tab.until_turn_ends("r2").await;
    let is_told = |frame: &ServerFrame| match frame {
        ServerFrame::MessageUpdated { message } => {
            serde_json::to_string(message).unwrap().contains("output-error")
        }
        _ => false,
    };
    assert!(heard.iter().any(is_told), "{:?}", heard.iter().map(frame_word).collect::<Vec<_>>());
    assert_eq!(calls(&stage).await, ["c1 output-error"]);
    let prompt = format!("{:?}", stage.model.requests()[1].messages);
    assert!(prompt.contains("the conversation went on before the tool ran"), "{prompt}");
    // Too late.
    tab.say(yes_go_on("c1")).await;
    tab.rest().await;
    assert_eq!((calls(&stage).await, stage.model.requests().len()), (vec!["c1 output-error".to_owned()], 2));
    no_faults(&stage, "asked on").await;
}

// The answer stays in sight and the conversation is past it.
#[tokio::test]
async fn an_agreement_that_comes_after_the_next_question_ends_at_once_unless_the_model_shall_go_on() {
    for (frame, end, requests) in
        [(yes("c1"), "c1 output-error", 2), (yes_go_on("c1"), "c1 output-available", 3)]
    {
        let (stage, mut tab) = asked(&["c1"], &["two", "three"]).await;
        turn(&mut tab, "r2", "u2").await;
        tab.say(frame).await;
        if requests == 3 {
            take_continuation(&mut tab).await;
        }
        tab.rest().await;
        assert_eq!((calls(&stage).await, stage.model.requests().len()), (vec![end.to_owned()], requests));
        no_faults(&stage, end).await;
    }
}

// Half of the batch is answered and the model shall go on with the rest: that is owed, and nothing is lost.
#[tokio::test]
async fn a_continuation_that_is_owed_keeps_what_was_agreed_to_until_it_is_given_up() {
    for how in ["answer", "cancel", "dismiss"] {
        let (stage, mut tab) = asked(&["c1", "c2"], &["two", "three"]).await;
        tab.say(yes_go_on("c1")).await;
        tab.rest().await;
        turn(&mut tab, "r2", "u2").await;
        assert_eq!(calls(&stage).await, ["c1 approval-responded", "c2 approval-requested"], "{how}");
        no_faults(&stage, how).await;
        let expected = match how {
            "answer" => {
                tab.say(yes_go_on("c2")).await;
                take_continuation(&mut tab).await;
                ["c1 output-available", "c2 output-available"]
            }
            "cancel" => {
                let id = pending_id(&mut tab).await;
                tab.say(ClientFrame::Cancel { id }).await;
                ["c1 output-error", "c2 approval-requested"]
            }
            _ => {
                let _message =
                    stage.engine.dismiss(&SessionId::default(), &answer_id(&stage).await).await.unwrap();
                ["c1 output-error", "c2 output-denied"]
            }
        };
        tab.rest().await;
        assert_eq!(calls(&stage).await, expected, "{how}");
        no_faults(&stage, how).await;
    }
}

// What the client library of the public packages does by itself: the list again, with the answer in it.
#[tokio::test]
async fn a_list_that_ends_in_an_agreement_asks_for_more_of_that_answer() {
    let (stage, mut tab) = asked(&["c1"], &["done"]).await;
    let mut list = stage.history().await;
    let call = &mut list[1].parts.iter_mut().find_map(Part::as_tool_mut).unwrap().call;
    call.state = ToolState::ApprovalResponded;
    call.approval = serde_json::from_value(json!({ "id": "approval-c1", "approved": true })).unwrap();
    tab.request("r2", ChatBody { messages: list, ..ChatBody::default() }).await;
    let heard = tab.until_turn_ends("r2").await;
    assert!(responses(&heard, "r2").iter().all(|response| response.continuation), "{heard:?}");
    assert_eq!(calls(&stage).await, ["c1 output-available"]);
    let history = stage.history().await;
    assert_eq!((history.len(), history[1].plain_text().as_str()), (2, "done"));
    no_faults(&stage, "the list").await;
}

// Twice, by two tabs, after a clear, after the message is gone, after a dismissal: one run at most, one turn
// at most.
#[tokio::test]
async fn an_agreement_counts_once_and_only_where_somebody_waits_for_it() {
    for (how, runs) in
        [("twice", 1), ("two tabs", 1), ("clear", 0), ("delete", 0), ("dismiss", 0), ("no first", 0)]
    {
        let (stage, mut tab) = asked(&["c1"], &["done", "done", "done"]).await;
        let (other, session, answer) = (stage.tab().await, SessionId::default(), answer_id(&stage).await);
        match how {
            "twice" => tab.say(yes_go_on("c1")).await,
            "two tabs" => other.say(yes_go_on("c1")).await,
            "clear" => tab.say(ClientFrame::Clear {}).await,
            "delete" => {
                let gone = stage.engine.delete_message(&session, &answer, think::Reach::Message).await;
                assert_eq!(gone.unwrap(), Some(1));
            }
            "dismiss" => assert!(stage.engine.dismiss(&session, &answer).await.unwrap().is_some()),
            _ => tab.say(verdict("c1", &json!({ "approved": false }))).await,
        }
        tab.say(yes_go_on("c1")).await;
        tab.rest().await;
        if runs > 0 {
            stage.hook_calls(2).await;
        }
        tab.say(yes_go_on("c1")).await;
        tab.rest().await;
        until_quiet(&stage).await;
        let ran = calls(&stage).await.iter().filter(|call| call.ends_with("output-available")).count();
        assert_eq!((ran, stage.model.requests().len()), (runs, 1 + runs), "{how}");
        no_faults(&stage, how).await;
    }
}

// The process may die between the question and the end of what it passed by.
#[tokio::test]
async fn a_kill_between_the_question_and_the_end_of_the_call_leaves_no_fault() {
    let (before, mut tab) = asked(&["c1"], &["two"]).await;
    tab.say(yes("c1")).await;
    tab.rest().await;
    let begun = Log::of(&before).cuts().len();
    turn(&mut tab, "r2", "u2").await;
    let log = Log::of(&before);
    for (at, cut) in log.cuts().into_iter().enumerate().skip(begun) {
        let model = ScriptedModel::answering(|request| match request.messages.last() {
            Some(ModelMessage::Tool(_)) => says("no"),
            _ => says("two"),
        });
        let after = before.after_kill_at((&log, cut), model).await;
        until_quiet(&after).await;
        let is_asked = after.history().await.len() > 2;
        let expected = if is_asked { "c1 output-error" } else { "c1 approval-responded" };
        assert_eq!(calls(&after).await, [expected], "cut at {at}");
        no_faults(&after, &format!("cut at {at}")).await;
        soon("the stop", after.engine.shutdown()).await;
    }
}
