//! Thrown away, fetched back, gone.

use crate::support::{Story, ids, path, say};
use protocol::SessionId;
use session::SessionError;

async fn listed(story: &Story) -> Vec<SessionId> {
    story.manager.list(None, 100).await.unwrap().sessions.into_iter().map(|session| session.id).collect()
}

#[tokio::test]
async fn a_session_comes_back_from_the_trash_as_it_was() {
    // G2
    let story = Story::begin().await;
    let (one, two) = (story.session("one").await, story.session("two").await);
    say(&one, "quartz").await;
    say(&two, "quartz").await;
    let before = story.manager.get(one.id()).await.unwrap();
    story.clock.advance(10);

    assert!(story.manager.delete(one.id()).await.unwrap());
    assert!(!story.manager.delete(one.id()).await.unwrap());
    assert_eq!(story.manager.get(one.id()).await.unwrap(), None);
    assert!(story.manager.session(one.id()).await.unwrap().is_none());
    assert_eq!(story.manager.rename(one.id(), "x").await.unwrap(), None);
    assert_eq!(listed(&story).await, ["two".into()]);
    assert_eq!(path(&two).await, ids(&["quartz"]));

    assert_eq!(story.manager.restore(one.id()).await.unwrap(), before);
    assert_eq!(listed(&story).await, ["two".into(), "one".into()]);
    assert_eq!(path(&one).await, ids(&["quartz"]));
}

#[tokio::test]
async fn a_turn_that_still_runs_loses_nothing() {
    let story = Story::begin().await;
    let session = story.session("one").await;
    say(&session, "question").await;
    story.manager.delete(session.id()).await.unwrap();
    say(&session, "late").await;
    story.manager.restore(session.id()).await.unwrap();
    assert_eq!(path(&session).await, ids(&["question", "late"]));
}

#[tokio::test]
async fn what_is_purged_is_gone_for_good() {
    let story = Story::begin().await;
    let session = story.session("one").await;
    say(&session, "secret").await;
    story.damage("INSERT INTO assistant_config VALUES ('one', 'k', 'v')").await;
    story.manager.delete(session.id()).await.unwrap();
    assert!(story.manager.purge(session.id()).await.unwrap());
    assert!(!story.manager.purge(session.id()).await.unwrap());
    assert_eq!(story.manager.restore(session.id()).await.unwrap(), None);
    let left = "SELECT (SELECT count(*) FROM assistant_messages) + (SELECT count(*) FROM assistant_config)";
    let left: i64 = sqlx::query_scalar(left).fetch_one(story.temp.db.reader()).await.unwrap();
    assert_eq!(left, 0);
    let refused = session.append(&testkit::user("x", "x"), session::Parent::ActiveLeaf).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(id) if id == *session.id()));
}

#[tokio::test]
async fn the_default_session_is_empty_after_it_was_thrown_away_and_comes_back() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "old").await;
    let before = story.manager.get(session.id()).await.unwrap();
    assert!(story.manager.delete(session.id()).await.unwrap());
    assert_eq!((path(&session).await, listed(&story).await), (ids(&[]), vec![]));
    assert_eq!(story.manager.restore(session.id()).await.unwrap(), before);
    assert_eq!(path(&session).await, ids(&["old"]));
}

#[tokio::test]
async fn nothing_new_in_the_default_session_is_overwritten_by_what_comes_back() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "old").await;
    story.manager.delete(session.id()).await.unwrap();
    say(&session, "new").await;

    let back = story.manager.restore(session.id()).await.unwrap().unwrap();
    assert_ne!(back.id, SessionId::default());
    assert_eq!(path(&session).await, ids(&["new"]));
    assert_eq!(path(&story.session(back.id.as_str()).await).await, ids(&["old"]));
    let again = story.manager.restore(session.id()).await.unwrap().unwrap();
    assert_eq!(again.id, SessionId::default(), "nothing is left in the trash");
}

#[tokio::test]
async fn a_purged_default_session_never_comes_back_and_leaves_its_id_free() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "old").await;
    assert!(story.manager.purge(session.id()).await.unwrap());
    assert_eq!((path(&session).await, listed(&story).await), (ids(&[]), vec![]));
    assert_eq!(story.manager.restore(session.id()).await.unwrap(), None);
    assert!(!story.manager.purge(session.id()).await.unwrap());
    say(&session, "new").await;
    assert_eq!(path(&session).await, ids(&["new"]));
    assert_eq!(story.manager.unfinished_imports().await.unwrap(), []);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}
