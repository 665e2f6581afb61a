//! A file from before there was an index, a trash list or a doctor.

use crate::support::{Story, id, ids};
use db::Database;
use protocol::SessionId;
use session::{Parent, Search, SessionManager};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::sync::Arc;
use testkit::{FakeClock, SeqIds, user};

mod large;

/// The steps up to format 4, and what a person had in such a file.
const OLD: [&str; 5] = [
    include_str!("../../../db/migrations/0001_session_tree.sql"),
    include_str!("../../../db/migrations/0002_think_streams.sql"),
    include_str!("../../../db/migrations/0003_think_turns.sql"),
    include_str!("../../../db/migrations/0004_session_context.sql"),
    "INSERT INTO assistant_sessions (id, name, created_at, updated_at, updated_seq, active_leaf, chosen_root, \
        message_count, last_seq) VALUES ('s', 'Harbour', 1, 2, 1, 'a', 'q', 2, 2), ('t', '', 3, 3, 2, 'q', 'q', 1, 1); \
     INSERT INTO assistant_messages (session_id, id, parent_id, seq, depth, chosen_child, role, created_at, content) \
        VALUES ('s', 'q', NULL, 1, 0, 'a', 'user', 1, \
            '{\"id\":\"q\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"older harbour\"}]}'), \
        ('s', 'a', 'q', 2, 1, NULL, 'assistant', 2, \
            '{\"id\":\"a\",\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"harbour\"}]}'), \
        ('t', 'q', NULL, 1, 0, NULL, 'user', 3, '{\"half'); \
     PRAGMA user_version = 4",
];

#[tokio::test]
async fn what_an_older_file_holds_is_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let mut old =
        SqliteConnectOptions::new().filename(&path).create_if_missing(true).connect().await.unwrap();
    for step in OLD {
        sqlx::raw_sql(step).execute(&mut old).await.unwrap();
    }
    drop(old);

    let db = Database::open(&path).await.unwrap();
    let manager =
        SessionManager::new(db.clone(), Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    let page = manager.search(&Search::new("harbours")).await.unwrap();
    let found: Vec<_> = page.hits.iter().map(|hit| (hit.message.clone(), hit.is_on_active_path)).collect();
    assert_eq!((found, page.waiting), (vec![(id("a"), true), (id("q"), true)], 0));

    let findings = manager.examine().await.unwrap();
    let found: Vec<_> =
        findings.iter().map(|finding| (finding.fault.code(), finding.session.clone())).collect();
    assert_eq!(found, [("broken_row", Some(SessionId::from("t")))]);
    manager.repair_all().await.unwrap();
    assert_eq!(manager.examine().await.unwrap(), []);

    let session = manager.session(&"s".into()).await.unwrap().unwrap();
    assert_eq!(session.history_ids(None).await.unwrap(), ids(&["q", "a"]));
    let copy = folder.path().join("copy.db");
    db.backup_to(&copy).await.unwrap();
    db.close().await.unwrap();
    let db = Database::open(&copy).await.unwrap();
    let manager = SessionManager::new(db, Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    assert_eq!(
        manager.search(&Search::new("older")).await.unwrap().hits[0].message,
        id("q"),
        "in a backup too"
    );
    assert_eq!(manager.examine().await.unwrap(), []);
}

/// Format 14 spells letters one way; what an index of format 13 spelt as it was typed is found all the same.
#[tokio::test]
async fn what_was_indexed_with_other_spellings_is_indexed_again() {
    const STEP: &str = include_str!("../../../db/migrations/0014_session_letter_forms.sql");
    let story = Story::begin().await;
    let session = story.session("s").await;
    let texts = [
        ("m1", "Σίσυφος"),
        ("m2", "か\u{3099}"),
        ("m3", "\u{1112}\u{1161}"),
        ("m4", "plain 한 が！"),
        ("m5", "２"),
    ];
    for (name, text) in texts {
        session.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
    }
    story.damage(STEP).await;
    let sql = "SELECT message_id FROM assistant_search WHERE digest IS NULL ORDER BY doc";
    let waiting: Vec<String> = sqlx::query_scalar(sql).fetch_all(story.temp.db.reader()).await.unwrap();
    assert_eq!(waiting, ["m1", "m2", "m3", "m5"]);
    assert_eq!(story.manager.index_waiting().await.unwrap(), 0);
    let page = story.manager.search(&Search::new("σισυφος")).await.unwrap();
    assert_eq!(page.hits.iter().map(|hit| hit.message.as_str()).collect::<Vec<_>>(), ["m1"]);
}
