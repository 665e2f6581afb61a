//! Damage of every kind in any mixture: the doctor mends it, loses no message, and whatever is done afterwards works.

use crate::support::{Dice, Story, answer, chain, id, under};
use session::{Fault, Pin, RepairOutcome, Session};
use std::collections::BTreeSet;
use testkit::user;

/// Two sessions with branches, pins, summaries over summaries and a trash in which parents and children lie apart.
async fn begin() -> Story {
    let story = Story::begin().await;
    for name in ["s", "t"] {
        let session = story.session(name).await;
        chain(&session, 8).await;
        answer(&session, "alt", "c2").await;
        answer(&session, "alt2", "alt").await;
        session.append(&user("root2", "again"), session::Parent::Root).await.unwrap();
        session.set_active(&id("c7")).await.unwrap();
        session.set_pinned(&id("c6"), Pin::Pinned).await.unwrap();
        session.add_compaction("inner", &id("c1"), &id("c2")).await.unwrap();
        session.add_compaction("outer", &id("c0"), &id("c4")).await.unwrap();
        for gone in [&["c3"][..], &["c4", "c5"], &["alt"]] {
            session.delete(&crate::support::ids(gone)).await.unwrap();
        }
    }
    story
}

/// One kind of damage; `{a}` and `{b}` are any messages, `{n}` any number.
const DAMAGE: [&str; 27] = [
    "UPDATE assistant_messages SET parent_id = '{b}' WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET parent_id = 'nobody' WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET parent_id = NULL WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET depth = {n} WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET seq = {n} + 100 WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET chosen_child = '{b}' WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET content = substr(content, 1, {n}) WHERE session_id = 's' AND id = '{a}'",
    "UPDATE assistant_messages SET role = 'system' WHERE session_id = 's' AND id = '{a}'",
    "DELETE FROM assistant_weights WHERE session_id = 's' AND message_id = '{a}'",
    "UPDATE assistant_weights SET tokens = {n} WHERE session_id = 's' AND message_id = '{a}'",
    "UPDATE assistant_weights SET waits = 'tool' WHERE session_id = 's' AND message_id = '{a}'",
    "DELETE FROM assistant_search WHERE session_id = 's' AND message_id = '{a}'",
    "DELETE FROM assistant_fts WHERE rowid = {n}",
    "UPDATE assistant_search SET digest = {n} WHERE session_id = 's' AND message_id = '{a}'",
    "UPDATE assistant_compactions SET to_message_id = '{a}' WHERE session_id = 's' AND summary = 'outer'",
    "UPDATE assistant_compactions SET from_message_id = '{a}' WHERE session_id = 's' AND summary = 'inner'",
    "UPDATE assistant_sessions SET active_leaf = '{a}', chosen_root = '{b}' WHERE id = 's'",
    "UPDATE assistant_sessions SET message_count = {n}, last_seq = {n} WHERE id = 's'",
    "DELETE FROM assistant_displaced WHERE session_id = 's' AND message_id = '{a}'",
    "DELETE FROM assistant_displaced WHERE session_id = 's'",
    "UPDATE assistant_displaced SET parent_id = '{b}' WHERE session_id = 's'",
    "UPDATE assistant_trashed_messages SET parent_id = '{b}' WHERE session_id = 's' AND id = 'c4'",
    "UPDATE assistant_trashed_messages SET parent_id = 'nobody' WHERE session_id = 's' AND id = 'c3'",
    "UPDATE assistant_trashed_messages SET chosen_child = '{b}' WHERE session_id = 's'",
    "UPDATE assistant_clamped SET from_message_id = '{a}', to_message_id = '{b}' WHERE session_id = 's'",
    "UPDATE assistant_deletions SET choices = '[', leaf_before = '{a}', leaf_after = 'nobody' WHERE session_id = 's'",
    "INSERT OR IGNORE INTO assistant_displaced (session_id, message_id, parent_id) VALUES ('s', '{a}', '{b}')",
];

const NAMES: [&str; 11] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "alt", "alt2", "root2"];

async fn reached(session: &Session) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        reached.extend(session.history_ids(Some(&leaf)).await.unwrap().iter().map(ToString::to_string));
    }
    reached
}

/// What people do next, none of which may fail or leave anything for the doctor.
async fn go_on(story: &Story, session: &Session, told: &str) {
    let sound = async |what: &str| {
        let found = story.manager.examine().await.unwrap();
        assert_eq!(found, [], "{told}\n{what}");
    };
    let leaf = session.active_leaf().await.unwrap().unwrap();
    assert!(session.history(None).await.unwrap().broken.is_empty(), "{told}");
    session.append(&user("on", "on"), under(leaf.as_str())).await.unwrap();
    sound("append").await;
    while let Some(last) = session.trash().await.unwrap().pop() {
        assert!(session.restore(&last.id).await.unwrap().is_some(), "{told}\nrestore {}", last.id);
        sound("restore").await;
    }
    let everything: BTreeSet<String> = NAMES.iter().chain(&["on"]).map(ToString::to_string).collect();
    assert_eq!(reached(session).await, everything, "{told}");
    session.delete(&[leaf, id("c2")]).await.unwrap();
    sound("delete").await;
    let cleared = session.clear().await.unwrap().unwrap();
    sound("clear").await;
    assert!(session.restore(&cleared).await.unwrap().is_some(), "{told}");
    sound("undo of clear").await;
}

#[tokio::test]
async fn a_parent_that_cannot_be_is_forgotten() {
    for (damage, expected) in [
        (
            "INSERT INTO assistant_displaced (session_id, message_id, parent_id) VALUES ('s', 'c2', 'c3')",
            &["c2", "c3"][..],
        ),
        (
            "UPDATE assistant_displaced SET parent_id = 'c1' WHERE session_id = 's' AND message_id = 'c6'",
            &["c6"],
        ),
        (
            "UPDATE assistant_trashed_messages SET parent_id = 'c7' WHERE session_id = 's' AND id = 'c4'",
            &["c4", "c5", "c6"],
        ),
    ] {
        let story = begin().await;
        assert_eq!(story.manager.examine().await.unwrap(), [], "before");
        story.damage(damage).await;
        let findings = story.manager.examine().await.unwrap();
        assert!(findings.iter().all(|finding| finding.fault == Fault::WrongTrash), "{damage}\n{findings:#?}");
        let found: Vec<_> = findings.into_iter().filter_map(|finding| finding.message).collect();
        assert_eq!(found, crate::support::ids(expected), "{damage}");
        story.manager.repair_all().await.unwrap();
        assert_eq!(story.manager.examine().await.unwrap(), [], "{damage}");
        go_on(&story, &story.session("s").await, damage).await;
    }
}

#[tokio::test]
async fn whatever_is_damaged_is_mended_and_everything_goes_on() {
    for _round in 0..12 {
        let seed = Dice::fresh_seed();
        let mut dice = Dice::with_seed(seed);
        let story = begin().await;
        let mut other = story.unguarded().await;
        let mut told = format!("seed {seed}");
        for _damage in 0..=dice.below(3) {
            let sql = DAMAGE[dice.below(DAMAGE.len())];
            let sql = sql.replace("{a}", NAMES[dice.below(NAMES.len())]);
            let sql = sql.replace("{b}", NAMES[dice.below(NAMES.len())]);
            let sql = sql.replace("{n}", &dice.below(20).to_string());
            told = format!("{told}\n{sql}");
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut other).await.unwrap();
        }
        let repairs = story.manager.repair_all().await.unwrap();
        let beyond = repairs.iter().filter(|repair| matches!(repair.outcome, RepairOutcome::Beyond(_)));
        assert_eq!(beyond.count(), 0, "{told}\n{repairs:#?}");
        assert_eq!(story.manager.examine().await.unwrap(), [], "{told}\n{repairs:#?}");
        let session = story.session("s").await;
        let kept = reached(&session).await.len();
        assert_eq!(session.message_count().await.unwrap(), kept as u64, "{told}");
        go_on(&story, &session, &told).await;
    }
}
