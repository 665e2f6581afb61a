//! Files in which something is wrong: nothing is made up, and nobody is locked out.

use crate::support::{Story, chain, id, ids, path, say};
use protocol::{MessageId, Transcript};
use session::{BrokenRow, SessionError};

#[tokio::test]
async fn a_row_that_does_not_parse_is_named_and_the_others_are_read() {
    for damage in [
        "UPDATE assistant_messages SET content = '{\"id\":' WHERE id = 'c2'",
        "UPDATE assistant_messages SET content = '' WHERE id = 'c2'",
        "UPDATE assistant_messages SET content = '{\"id\":\"c2\",\"role\":1,\"parts\":[]}' WHERE id = 'c2'",
        "UPDATE assistant_messages SET content = '{\"id\":\"c2\",\"role\":\"user\"}' WHERE id = 'c2'",
        "UPDATE assistant_messages SET content = CAST(x'7b00ff22' AS TEXT) WHERE id = 'c2'",
    ] {
        names_the_broken_row(damage).await;
    }
}

async fn names_the_broken_row(damage: &'static str) {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 5).await;
    story.damage(damage).await;

    let history = session.history(None).await.unwrap();
    let names: Vec<MessageId> = history.iter().map(|m| m.id.clone()).collect();
    assert_eq!(names, ids(&["c0", "c1", "c3", "c4"]), "{damage}");
    let [BrokenRow { session: of, id: name, .. }] = &history.broken[..] else {
        panic!("{:?}", history.broken)
    };
    assert_eq!((of, name), (session.id(), &id("c2")), "{damage}");
    assert_eq!(session.recent_history(u64::MAX, 1).await.unwrap().broken, history.broken);

    let refused = session.get(&id("c2")).await.unwrap_err();
    assert!(matches!(refused, SessionError::Broken(row) if row == history.broken[0]));
    assert_eq!(path(&session).await.len(), 5);
    say(&session, "on").await;
    assert_eq!(path(&session).await.len(), 6);
}

#[tokio::test]
async fn the_list_is_read_whatever_the_last_message_holds() {
    for damage in [
        "UPDATE assistant_messages SET content = '{\"parts\":[\"input-available\"' WHERE id = 'c2'",
        "UPDATE assistant_messages SET content = '{\"parts\":[\"input-available\",7,null]}' WHERE id = 'c2'",
    ] {
        let story = Story::begin().await;
        chain(&story.session("s").await, 3).await;
        story.damage(damage).await;
        let listed = story.manager.list(None, 9).await.unwrap().sessions;
        let row = listed.iter().find(|row| row.id.as_str() == "s");
        assert_eq!(row.map(|row| row.is_waiting), Some(false), "{damage}");
    }
}

#[tokio::test]
async fn content_of_another_message_is_broken_too() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 2).await;
    story
        .damage("UPDATE assistant_messages SET content = replace(content, 'c1', 'c9') WHERE id = 'c1'")
        .await;
    let history = session.history(None).await.unwrap();
    assert_eq!((history.messages.len(), &history.broken[0].id), (1, &id("c1")));
}

#[tokio::test]
async fn a_window_full_of_broken_rows_goes_further_up() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 9).await;
    story.damage("UPDATE assistant_messages SET content = '[]' WHERE seq > 4").await;
    let window = session.window(None, 2).await.unwrap();
    let names: Vec<MessageId> = window.messages.iter().map(|m| m.id.clone()).collect();
    assert_eq!((names, window.earlier), (ids(&["c3"]), 3));
}

#[tokio::test]
async fn a_lost_active_leaf_is_replaced_by_the_latest_and_stays_repaired() {
    for damage in [
        "UPDATE assistant_sessions SET active_leaf = 'nobody'",
        "UPDATE assistant_sessions SET active_leaf = NULL",
    ] {
        let story = Story::begin().await;
        let session = story.default_session().await;
        chain(&session, 3).await;
        story.damage(damage).await;
        assert_eq!(path(&session).await, ids(&["c0", "c1", "c2"]), "{damage}");
        story.damage("DELETE FROM assistant_sessions WHERE active_leaf IS NOT 'c2'").await;
        assert_eq!(path(&session).await.len(), 3, "the repair was stored");

        story.damage(damage).await;
        say(&session, "next").await;
        assert_eq!(path(&session).await, ids(&["c0", "c1", "c2", "next"]), "{damage}");
    }
}

#[tokio::test]
async fn a_circle_of_parents_ends() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 3).await;
    story.damage("UPDATE assistant_messages SET parent_id = 'c2' WHERE id = 'c0'").await;
    assert_eq!(path(&session).await, ids(&["c0", "c1", "c2"]));
    assert_eq!(session.set_active(&id("c0")).await.unwrap(), Some(id("c2")));
}

#[tokio::test]
async fn a_message_whose_parent_is_gone_is_read_from_there_on() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 4).await;
    story.damage("DELETE FROM assistant_messages WHERE id = 'c1'").await;
    assert_eq!(path(&session).await, ids(&["c2", "c3"]));
    assert_eq!(session.window(Some(&id("c2")), 5).await.unwrap(), Transcript::default());
    say(&session, "next").await;
    assert_eq!(path(&session).await, ids(&["c2", "c3", "next"]));
}
