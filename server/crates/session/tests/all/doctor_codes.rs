//! Each code the doctor knows, by itself: damage, what is said, what mends it. The list is the one people read in
//! `server/docs/storage.md`.

use crate::support::{Story, answer, chain, id, ids, path};
use serde_json::json;
use session::{Finding, Parent, RepairOutcome};
use std::collections::BTreeSet;
use std::io::{Seek, SeekFrom, Write};
use testkit::user;

/// What damages a file, behind its foreign keys.
const DAMAGE: [(&str, &str); 18] = [
    ("lost_session", "DELETE FROM assistant_sessions WHERE id = 's'"),
    (
        "unknown_parent",
        "UPDATE assistant_messages SET parent_id = 'nobody' WHERE session_id = 's' AND id = 'c2'",
    ),
    ("circle", "UPDATE assistant_messages SET parent_id = 'c4' WHERE session_id = 's' AND id = 'c1'"),
    ("wrong_depth", "UPDATE assistant_messages SET depth = 9 WHERE session_id = 's' AND id = 'c2'"),
    (
        "wrong_chosen_child",
        "UPDATE assistant_messages SET chosen_child = 'c0' WHERE session_id = 's' AND id = 'c2'",
    ),
    ("unknown_active_leaf", "UPDATE assistant_sessions SET active_leaf = 'nobody' WHERE id = 's'"),
    ("active_leaf_not_last", "UPDATE assistant_sessions SET active_leaf = 'c1' WHERE id = 's'"),
    ("path_not_remembered", "UPDATE assistant_sessions SET active_leaf = 'alt' WHERE id = 's'"),
    ("wrong_count", "UPDATE assistant_sessions SET message_count = 99 WHERE id = 's'"),
    ("broken_row", "UPDATE assistant_messages SET content = '{' WHERE session_id = 's' AND id = 'c2'"),
    (
        "tool_without_result",
        "UPDATE assistant_messages SET content = replace(content, 'output-available', 'input-streaming') \
            WHERE session_id = 's' AND id = 'tool'",
    ),
    ("wrong_weight", "UPDATE assistant_weights SET tokens = 9 WHERE session_id = 's' AND message_id = 'c2'"),
    ("lost_summary", "UPDATE assistant_compactions SET to_message_id = 'nobody' WHERE session_id = 's'"),
    (
        "wrong_trash",
        "UPDATE assistant_trashed_messages SET parent_id = 'gone' WHERE session_id = 's' AND id = 'gone'",
    ),
    ("not_indexed", "DELETE FROM assistant_search WHERE session_id = 's' AND message_id = 'c2'"),
    ("wrong_index", "UPDATE assistant_search SET digest = 7 WHERE session_id = 's' AND message_id = 'c2'"),
    (
        "stray_words",
        "INSERT INTO assistant_fts (rowid, said, said_stems, used, used_stems, tags) VALUES (999, 'line', '', '', '', '')",
    ),
    ("stray_rows", "INSERT INTO assistant_config VALUES ('nowhere', 'k', 'v')"),
];

/// A file with something of everything: versions, a call, a summary, a trash, and a session nothing happens to.
async fn begin() -> Story {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 4).await;
    answer(&session, "alt", "c2").await;
    session.set_active(&id("c3")).await.unwrap();
    let call =
        json!({ "type": "tool-x", "toolCallId": "x", "state": "output-available", "input": {}, "output": 1 });
    let tool = serde_json::from_value(json!({ "id": "tool", "role": "assistant", "parts": [call] })).unwrap();
    session.append(&tool, Parent::ActiveLeaf).await.unwrap();
    for name in ["c4", "gone"] {
        session.append(&user(name, name), Parent::ActiveLeaf).await.unwrap();
    }
    session.delete(&ids(&["gone"])).await.unwrap();
    session.add_compaction("in short", &id("c0"), &id("c1")).await.unwrap();
    chain(&story.session("other").await, 3).await;
    assert_eq!(story.manager.examine().await.unwrap(), []);
    story
}

fn codes(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.fault.code()).collect()
}

#[tokio::test]
async fn every_kind_of_damage_is_told_by_its_code_and_mended() {
    for (code, damage) in DAMAGE {
        let story = begin().await;
        let mut unguarded = story.unguarded().await;
        sqlx::raw_sql(damage).execute(&mut unguarded).await.unwrap();
        drop(unguarded);
        let findings = story.manager.examine().await.unwrap();
        assert!(codes(&findings).contains(code), "{code} in {findings:#?}");
        let told: Vec<&str> =
            findings.iter().filter(|finding| finding.detail.is_empty()).map(|_| code).collect();
        assert_eq!(told, [""; 0], "something is told without words");
        let repairs = story.manager.repair_all().await.unwrap();
        assert!(repairs.iter().any(|repair| repair.finding.fault.code() == code), "{code} in {repairs:#?}");
        assert_eq!(story.manager.examine().await.unwrap(), [], "{code}\n{repairs:#?}");
        let session = story.session("s").await;
        assert!(session.history(None).await.unwrap().broken.is_empty(), "{code}");
        session.append(&user("on", "goes on"), Parent::ActiveLeaf).await.unwrap();
        assert_eq!(path(&story.session("other").await).await, ids(&["c0", "c1", "c2"]), "{code}");
    }
}

#[tokio::test]
async fn a_damaged_page_is_told_and_everything_else_is_still_read() {
    let mut story = begin().await;
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'cf_agents_block_versions_key'";
    let page: i64 = sqlx::query_scalar(sql).fetch_one(story.temp.db.reader()).await.unwrap();
    story.temp.db.close().await.unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(story.temp.path()).unwrap();
    file.seek(SeekFrom::Start((page as u64 - 1) * 4_096)).unwrap();
    file.write_all(&[0]).unwrap();
    drop(file);
    story.reopen().await;
    let findings = story.manager.examine().await.unwrap();
    assert_eq!(codes(&findings), ["damaged_file"].into());
    for repair in story.manager.repair_all().await.unwrap() {
        assert!(matches!(repair.outcome, RepairOutcome::Beyond(_)), "{repair:?}");
    }
    assert_eq!(
        codes(&story.manager.examine().await.unwrap()),
        ["damaged_file"].into(),
        "it is not called mended"
    );
    assert_eq!(path(&story.session("other").await).await, ids(&["c0", "c1", "c2"]));
}

#[test]
fn every_code_people_read_about_has_its_test() {
    let paper = std::fs::read_to_string("../../docs/storage.md").unwrap();
    let table = paper.split("| code | what is wrong |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let written: BTreeSet<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    let tested: BTreeSet<&str> = DAMAGE.iter().map(|(code, _)| *code).chain(["damaged_file"]).collect();
    assert_eq!(written, tested);
}
