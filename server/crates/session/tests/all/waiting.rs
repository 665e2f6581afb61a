//! Whom a session waits for: noted beside its last message whenever that is written, on whatever way.

use crate::support::{Story, id, ids, say};
use db::Database;
use protocol::{Awaited, Message, Part, Role, SessionId};
use serde_json::{Value, json};
use session::{Parent, Session, SessionManager};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::sync::Arc;
use testkit::{FakeClock, SeqIds, assistant, user};

fn call(state: &str) -> Value {
    json!({ "type": "tool-read", "toolCallId": "c", "state": state, "input": {}, "approval": { "id": "a" } })
}

fn dynamic(state: &str) -> Value {
    json!({ "type": "dynamic-tool", "toolName": "read", "toolCallId": "d", "state": state, "input": {} })
}

fn message(name: &str, role: Role, parts: &[Value]) -> Message {
    let parts = parts.iter().map(|part| serde_json::from_value::<Part>(part.clone()).unwrap()).collect();
    Message { parts, ..Message::text(name, role, "") }
}

async fn waits(story: &Story, session: &Session) -> Option<Awaited> {
    let row = story.manager.get(session.id()).await.unwrap().unwrap();
    let listed = story.manager.list(None, 9).await.unwrap().sessions;
    assert!(listed.contains(&row), "the list and the row agree");
    assert_eq!(row.is_waiting, row.waiting.is_some());
    row.waiting
}

#[tokio::test]
async fn only_open_calls_of_a_model_wait_and_a_person_comes_first() {
    let (person, program) = (Some(Awaited::Approval), Some(Awaited::Tool));
    let story = Story::begin().await;
    let session = story.session("s").await;
    for (number, (role, parts, expected)) in [
        (Role::Assistant, vec![json!({ "type": "text", "text": "\"input-available\"" })], None),
        (Role::Assistant, vec![call("approval-requested")], person),
        (Role::Assistant, vec![call("input-available")], program),
        (Role::Assistant, vec![dynamic("input-available")], program),
        (Role::Assistant, vec![dynamic("input-available"), call("approval-requested")], person),
        (Role::Assistant, vec![call("input-streaming"), call("approval-responded")], None),
        (Role::Assistant, vec![call("output-available"), dynamic("output-denied")], None),
        (Role::Assistant, vec![json!({ "type": "data-x", "state": "input-available" })], None),
        (Role::User, vec![call("approval-requested")], None),
        (Role::Other("tool".to_owned()), vec![call("input-available")], None),
    ]
    .into_iter()
    .enumerate()
    {
        let message = message(&format!("m{number}"), role, &parts);
        session.append(&message, Parent::ActiveLeaf).await.unwrap();
        assert_eq!(waits(&story, &session).await, expected, "{message:?}");
    }
}

#[tokio::test]
async fn it_follows_every_change() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    say(&session, "q").await;
    let asks = message("a", Role::Assistant, &[call("approval-requested")]);
    session.append(&asks, Parent::ActiveLeaf).await.unwrap();
    assert_eq!(waits(&story, &session).await, Some(Awaited::Approval));
    session.append(&assistant("b", "no tool"), Parent::Under(id("q"))).await.unwrap();
    assert_eq!(waits(&story, &session).await, None, "another version is looked at");
    session.set_active(&id("a")).await.unwrap();
    assert_eq!(waits(&story, &session).await, Some(Awaited::Approval));
    session.delete(&ids(&["a"])).await.unwrap();
    assert_eq!(waits(&story, &session).await, None);
    session.restore(&id("a")).await.unwrap();
    session.set_active(&id("a")).await.unwrap();
    assert_eq!(waits(&story, &session).await, Some(Awaited::Approval), "out of the trash");
    session.update(&message("a", Role::Assistant, &[call("input-available")])).await.unwrap();
    assert_eq!(waits(&story, &session).await, Some(Awaited::Tool));
    let fork = story.manager.fork(session.id(), &id("a"), "fork").await.unwrap();
    assert_eq!(story.manager.get(&fork.session.id).await.unwrap().unwrap().waiting, Some(Awaited::Tool));
    session.update(&message("a", Role::Assistant, &[call("output-available")])).await.unwrap();
    assert_eq!(waits(&story, &session).await, None);
    session.update(&asks).await.unwrap();
    session.append(&user("n", "never mind"), Parent::ActiveLeaf).await.unwrap();
    assert_eq!(waits(&story, &session).await, None);
}

#[tokio::test]
async fn an_older_file_learns_it() {
    const OLD: [&str; 6] = [
        include_str!("../../../db/migrations/0001_session_tree.sql"),
        include_str!("../../../db/migrations/0002_think_streams.sql"),
        include_str!("../../../db/migrations/0003_think_turns.sql"),
        include_str!("../../../db/migrations/0004_session_context.sql"),
        "INSERT INTO assistant_sessions (id, name, created_at, updated_at, updated_seq, active_leaf) VALUES \
            ('s1', '', 1, 1, 1, 'm'), ('s2', '', 1, 1, 2, 'm'), ('s3', '', 1, 1, 3, 'm'), ('s4', '', 1, 1, 4, 'm')",
        "PRAGMA user_version = 4",
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut old = options.connect().await.unwrap();
    for step in OLD {
        sqlx::raw_sql(step).execute(&mut old).await.unwrap();
    }
    let both = [json!(7), dynamic("input-available"), call("approval-requested")];
    for (session, role, content) in [
        ("s1", "assistant", json!({ "id": "m", "role": "assistant", "parts": both }).to_string()),
        ("s2", "assistant", json!({ "id": "m", "role": "assistant", "parts": &both[..2] }).to_string()),
        ("s3", "user", json!({ "id": "m", "role": "user", "parts": both }).to_string()),
        ("s4", "assistant", "{\"parts\":[\"input-available\"".to_owned()),
    ] {
        let sql = "INSERT INTO assistant_messages (session_id, id, seq, depth, role, created_at, content) \
            VALUES (?, 'm', 1, 0, ?, 1, ?)";
        sqlx::query(sql).bind(session).bind(role).bind(content).execute(&mut old).await.unwrap();
    }
    drop(old);
    let db = Database::open(&path).await.unwrap();
    let manager = SessionManager::new(db, Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    for (session, expected) in
        [("s1", Some(Awaited::Approval)), ("s2", Some(Awaited::Tool)), ("s3", None), ("s4", None)]
    {
        let row = manager.get(&SessionId::from(session)).await.unwrap().unwrap();
        assert_eq!(row.waiting, expected, "{session}");
    }
}
