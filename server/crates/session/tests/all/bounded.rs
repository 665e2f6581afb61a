//! Reads with a budget.

use crate::support::{Story, ids};
use protocol::{MessageId, Role};
use session::{Parent, Recent, RowStat, Session};
use testkit::user;

async fn five(story: &Story) -> (Session, u64) {
    let session = story.default_session().await;
    for i in 0..5 {
        let message = user(&format!("p{i}"), &"x".repeat(100));
        session.append(&message, Parent::ActiveLeaf).await.unwrap();
    }
    let size = session.row_stats().await.unwrap()[0].bytes;
    (session, size)
}

fn summary(recent: &Recent) -> (Vec<MessageId>, bool, u64) {
    let names = recent.messages.iter().map(|m| m.id.clone()).collect();
    (names, recent.is_truncated, recent.total_bytes)
}

#[tokio::test]
async fn the_end_of_a_path_fits_its_budget() {
    // H1
    let story = Story::begin().await;
    let (session, b) = five(&story).await;
    let all = ["p0", "p1", "p2", "p3", "p4"];
    for (max_bytes, min_recent, expected, is_truncated) in [
        (5 * b, 1, &all[..], false),
        (5 * b - 1, 1, &all[1..], true),
        (2 * b, 1, &all[3..], true),
        (0, 0, &all[4..], true),
        (b, 3, &all[2..], true),
        (b, 99, &all[..], false),
    ] {
        let recent = session.recent_history(max_bytes, min_recent).await.unwrap();
        assert_eq!(summary(&recent), (ids(expected), is_truncated, 5 * b), "{max_bytes} {min_recent}");
    }
}

#[tokio::test]
async fn sizes_are_those_of_the_stored_json() {
    // H1
    let story = Story::begin().await;
    let (session, b) = five(&story).await;
    let json = serde_json::to_string(&user("p0", &"x".repeat(100))).unwrap();
    assert_eq!(b, json.len() as u64);
    let stat = |name: &str| RowStat { id: name.into(), role: Role::User, bytes: b };
    assert_eq!(session.row_stats().await.unwrap(), ["p0", "p1", "p2", "p3", "p4"].map(stat));
}

#[tokio::test]
async fn an_empty_session_has_nothing_recent() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    assert_eq!(session.recent_history(100, 1).await.unwrap(), Recent::default());
    assert_eq!(session.row_stats().await.unwrap(), []);
}
