//! Interruptions at every moment of a turn, and other versions of a question under every rule for overlapping
//! messages.

use crate::support::{Stage, Tab, responses, soon, stage, stage_with, until_quiet, user};
use model::{ErrorClass, FinishReason, Gate, Script, ScriptedModel};
use protocol::{ClientFrame, Message, Role, ServerFrame, SessionId, TurnStatus};
use serde_json::json;
use std::time::Duration;
use think::turn::Overlap;
use think::{CloseReason, Vitals};

/// Nothing of a turn is left in the tables that stand for turns which have not ended.
async fn no_rows(stage: &Stage, what: &str) {
    for (table, wanted) in [("think_turns", "1"), ("cf_ai_chat_stream_metadata", "status = 'streaming'")] {
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table} WHERE {wanted}"));
        let rows: i64 = sqlx::query_scalar(sql).fetch_one(stage.file.db.reader()).await.unwrap();
        assert_eq!(rows, 0, "{table} {what}");
    }
}

/// A turn with a tool and some words, interrupted after so many frames and so many pauses of the runtime.
async fn interrupted(how: &str, frames: usize, pauses: usize) -> (Stage, Tab) {
    let call = Script::new().text("Sum: ").tool("c1", "add", &json!({ "a": 1, "b": 2 })).tool_calls();
    let stage = stage([call, Script::new().text("It is ").text("3.").stop()]).await;
    let mut tab = stage.page().await;
    tab.rest().await;
    tab.submit("r1", vec![user("u1")]).await;
    for _ in 0..frames {
        tab.until("a frame", |_any| true).await;
    }
    for _ in 0..pauses {
        tokio::task::yield_now().await;
    }
    match how {
        "cancel" => tab.say(ClientFrame::Cancel { id: "r1".into() }).await,
        "clear" => tab.say(ClientFrame::Clear {}).await,
        "delete" => assert!(stage.engine.delete_session(&SessionId::default()).await.unwrap()),
        _ => soon("the stop", stage.engine.shutdown()).await,
    }
    (stage, tab)
}

async fn check(how: &str, frames: usize, pauses: usize) {
    let (stage, mut tab) = interrupted(how, frames, pauses).await;
    let what = format!("{how} after {frames} frames and {pauses} pauses");
    if ["delete", "stop"].contains(&how) {
        let reason = if how == "stop" { CloseReason::Stopping } else { CloseReason::SessionGone };
        assert_eq!(tab.until_closed().await, Some(reason), "{what}");
    } else {
        until_quiet(&stage).await;
        tab.rest().await;
        let ends = responses(&tab.seen, "r1").into_iter().filter(|response| response.done).count();
        assert_eq!(ends, 1, "{what}");
        no_rows(&stage, &what).await;
    }
    let history = stage.engine.messages(&SessionId::default()).await.unwrap().unwrap_or_default();
    let roles: Vec<Role> = history.iter().map(|message| message.role.clone()).collect();
    match how {
        "clear" | "delete" => assert_eq!(history, [], "{what}"),
        _ => assert!(
            [&[Role::User][..], &[Role::User, Role::Assistant]].contains(&&roles[..]),
            "{what}: {roles:?}"
        ),
    }
    assert_eq!(stage.engine.sessions().examine().await.unwrap(), [], "{what}");
    if how == "stop" {
        let after = stage.after_kill([Script::new().text("It is ").text("3.").stop()]).await;
        until_quiet(&after).await;
        no_rows(&after, &what).await;
        assert_eq!(after.engine.sessions().examine().await.unwrap(), [], "{what}");
        return;
    }
    drop(tab);
    nothing_is_left(&stage, &what).await;
}

/// After the stop no task, actor, socket or turn is left.
async fn nothing_is_left(stage: &Stage, what: &str) {
    soon("the stop", stage.engine.shutdown()).await;
    let gone = async {
        // The writer of the log goes with the engine.
        while stage.engine.vitals() != (Vitals { tasks: 1, ..Vitals::default() }) {
            tokio::task::yield_now().await;
        }
    };
    soon(what, gone).await;
}

// However a model ends or breaks off: one end is told, and no row, task or socket outlives it.
#[tokio::test]
async fn whatever_a_model_does_nothing_of_its_turn_is_left() {
    let half = || Script::new().text("half");
    let odd = Script::new().raw_tool("c1", "add", "{\"a\":");
    let rows = [
        ("a good end", half().stop(), TurnStatus::Complete),
        ("no end", half(), TurnStatus::CutOff),
        ("nothing at all", Script::new(), TurnStatus::Failed),
        ("an end of nothing", Script::new().stop(), TurnStatus::Failed),
        ("the length limit", half().finish(FinishReason::Length), TurnStatus::CutOff),
        ("a filter", half().finish(FinishReason::ContentFilter), TurnStatus::Refused),
        ("an unknown reason", half().finish(FinishReason::Other("eclipse".into())), TurnStatus::Complete),
        ("an error before", Script::new().error(ErrorClass::Auth, "no"), TurnStatus::Failed),
        ("an error in the middle", half().error(ErrorClass::Unavailable, "no"), TurnStatus::Failed),
        ("a refusal", Script::new().error(ErrorClass::Refused, "no"), TurnStatus::Refused),
        ("a call and no end", half().tool("c1", "add", &json!({ "a": 1, "b": 2 })), TurnStatus::CutOff),
        (
            "a call that says stop",
            half().tool("c1", "add", &json!({ "a": 1, "b": 2 })).stop(),
            TurnStatus::Complete,
        ),
        ("a call of nobody", half().tool("c1", "nosuch", &json!({})).tool_calls(), TurnStatus::Complete),
        ("arguments that are none", odd.tool_calls(), TurnStatus::Complete),
        ("calls that are none", half().tool_calls(), TurnStatus::Complete),
    ];
    for (what, script, expected) in rows {
        let stage = stage([script, Script::new().text("well").stop()]).await;
        let mut tab = stage.page().await;
        tab.submit("r1", vec![user("u1")]).await;
        let heard = tab.until_turn_ends("r1").await;
        let Some(ServerFrame::Turn { status, .. }) = heard.last() else { panic!("{heard:?}") };
        assert_eq!(*status, expected, "{what}");
        let ends = responses(&heard, "r1").into_iter().filter(|response| response.done).count();
        assert_eq!(ends, 1, "{what}");
        tab.rest().await;
        until_quiet(&stage).await;
        no_rows(&stage, what).await;
        assert_eq!(stage.engine.sessions().examine().await.unwrap(), [], "{what}");
        drop(tab);
        nothing_is_left(&stage, what).await;
    }
}

#[tokio::test]
async fn a_turn_can_be_stopped_cleared_deleted_or_left_at_any_moment() {
    for how in ["cancel", "clear", "delete", "stop"] {
        for frames in 0..8 {
            check(how, frames, 0).await;
            check(how, frames, frames * frames + 1).await;
        }
    }
}

/// Questions that were asked as another version of the first one, and answers to the first one.
async fn versions(stage: &Stage) -> (usize, usize) {
    let session = stage.engine.sessions().session(&SessionId::default()).await.unwrap().unwrap();
    let roots = session.children(None).await.unwrap().len();
    (roots, session.children(Some(&"u1".into())).await.unwrap().len())
}

fn is_done(frame: &ServerFrame, id: &str) -> bool {
    matches!(frame, ServerFrame::ChatResponse(end) if end.done && end.id == id)
}

// Another answer always waits in line; another question is a new message like any other.
#[tokio::test]
async fn another_answer_and_another_question_in_the_middle_of_a_turn() {
    let rules = [
        (Overlap::Queue, (2, 2), 3),
        (Overlap::Latest, (2, 2), 3),
        (Overlap::Merge, (2, 2), 3),
        (Overlap::Debounce(Duration::ZERO), (2, 2), 3),
        (Overlap::Drop, (1, 2), 2),
    ];
    for (overlap, expected, calls) in rules {
        let gate = Gate::new();
        let says = |text: &str| Script::new().text(text).stop();
        let scripts = [Script::new().text("one").hold(&gate).stop(), says("two"), says("three")];
        let stage = stage_with(ScriptedModel::new(scripts), |spec| spec.turns.overlap = overlap).await;
        let mut tab = stage.tab().await;
        tab.submit("r1", vec![user("u1")]).await;
        tab.until_text("r1", "one").await;
        tab.regenerate("r2", vec![user("u1")]).await;
        tab.submit("r3", vec![Message::text("u1", Role::User, "say it otherwise")]).await;
        tab.rest().await;
        gate.open();
        until_quiet(&stage).await;
        tab.rest().await;
        for id in ["r1", "r2", "r3"] {
            let ends = tab.seen.iter().filter(|frame| is_done(frame, id)).count();
            assert_eq!(ends, 1, "{overlap:?} {id}");
        }
        let requests = stage.model.requests();
        assert_eq!((versions(&stage).await, requests.len()), (expected, calls), "{overlap:?}");
        let prompts: Vec<String> = requests.iter().map(|request| format!("{:?}", request.messages)).collect();
        for (at, prompt) in prompts.iter().enumerate() {
            let is_other = at == 2;
            assert_eq!(
                (prompt.contains("say u1"), prompt.contains("otherwise")),
                (!is_other, is_other),
                "{overlap:?}"
            );
            assert!(!prompt.contains("one") && !prompt.contains("two"), "{overlap:?}: {prompt}");
        }
        assert_eq!(stage.engine.sessions().examine().await.unwrap(), [], "{overlap:?}");
    }
}
