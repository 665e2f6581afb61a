//! The list of sessions.

use crate::support::{Story, ids, path, say};
use protocol::limits::SESSION_NAME_MAX_CHARS;
use protocol::{SessionId, SessionInfo};
use session::{NewSession, SessionError};

fn named(name: &str) -> NewSession {
    NewSession { name: name.to_owned(), ..NewSession::default() }
}

/// The names of all sessions, read in pages of `limit`.
async fn all_names(story: &Story, limit: usize) -> Vec<String> {
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = story.manager.list(cursor.as_deref(), limit).await.unwrap();
        assert!(page.sessions.len() <= limit);
        names.extend(page.sessions.into_iter().map(|session| session.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return names;
        }
    }
}

#[tokio::test]
async fn a_session_is_made_named_and_counted() {
    // G1
    let story = Story::begin().await;
    let new = NewSession {
        parent_session_id: Some("p".into()),
        model: Some("m-1".into()),
        source: Some("web".into()),
        ..named("Trip")
    };
    let made = story.manager.create(new).await.unwrap();
    let expected = SessionInfo {
        id: "id-1".into(),
        name: "Trip".into(),
        parent_session_id: Some("p".into()),
        model: Some("m-1".into()),
        sampling: None,
        source: Some("web".into()),
        input_tokens: 0,
        output_tokens: 0,
        estimated_cost: 0.0,
        end_reason: None,
        created_at: 1_000,
        updated_at: 1_000,
        message_count: 0,
        pinned_at: None,
        archived_at: None,
        deleted_at: None,
        is_running: false,
        is_waiting: false,
        waiting: None,
    };
    assert_eq!(made, expected);
    let id = made.id;

    story.clock.advance(7);
    story.manager.rename(&id, " Voyage\n").await.unwrap();
    story.manager.add_usage(&id, 100, 50, 0.01).await.unwrap();
    let last = story.manager.add_usage(&id, 1, 2, 0.5).await.unwrap();
    let expected = SessionInfo {
        name: "Voyage".into(),
        input_tokens: 101,
        output_tokens: 52,
        estimated_cost: 0.51,
        updated_at: 1_007,
        ..expected
    };
    assert_eq!(last, Some(expected.clone()));
    assert_eq!(story.manager.get(&id).await.unwrap(), Some(expected.clone()));
    let sampling =
        Some(protocol::Sampling { top_p: Some(0.5), seed: Some(7), ..protocol::Sampling::default() });
    let chosen = story.manager.set_sampling(&id, sampling).await.unwrap();
    assert_eq!(chosen, Some(SessionInfo { sampling, ..expected.clone() }));
    assert_eq!(story.manager.set_sampling(&id, None).await.unwrap(), Some(expected));
    assert_eq!(story.manager.get(&"unknown".into()).await.unwrap(), None);
    let (one, other) = (story.session("id-1").await, story.session("id-1").await);
    say(&one, "hello").await;
    assert_eq!(path(&other).await, ids(&["hello"]));
}

#[tokio::test]
async fn an_unknown_session_is_no_error() {
    // G2
    let story = Story::begin().await;
    let id = SessionId::from("unknown");
    let manager = &story.manager;
    assert!(!manager.delete(&id).await.unwrap());
    assert!(!manager.purge(&id).await.unwrap());
    assert_eq!(manager.restore(&id).await.unwrap(), None);
    assert_eq!(manager.rename(&id, "x").await.unwrap(), None);
    assert_eq!(manager.replace_name(&id, "", "x").await.unwrap(), None);
    assert_eq!(manager.set_model(&id, Some("x")).await.unwrap(), None);
    assert_eq!(manager.add_usage(&id, 1, 1, 1.0).await.unwrap(), None);
    assert!(manager.session(&id).await.unwrap().is_none());
    assert_eq!(all_names(&story, 10).await, Vec::<String>::new(), "nothing came to be");
}

#[tokio::test]
async fn the_default_session_comes_to_be_with_its_first_change() {
    let story = Story::begin().await;
    let id = SessionId::default();
    assert_eq!(story.manager.get(&id).await.unwrap(), None);
    say(&story.default_session().await, "hello").await;
    let info = story.manager.get(&id).await.unwrap().unwrap();
    assert_eq!((info.message_count, info.created_at), (1, 1_000));

    let story = Story::begin().await;
    assert_eq!(story.manager.rename(&id, "Home").await.unwrap().unwrap().name, "Home");
}

#[tokio::test]
async fn a_chosen_id_is_taken_as_it_is_once() {
    let story = Story::begin().await;
    let with_id = |id: &str| NewSession { id: Some(id.into()), ..named("x") };
    let made = story.manager.create(with_id("mine/ü")).await.unwrap();
    assert_eq!(made.id, "mine/ü".into());
    let refused = story.manager.create(with_id("mine/ü")).await.unwrap_err();
    assert!(matches!(refused, SessionError::Conflict(id) if id == made.id));
    story.manager.delete(&made.id).await.unwrap();
    let refused = story.manager.create(with_id("mine/ü")).await.unwrap_err();
    assert!(matches!(refused, SessionError::Conflict(_)), "it can still come back from the trash");
    for bad in ["", "~", ".", "..", "a\0"] {
        let refused = story.manager.create(with_id(bad)).await.unwrap_err();
        assert!(matches!(refused, SessionError::InvalidId { .. }), "{bad:?}");
    }
}

#[tokio::test]
async fn the_list_is_newest_first_and_stable_in_pages() {
    let story = Story::begin().await;
    for i in 0..5 {
        story.manager.create(named(&format!("s{i}"))).await.unwrap();
    }
    let expected = ["s4", "s3", "s2", "s1", "s0"];
    for limit in [1, 2, 5, 9] {
        assert_eq!(all_names(&story, limit).await, expected, "in the same millisecond, in pages of {limit}");
    }
    say(&story.session("id-2").await, "hello").await;
    assert_eq!(all_names(&story, 2).await, ["s1", "s4", "s3", "s2", "s0"]);
    story.clock.advance(1);
    story.manager.set_model(&"id-1".into(), Some("m")).await.unwrap();
    assert_eq!(all_names(&story, 2).await, ["s0", "s1", "s4", "s3", "s2"]);
}

#[tokio::test]
async fn a_page_begins_where_the_last_one_ended_though_something_moved() {
    let story = Story::begin().await;
    for i in 0..4 {
        story.manager.create(named(&format!("s{i}"))).await.unwrap();
    }
    let first = story.manager.list(None, 2).await.unwrap();
    story.manager.rename(&"id-1".into(), "moved").await.unwrap();
    let second = story.manager.list(first.next_cursor.as_deref(), 2).await.unwrap();
    let names: Vec<_> = second.sessions.iter().map(|s| s.name.as_str()).collect();
    assert_eq!((names, second.next_cursor), (vec!["s1"], None));
}

#[tokio::test]
async fn a_cursor_we_never_gave_is_an_error() {
    let story = Story::begin().await;
    for bad in ["", "x", "1", "1.", "1.2.3", "9999999999999999999999.1"] {
        let refused = story.manager.list(Some(bad), 5).await.unwrap_err();
        assert!(matches!(refused, SessionError::BadCursor(text) if text == bad));
    }
    assert_eq!(story.manager.list(None, 0).await.unwrap().sessions, []);
}

#[tokio::test]
async fn names_have_a_limit_and_a_title_never_replaces_one() {
    let story = Story::begin().await;
    let id = story.manager.create(named("")).await.unwrap().id;
    let long = "ü".repeat(SESSION_NAME_MAX_CHARS);
    let titled = story.manager.replace_name(&id, "", &format!("  {long}  ")).await.unwrap();
    assert_eq!(titled.unwrap().name, long);
    assert_eq!(story.manager.replace_name(&id, "", "other").await.unwrap(), None);
    let refused = story.manager.rename(&id, &format!("{long}!")).await.unwrap_err();
    assert!(matches!(refused, SessionError::NameTooLong { chars, max } if chars == max + 1));
    assert!(matches!(
        story.manager.create(named(&format!("{long}!"))).await,
        Err(SessionError::NameTooLong { .. })
    ));
    assert_eq!(story.manager.rename(&id, "a\0b").await.unwrap().unwrap().name, "a b");
    assert_eq!(story.manager.rename(&id, "  ").await.unwrap().unwrap().name, "");
    assert_eq!(story.manager.replace_name(&id, "", "other").await.unwrap().unwrap().name, "other");
}

#[tokio::test]
async fn counters_never_overflow() {
    let story = Story::begin().await;
    let id = story.manager.create(named("")).await.unwrap().id;
    for _ in 0..2 {
        story.manager.add_usage(&id, u64::MAX, u64::MAX, f64::NAN).await.unwrap();
    }
    let info = story.manager.get(&id).await.unwrap().unwrap();
    let most = i64::MAX.unsigned_abs();
    assert_eq!((info.input_tokens, info.output_tokens, info.estimated_cost), (most, most, 0.0));
    for _ in 0..2 {
        story.manager.add_usage(&id, 0, 0, f64::MAX).await.unwrap();
    }
    assert_eq!(story.manager.get(&id).await.unwrap().unwrap().estimated_cost, f64::MAX);
}
