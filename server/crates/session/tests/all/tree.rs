//! The tree: where messages go, what stays, what is looked at.

use crate::support::{Story, answer, chain, id, ids, kids, path, path_to, say, text_of, under};
use protocol::{MessageId, Siblings, Transcript};
use session::{Appended, Parent, SessionError};
use testkit::{assistant, user};

#[tokio::test]
async fn a_session_begins_empty_and_grows_at_its_active_leaf() {
    // T1
    let story = Story::begin().await;
    let session = story.default_session().await;
    assert_eq!(session.history(None).await.unwrap().messages, []);
    assert_eq!(session.latest_leaf().await.unwrap(), None);
    assert_eq!(session.active_leaf().await.unwrap(), None);
    assert_eq!(session.path_length(None).await.unwrap(), 0);
    assert_eq!(session.get(&id("x")).await.unwrap(), None);

    let (ping, pong) = (user("k1", "ping"), assistant("k2", "pong"));
    let first = session.append(&ping, Parent::ActiveLeaf).await.unwrap();
    let second = session.append(&pong, Parent::ActiveLeaf).await.unwrap();
    assert_eq!(first, Appended { id: id("k1"), parent: None, inserted: true });
    assert_eq!(second, Appended { id: id("k2"), parent: Some(id("k1")), inserted: true });
    assert_eq!(session.history(None).await.unwrap().messages, [ping, pong]);
    assert_eq!(session.path_length(None).await.unwrap(), 2);
    assert_eq!(kids(&session, "k1").await, ids(&["k2"]));
    assert_eq!(session.latest_leaf().await.unwrap(), Some(id("k2")));
    assert_eq!(session.message_count().await.unwrap(), 2);
}

#[tokio::test]
async fn the_first_content_and_parent_of_an_id_win_and_nothing_moves() {
    // T2
    let story = Story::begin().await;
    let session = story.default_session().await;
    session.append(&user("k1", "first"), Parent::ActiveLeaf).await.unwrap();
    answer(&session, "r1", "k1").await;
    answer(&session, "r2", "k1").await;
    session.set_active(&id("r1")).await.unwrap();
    let before = story.manager.get(session.id()).await.unwrap();
    story.clock.advance(5);

    let again = session.append(&user("k1", "second"), under("r2")).await.unwrap();
    assert_eq!(again, Appended { id: id("k1"), parent: None, inserted: false });
    let again = session.append(&assistant("r2", "second"), Parent::Root).await.unwrap();
    assert_eq!(again, Appended { id: id("r2"), parent: Some(id("k1")), inserted: false });
    assert_eq!(text_of(&session, "k1").await, "first");
    assert_eq!(path(&session).await, ids(&["k1", "r1"]));
    assert_eq!(story.manager.get(session.id()).await.unwrap(), before);
}

#[tokio::test]
async fn a_second_answer_is_a_sibling_and_becomes_active() {
    // T4
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q").await;
    answer(&session, "r1", "q").await;
    answer(&session, "r2", "q").await;
    assert_eq!(kids(&session, "q").await, ids(&["r1", "r2"]));
    assert_eq!(session.siblings(&id("r1")).await.unwrap(), ids(&["r1", "r2"]));
    assert_eq!(session.siblings(&id("nobody")).await.unwrap(), ids(&[]));
    assert_eq!(path(&session).await, ids(&["q", "r2"]));
    assert_eq!(path_to(&session, "r1").await, ids(&["q", "r1"]));
    assert_eq!(session.leaves().await.unwrap(), ids(&["r1", "r2"]));
}

#[tokio::test]
async fn regenerating_twice_gives_three_versions_and_keeps_earlier_turns() {
    // Y2, the session's share
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q1").await;
    answer(&session, "r1", "q1").await;
    answer(&session, "r2", "q1").await;
    answer(&session, "r3", "q1").await;
    say(&session, "q2").await;
    answer(&session, "s1", "q2").await;
    session.append(&user("q2b", "edited"), under("r3")).await.unwrap();
    assert_eq!(kids(&session, "q1").await, ids(&["r1", "r2", "r3"]));
    assert_eq!(kids(&session, "r3").await, ids(&["q2", "q2b"]));
    assert_eq!(path(&session).await, ids(&["q1", "r3", "q2b"]));
}

#[tokio::test]
async fn another_root_is_another_beginning() {
    // T6
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "a").await;
    session.append(&user("b", "b"), Parent::Root).await.unwrap();
    assert_eq!(path(&session).await, ids(&["b"]));
    assert_eq!(path_to(&session, "a").await, ids(&["a"]));
    assert_eq!(kids(&session, "a").await, ids(&[]));
    assert_eq!(session.children(None).await.unwrap(), ids(&["a", "b"]));
    assert_eq!(session.siblings(&id("b")).await.unwrap(), ids(&["a", "b"]));

    assert_eq!(session.delete(&ids(&["b"])).await.unwrap(), 1);
    assert_eq!(path(&session).await, ids(&["a"]));
}

#[tokio::test]
async fn any_message_has_a_path_and_an_unknown_one_has_none() {
    // T8
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 4).await;
    assert_eq!(path_to(&session, "c1").await, ids(&["c0", "c1"]));
    assert_eq!(session.path_length(Some(&id("c1"))).await.unwrap(), 2);
    assert_eq!(session.history(Some(&id("zz"))).await.unwrap().messages, []);
    assert_eq!(session.path_length(Some(&id("zz"))).await.unwrap(), 0);
    assert_eq!(session.set_active(&id("zz")).await.unwrap(), None);
    assert_eq!(path(&session).await.len(), 4);
}

#[tokio::test]
async fn a_restart_changes_nothing() {
    // T11
    let mut story = Story::begin().await;
    chain(&story.default_session().await, 20).await;
    story.reopen().await;
    let session = story.default_session().await;
    assert_eq!(session.active_leaf().await.unwrap(), Some(id("c19")));
    say(&session, "after").await;
    assert_eq!(kids(&session, "c19").await, ids(&["after"]));
    assert_eq!(session.history(None).await.unwrap().len(), 21);
}

#[tokio::test]
async fn clearing_one_session_leaves_the_others() {
    // T13, I6
    let story = Story::begin().await;
    let (a, b) = (story.session("a").await, story.session("b").await);
    say(&a, "one").await;
    say(&a, "two").await;
    say(&b, "one").await;
    a.clear().await.unwrap();
    assert_eq!(path(&a).await, ids(&[]));
    assert_eq!(a.path_length(None).await.unwrap(), 0);
    assert_eq!(a.message_count().await.unwrap(), 0);
    assert_eq!(path(&b).await, ids(&["one"]));
    a.append(&user("one", "again"), Parent::ActiveLeaf).await.unwrap();
    assert_eq!((text_of(&a, "one").await, text_of(&b, "one").await), ("again".into(), "one".into()));
}

#[tokio::test]
async fn a_parent_must_be_a_stored_message_of_the_session() {
    let story = Story::begin().await;
    let (session, other) = (story.session("a").await, story.session("b").await);
    say(&session, "q").await;
    say(&other, "foreign").await;
    let try_under =
        async |name: &str, parent: &str| session.append(&user(name, "x"), under(parent)).await.unwrap_err();
    for parent in ["nobody", "foreign"] {
        let refused = try_under("n", parent).await;
        assert!(matches!(&refused, SessionError::UnknownParent { parent: p, .. } if p.as_str() == parent));
    }
    assert!(matches!(try_under("n", "n").await, SessionError::OwnParent(p) if p == id("n")));
    assert!(
        matches!(try_under("n", "compaction_1").await, SessionError::Overlay(p) if p == id("compaction_1"))
    );
    assert!(
        matches!(try_under("compaction_1", "q").await, SessionError::Overlay(p) if p == id("compaction_1"))
    );
    assert_eq!(path(&session).await, ids(&["q"]));
}

#[tokio::test]
async fn a_list_is_stored_whole_or_not_at_all_and_goes_on_below_what_is_known() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 3).await;
    assert_eq!(session.append_all(&[], under("nobody")).await.unwrap(), []);

    let list =
        [user("c0", "?"), assistant("c1", "?"), user("c2", "?"), assistant("n1", "new"), user("n2", "new")];
    let appended = session.append_all(&list, Parent::Root).await.unwrap();
    let expected =
        [(None, false), (Some("c0"), false), (Some("c1"), false), (Some("c2"), true), (Some("n1"), true)];
    let found: Vec<_> =
        appended.iter().map(|a| (a.parent.as_ref().map(MessageId::as_str), a.inserted)).collect();
    assert_eq!(found, expected);
    assert_eq!(path(&session).await, ids(&["c0", "c1", "c2", "n1", "n2"]));

    let bad = [user("n3", "good"), user("compaction_x", "bad")];
    let refused = session.append_all(&bad, Parent::ActiveLeaf).await.unwrap_err();
    assert!(matches!(refused, SessionError::Overlay(named) if named == id("compaction_x")));
    let refused = session.append_all(&[user("n3", "x")], under("nobody")).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownParent { parent, .. } if parent == id("nobody")));
    assert_eq!(session.message_count().await.unwrap(), 5);
}

#[tokio::test]
async fn an_update_changes_the_content_only() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q").await;
    answer(&session, "r1", "q").await;
    answer(&session, "r2", "q").await;
    session.set_active(&id("r1")).await.unwrap();
    let before = story.manager.get(session.id()).await.unwrap();
    story.clock.advance(5);

    assert!(session.update(&user("r2", "changed")).await.unwrap());
    assert!(!session.update(&user("nobody", "changed")).await.unwrap());
    assert_eq!(text_of(&session, "r2").await, "changed");
    assert_eq!(session.get(&id("nobody")).await.unwrap(), None);
    assert_eq!(path(&session).await, ids(&["q", "r1"]));
    assert_eq!(story.manager.get(session.id()).await.unwrap(), before);
    assert_eq!(session.row_stats().await.unwrap().last().unwrap().role, protocol::Role::Assistant);
}

#[tokio::test]
async fn going_back_to_a_branch_leads_to_where_one_left_it() {
    let mut story = Story::begin().await;
    let session = story.default_session().await;
    for (name, parent) in [("r1", "q"), ("u1", "r1"), ("v1", "u1"), ("v2", "u1"), ("r2", "q"), ("u2", "r2")] {
        if name == "r1" {
            say(&session, "q").await;
        }
        answer(&session, name, parent).await;
    }
    assert_eq!(session.set_active(&id("v1")).await.unwrap(), Some(id("v1")));
    assert_eq!(session.set_active(&id("r2")).await.unwrap(), Some(id("u2")));
    story.reopen().await;
    let session = story.default_session().await;
    assert_eq!(path(&session).await, ids(&["q", "r2", "u2"]));
    assert_eq!(session.set_active(&id("r1")).await.unwrap(), Some(id("v1")), "not v2, which is newer");
    assert_eq!(path(&session).await, ids(&["q", "r1", "u1", "v1"]));
    assert_eq!(session.set_active(&id("q")).await.unwrap(), Some(id("v1")));
    assert_eq!(session.latest_leaf().await.unwrap(), Some(id("u2")));
}

#[tokio::test]
async fn removing_a_message_never_cuts_off_others() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 5).await;
    answer(&session, "d2", "c1").await;
    session.set_active(&id("c2")).await.unwrap();

    assert_eq!(session.delete(&ids(&["c1", "nobody", "c3", "c1"])).await.unwrap(), 2);
    assert_eq!(path(&session).await, ids(&["c0", "c2", "c4"]));
    assert_eq!(path_to(&session, "d2").await, ids(&["c0", "d2"]));
    assert_eq!(kids(&session, "c0").await, ids(&["c2", "d2"]));
    assert_eq!(session.path_length(None).await.unwrap(), 3);
    assert_eq!(session.message_count().await.unwrap(), 4);
    assert_eq!(
        session.set_active(&id("c0")).await.unwrap(),
        Some(id("c4")),
        "the branch viewed last is remembered"
    );

    session.delete(&ids(&["c0"])).await.unwrap();
    assert_eq!(session.children(None).await.unwrap(), ids(&["c2", "d2"]));
    assert_eq!(path(&session).await, ids(&["c2", "c4"]));
}

#[tokio::test]
async fn removing_the_newest_answer_is_undo() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q").await;
    answer(&session, "r1", "q").await;
    answer(&session, "r2", "q").await;
    session.delete(&ids(&["r2"])).await.unwrap();
    assert_eq!(path(&session).await, ids(&["q", "r1"]));
    session.delete(&ids(&["r1", "q"])).await.unwrap();
    assert_eq!(path(&session).await, ids(&[]));
    assert_eq!(session.active_leaf().await.unwrap(), None);
    say(&session, "fresh").await;
    assert_eq!(path(&session).await, ids(&["fresh"]));
}

#[tokio::test]
async fn a_window_shows_the_end_its_versions_and_what_came_before() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 6).await;
    answer(&session, "d4", "c3").await;
    answer(&session, "d5", "d4").await;

    let window = session.window(None, 2).await.unwrap();
    let expected = Transcript {
        messages: vec![assistant("d4", "d4"), assistant("d5", "d5")],
        siblings: vec![Siblings { id: id("d4"), ids: ids(&["c4", "d4"]) }],
        earlier: 4,
        ..Transcript::default()
    };
    assert_eq!(window, expected);

    let earlier = session.window(Some(&id("d4")), 3).await.unwrap();
    let names: Vec<_> = earlier.messages.iter().map(|m| m.id.clone()).collect();
    assert_eq!((names, earlier.siblings, earlier.earlier), (ids(&["c1", "c2", "c3"]), vec![], 1));
    assert_eq!(session.window(Some(&id("c0")), 3).await.unwrap(), Transcript::default());
    assert_eq!(story.session("empty").await.window(None, 3).await.unwrap(), Transcript::default());
    let refused = session.window(Some(&id("zz")), 3).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownMessage { id: unknown, .. } if unknown == id("zz")));
}

#[tokio::test]
async fn a_window_opens_in_the_middle_of_a_path() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 9).await;
    answer(&session, "d8", "c7").await;
    let check = async |middle: &str, limit: usize, shown: &[&str], earlier: u64| {
        let window = session.window_around(&id(middle), limit).await.unwrap();
        let names: Vec<_> = window.messages.iter().map(|message| message.id.clone()).collect();
        assert_eq!((names, window.earlier), (ids(shown), earlier), "around {middle}");
    };
    check("c4", 4, &["c3", "c4", "c5", "c6"], 3).await;
    check("c0", 4, &["c0", "c1", "c2"], 0).await;
    check("c7", 6, &["c3", "c4", "c5", "c6", "c7", "d8"], 3).await;
    check("c8", 4, &[], 0).await;
    let refused = session.window_around(&id("zz"), 4).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownMessage { id: unknown, .. } if unknown == id("zz")));
}

#[tokio::test]
async fn a_path_has_no_silent_end() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "c0").await;
    story
        .damage(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) \
             INSERT INTO assistant_messages (id, parent_id, seq, depth, role, created_at, content) \
             SELECT 'c' || i, 'c' || (i - 1), i + 1, i, 'user', 0, \
                '{\"id\":\"c' || i || '\",\"role\":\"user\",\"parts\":[]}' FROM n; \
             UPDATE assistant_sessions SET last_seq = 20000, message_count = 20000, active_leaf = NULL",
        )
        .await;
    say(&session, "end").await;
    assert_eq!(session.path_length(None).await.unwrap(), 20_001);
    let names = path(&session).await;
    assert_eq!((names.len(), names.first(), names.last()), (20_001, Some(&id("c0")), Some(&id("end"))));
    let history = session.history(None).await.unwrap();
    assert!(history.iter().map(|message| &message.id).eq(&names));
    assert_eq!(session.set_active(&id("c7")).await.unwrap(), Some(id("end")));
    assert_eq!(session.window(None, 10).await.unwrap().earlier, 19_991);
    assert_eq!(session.delete(&ids(&["c7"])).await.unwrap(), 1);
    assert_eq!(session.path_length(None).await.unwrap(), 20_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_arrive_together_are_all_stored_in_one_line() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let mut senders = tokio::task::JoinSet::new();
    for i in 0..20 {
        let session = session.clone();
        senders.spawn(async move { say(&session, &format!("m{i}")).await });
    }
    senders.join_all().await;
    assert_eq!(path(&session).await.len(), 20);
}

/// Lets other tasks run `times` times.
async fn wait(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_change_that_is_dropped_happens_whole_or_not_at_all() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "m0").await;
    let mut expected = 1;
    for patience in 0..60 {
        let list = [user(&format!("a{patience}"), "x"), assistant(&format!("b{patience}"), "y")];
        tokio::select! {
            biased;
            stored = session.append_all(&list, Parent::ActiveLeaf) => drop(stored.unwrap()),
            () = wait(patience * patience) => {}
        }
        // What was given up may still be under way to the file; the next writer waits for it.
        drop(story.temp.db.write().await.unwrap());
        let found = session.message_count().await.unwrap();
        assert!(found == expected || found == expected + 2, "{found} after {expected}");
        assert_eq!(path(&session).await.len() as u64, found);
        expected = found;
    }
    say(&session, "last").await;
    assert_eq!(path(&session).await.last(), Some(&id("last")));
}

#[tokio::test]
async fn of_many_ids_those_that_are_stored_and_those_that_wait_are_known_without_reading_them() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "u1").await;
    let call = |name: &str, state: &str| -> protocol::Message {
        let part = serde_json::json!({"type": "tool-t", "toolCallId": name, "state": state, "input": {}});
        testkit::message(name, "assistant", &serde_json::json!([part]))
    };
    for (name, state) in
        [("asked", "approval-requested"), ("browser", "input-available"), ("over", "output-denied")]
    {
        session.append(&call(name, state), Parent::Under(id("u1"))).await.unwrap();
    }
    let data = serde_json::json!([{"type": "data-x", "data": {"state": "input-available"}}]);
    let quotes = serde_json::json!({"id": "quotes", "role": "assistant", "parts": data});
    let quotes: protocol::Message = serde_json::from_value(quotes).unwrap();
    session.append(&quotes, Parent::Under(id("u1"))).await.unwrap();
    let wanted = ids(&["nobody", "over", "u1", "browser", "asked", "quotes", "nothing"]);
    let stored = ids(&["over", "u1", "browser", "asked", "quotes"]);
    assert_eq!(session.stored_among(wanted.iter()).await.unwrap(), stored);
    assert_eq!(session.waiting_among(wanted.iter()).await.unwrap(), ids(&["browser", "asked"]));
    assert_eq!(session.stored_among([].iter()).await.unwrap(), ids(&[]));
    let other = story.session("other").await;
    assert_eq!(other.stored_among(wanted.iter()).await.unwrap(), ids(&[]));
}
