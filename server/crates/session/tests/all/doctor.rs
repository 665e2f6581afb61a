//! Damage done by SQL, what the doctor says about it, and what is left of it afterwards.

use crate::support::{Story, answer, chain, id, ids, path};
use protocol::SessionId;
use serde_json::json;
use session::{Fault, Finding, Parent, Pin, RepairOutcome, Search};
use testkit::{assistant, user};

/// c0 to c4 in a line, and `alt` beside c3; the line is active. And another session that nothing happens to.
async fn begin() -> Story {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 4).await;
    answer(&session, "alt", "c2").await;
    session.set_active(&id("c3")).await.unwrap();
    session.append(&user("c4", "line 4"), Parent::ActiveLeaf).await.unwrap();
    chain(&story.session("other").await, 3).await;
    story
}

/// Codes and messages, as `code:message`.
fn names(findings: &[Finding]) -> String {
    let name = |finding: &Finding| match &finding.message {
        Some(message) => format!("{}:{message}", finding.fault),
        None => finding.fault.to_string(),
    };
    findings.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Does the damage, expects these findings, mends them, and expects to find nothing more and this active path.
async fn check(damage: &'static str, expected: &str, expected_path: &[&str]) -> Story {
    let story = begin().await;
    assert_eq!(story.manager.examine().await.unwrap(), [], "before");
    story.damage(damage).await;
    let findings = story.manager.examine().await.unwrap();
    assert_eq!(names(&findings), expected, "{damage}");
    let repairs = story.manager.repair_all().await.unwrap();
    assert!(
        repairs.iter().all(|repair| !matches!(repair.outcome, RepairOutcome::Beyond(_))),
        "{damage}\n{repairs:#?}"
    );
    assert_eq!(story.manager.examine().await.unwrap(), [], "{damage}\n{repairs:#?}");
    assert_eq!(path(&story.session("s").await).await, ids(expected_path), "{damage}");
    assert_eq!(path(&story.session("other").await).await, ids(&["c0", "c1", "c2"]), "{damage}");
    for finding in findings {
        assert_eq!(story.manager.repair(&finding).await.unwrap(), RepairOutcome::Gone, "{damage}");
    }
    story
}

const WHOLE: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];

#[tokio::test]
async fn pointers_that_lead_nowhere_are_set_right() {
    // C19
    for (damage, expected, path) in [
        (
            "UPDATE assistant_sessions SET active_leaf = 'nobody' WHERE id = 's'",
            "unknown_active_leaf",
            &WHOLE[..],
        ),
        (
            "UPDATE assistant_sessions SET active_leaf = NULL WHERE id = 's'",
            "unknown_active_leaf",
            &WHOLE[..],
        ),
        (
            "UPDATE assistant_sessions SET active_leaf = 'c1' WHERE id = 's'",
            "active_leaf_not_last:c1",
            &WHOLE[..],
        ),
        (
            "UPDATE assistant_sessions SET active_leaf = 'alt' WHERE id = 's'",
            "path_not_remembered:alt",
            &["c0", "c1", "c2", "alt"][..],
        ),
        (
            "UPDATE assistant_sessions SET chosen_root = 'c1' WHERE id = 's'",
            "wrong_chosen_child path_not_remembered:c0",
            &WHOLE[..],
        ),
        (
            "UPDATE assistant_messages SET chosen_child = 'c0' WHERE session_id = 's' AND id = 'c2'",
            "wrong_chosen_child:c2 path_not_remembered:c3",
            &WHOLE[..],
        ),
        (
            "UPDATE assistant_messages SET chosen_child = 'nobody' WHERE session_id = 's' AND id = 'alt'",
            "wrong_chosen_child:alt",
            &WHOLE[..],
        ),
    ] {
        check(damage, expected, path).await;
    }
}

#[tokio::test]
async fn messages_on_no_path_are_reachable_again() {
    let gone = "DELETE FROM assistant_messages WHERE session_id = 's' AND id = 'c1'";
    let expected = "unknown_parent:c2 wrong_chosen_child:c0 path_not_remembered:c2 wrong_count";
    let story = check(gone, expected, &["c2", "c3", "c4"]).await;
    let session = story.session("s").await;
    assert_eq!(session.children(None).await.unwrap(), ids(&["c0", "c2"]));
    assert_eq!(session.message_count().await.unwrap(), 5);

    let circle = "UPDATE assistant_messages SET parent_id = 'c4' WHERE session_id = 's' AND id = 'c1'";
    let expected = "circle:c1 wrong_depth wrong_chosen_child:c0 active_leaf_not_last:c4 wrong_weight";
    let story = check(circle, expected, &["c1", "c2", "c3", "c4"]).await;
    assert_eq!(story.session("s").await.children(None).await.unwrap(), ids(&["c0", "c1"]));

    let own = "UPDATE assistant_messages SET parent_id = 'alt' WHERE session_id = 's' AND id = 'alt'";
    check(own, "circle:alt wrong_depth wrong_weight", &WHOLE).await;
    let depths = "UPDATE assistant_messages SET depth = depth + 7 WHERE session_id = 's' AND id <> 'c1'";
    check(depths, "wrong_depth", &WHOLE).await;
}

#[tokio::test]
async fn counts_are_counted_again() {
    check("UPDATE assistant_sessions SET message_count = 99 WHERE id = 's'", "wrong_count", &WHOLE).await;
    let story =
        check("UPDATE assistant_sessions SET last_seq = 1 WHERE id = 's'", "wrong_count", &WHOLE).await;
    let session = story.session("s").await;
    session.append(&user("next", "on"), Parent::ActiveLeaf).await.unwrap();
}

#[tokio::test]
async fn a_row_that_does_not_parse_is_kept_and_gives_way_to_a_note() {
    for damage in [
        "UPDATE assistant_messages SET content = '{\"half' WHERE session_id = 's' AND id = 'c2'",
        "UPDATE assistant_messages SET content = replace(content, 'c2', 'c9') WHERE session_id = 's' AND id = 'c2'",
    ] {
        let story = check(damage, "broken_row:c2", &WHOLE).await;
        let note = story.session("s").await.get(&id("c2")).await.unwrap().unwrap();
        assert!(note.plain_text().starts_with("[This message was damaged"), "{note:?}");
        assert_eq!(note.role, protocol::Role::User);
        let kept: (String, String, i64, bool) = sqlx::query_as(
            "SELECT session_id, name, found_at, length(content) > 4 FROM assistant_quarantine",
        )
        .fetch_one(story.temp.db.reader())
        .await
        .unwrap();
        assert_eq!(kept, ("s".to_owned(), "c2".to_owned(), 1_000, true));
    }
}

#[tokio::test]
async fn the_index_is_brought_in_step() {
    for (damage, expected) in [
        ("DELETE FROM assistant_search WHERE session_id = 's' AND message_id = 'c2'", "not_indexed"),
        (
            "DELETE FROM assistant_fts WHERE rowid = (SELECT doc FROM assistant_search WHERE session_id = 's' \
          AND message_id = 'c2')",
            "wrong_index:c2",
        ),
        (
            "UPDATE assistant_messages SET content = replace(content, 'line 2', 'line two') WHERE session_id = 's' \
          AND id = 'c2'",
            "wrong_index:c2",
        ),
        (
            "INSERT INTO assistant_fts (rowid, said, said_stems, used, used_stems, tags) VALUES (999, 'line', '', '', \
          '', '')",
            "stray_words",
        ),
    ] {
        let story = check(damage, expected, &WHOLE).await;
        let found = story.session("s").await.search(&Search::new("line 2 OR two")).await.unwrap();
        assert_eq!((found.hits.len(), &found.hits[0].message), (1, &id("c2")), "{damage}");
    }
}

#[tokio::test]
async fn what_stands_beside_messages_is_weighed_again() {
    let whole = begin().await.session("s").await.token_estimate(None).await.unwrap();
    for damage in [
        "DELETE FROM assistant_weights WHERE session_id = 's' AND message_id IN ('c0', 'c2')",
        "DELETE FROM assistant_weights WHERE session_id = 's'",
        "UPDATE assistant_weights SET path_tokens = 0 WHERE session_id = 's' AND message_id = 'c3'",
        "UPDATE assistant_weights SET path_tokens = path_tokens + 1 WHERE session_id = 's'",
        "UPDATE assistant_weights SET waits = 'approval' WHERE session_id = 's' AND message_id = 'c4'",
    ] {
        let story = check(damage, "wrong_weight", &WHOLE).await;
        let session = story.session("s").await;
        assert_eq!(session.token_estimate(None).await.unwrap(), whole, "{damage}");
        assert_eq!(story.manager.get(session.id()).await.unwrap().unwrap().waiting, None, "{damage}");
        assert!(session.set_pinned(&id("c2"), Pin::Pinned).await.unwrap(), "{damage}");
    }
}

#[tokio::test]
async fn summaries_that_stand_for_nothing_are_kept_apart() {
    const ROW: &str = "INSERT INTO assistant_compactions \
        (session_id, id, seq, from_message_id, to_message_id, tokens, created_at, summary) VALUES";
    for ends in ["'c3', 'c1'", "'nobody', 'c2'", "'c1', 'nobody'", "'alt', 'c3'"] {
        let damage =
            format!("{ROW} ('s', 'o', 1, {ends}, 5, 7, 'in short'), ('s', 'p', 2, 'c1', 'c1', 5, 7, 'p')");
        let story = check(damage.leak(), "lost_summary:compaction_o", &WHOLE).await;
        let left = story.session("s").await.compactions().await.unwrap();
        assert_eq!(left.iter().map(|summary| summary.summary.as_str()).collect::<Vec<_>>(), ["p"], "{ends}");
        let kept: Vec<(String, Vec<u8>)> = sqlx::query_as("SELECT name, content FROM assistant_quarantine")
            .fetch_all(story.temp.db.reader())
            .await
            .unwrap();
        assert_eq!(kept, [("o".to_owned(), b"in short".to_vec())], "{ends}");
    }
}

#[tokio::test]
async fn calls_that_were_lost_are_ended_and_questions_stay_open() {
    let story = begin().await;
    let session = story.session("s").await;
    let questions = ["input-available", "approval-requested", "output-available", "output-denied"];
    let states = [&questions[..], &["input-streaming", "approval-responded", "output-available"]].concat();
    let call = |(number, state): (usize, &&str)| {
        let preliminary = number == states.len() - 1;
        json!({"type": "tool-x", "toolCallId": state, "state": state, "input": {}, "output": "zebra", "preliminary": preliminary})
    };
    let message = async |id: &str, parts: Vec<serde_json::Value>| {
        let message = testkit::message(id, "assistant", &json!(parts));
        session.append(&message, Parent::ActiveLeaf).await.unwrap();
    };
    message("q", questions.iter().enumerate().map(call).collect()).await;
    session.append(&user("off", "never mind"), Parent::ActiveLeaf).await.unwrap();
    assert_eq!(story.manager.examine().await.unwrap(), [], "nobody answered");
    message("t", states.iter().enumerate().map(call).collect()).await;
    assert_eq!(story.manager.examine().await.unwrap(), [], "a turn may still run");
    session.append(&user("on", "never mind"), Parent::ActiveLeaf).await.unwrap();
    assert_eq!(names(&story.manager.examine().await.unwrap()), "tool_without_result:t");
    story.manager.repair_all().await.unwrap();
    assert_eq!(story.manager.examine().await.unwrap(), []);
    let mended = session.get(&id("t")).await.unwrap().unwrap();
    let mended = serde_json::to_value(&mended).unwrap();
    let states: Vec<_> =
        mended["parts"].as_array().unwrap().iter().map(|part| part["state"].clone()).collect();
    assert_eq!(states[..questions.len()], questions);
    assert_eq!(states[questions.len()..], ["output-error"; 3]);
}

#[tokio::test]
async fn what_belongs_to_no_session_is_found_and_kept() {
    let rows = "INSERT INTO assistant_config VALUES ('gone', 'k', 'v'), ('s', 'k', 'v'), ('', 'k', 'v')";
    let story = check(rows, "stray_rows", &WHOLE).await;
    let kept: Vec<(String, String, Vec<u8>)> =
        sqlx::query_as("SELECT session_id, name, content FROM assistant_quarantine")
            .fetch_all(story.temp.db.reader())
            .await
            .unwrap();
    assert_eq!(kept, [("gone".to_owned(), "k".to_owned(), b"v".to_vec())]);

    let story = begin().await;
    let mut other = story.unguarded().await;
    sqlx::raw_sql("DELETE FROM assistant_sessions WHERE id = 's'").execute(&mut other).await.unwrap();
    assert_eq!(names(&story.manager.examine().await.unwrap()), "lost_session");
    story.manager.repair_all().await.unwrap();
    assert_eq!(story.manager.examine().await.unwrap(), []);
    let found = story.manager.get(&"s".into()).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.message_count), ("Recovered", 6));
    assert_eq!(path(&story.session("s").await).await, ids(&WHOLE));
}

#[tokio::test]
async fn the_trash_is_examined_too_and_an_empty_file_is_in_order() {
    let story = begin().await;
    story.manager.delete(&"s".into()).await.unwrap();
    story.damage("UPDATE assistant_sessions SET message_count = 99 WHERE id = 's'").await;
    let findings = story.manager.examine().await.unwrap();
    let expected = [(Fault::WrongCount, Some(SessionId::from("s")))];
    let found: Vec<_> = findings.iter().map(|finding| (finding.fault, finding.session.clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(Story::begin().await.manager.repair_all().await.unwrap(), []);
}

#[tokio::test]
async fn an_index_others_have_written_to_is_not_called_damaged() {
    let story = begin().await;
    let session = story.session("s").await;
    for length in 1..=24 {
        let grown = assistant("c3", &"quartz ".repeat(length));
        assert!(session.update(&grown).await.unwrap());
        assert_eq!(story.manager.examine().await.unwrap(), [], "{length}");
    }
}
