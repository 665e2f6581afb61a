//! Lists of sessions other than the plain one, and sessions made out of others.

use crate::support::{Story, answer, chain, id, ids, path, say, text_of};
use protocol::{MessageId, SessionId, SessionInfo, SessionPage};
use serde_json::json;
use session::{NewSession, Parent, Pin, SessionError, SessionFilter, Shelf};
use std::future::Future;

fn named(name: &str) -> NewSession {
    NewSession { name: name.to_owned(), ..NewSession::default() }
}

fn names(sessions: &[SessionInfo]) -> String {
    sessions.iter().map(|session| session.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The names in all pages of one session each.
async fn paged<F>(page: impl Fn(Option<String>) -> F) -> String
where
    F: Future<Output = Result<SessionPage, SessionError>>,
{
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let page = page(cursor).await.unwrap();
        all.extend(page.sessions);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return names(&all);
        }
    }
}

#[tokio::test]
async fn pins_and_archives_move_nothing_and_narrow_the_list() {
    let story = Story::begin().await;
    let manager = &story.manager;
    for name in ["Alpha", "Beta", "Gamma", "Delta"] {
        manager.create(NewSession { source: Some(name[..1].to_owned()), ..named(name) }).await.unwrap();
    }
    story.clock.advance(5);
    let pinned = manager.pin(&"id-1".into()).await.unwrap().unwrap();
    assert_eq!((pinned.pinned_at, pinned.updated_at), (Some(1_005), 1_000));
    let archived = manager.archive(&"id-2".into()).await.unwrap().unwrap();
    assert_eq!((archived.archived_at, archived.updated_at), (Some(1_005), 1_000));
    manager.archive(&"id-3".into()).await.unwrap();
    manager.pin(&"id-3".into()).await.unwrap();

    let shelf = |shelf| SessionFilter { shelf, ..SessionFilter::default() };
    let source = SessionFilter { source: Some("B".into()), ..SessionFilter::default() };
    let name = SessionFilter { name: Some("lT".into()), ..SessionFilter::default() };
    for (filter, expected) in [
        (shelf(Shelf::Any), "Delta Gamma Beta Alpha"),
        (shelf(Shelf::Current), "Delta Alpha"),
        (shelf(Shelf::Pinned), "Alpha"),
        (shelf(Shelf::Unpinned), "Delta"),
        (shelf(Shelf::Archived), "Gamma Beta"),
        (source, "Beta"),
        (name, "Delta"),
    ] {
        let filter = &filter;
        let page =
            |cursor: Option<String>| async move { manager.list_where(filter, cursor.as_deref(), 1).await };
        assert_eq!(paged(page).await, expected, "{filter:?}");
    }
    assert_eq!(manager.unpin(&"id-1".into()).await.unwrap().unwrap().pinned_at, None);
    assert_eq!(manager.unarchive(&"id-2".into()).await.unwrap().unwrap().archived_at, None);
    assert_eq!(manager.pin(&"nobody".into()).await.unwrap(), None);
    assert_eq!(manager.archive(&"nobody".into()).await.unwrap(), None);
    assert!(manager.pin(&SessionId::default()).await.unwrap().is_some(), "it always exists");
}

#[tokio::test]
async fn the_trash_lists_what_was_thrown_away_last_first() {
    let story = Story::begin().await;
    let manager = &story.manager;
    for name in ["a", "b", "c"] {
        manager.create(named(name)).await.unwrap();
    }
    for number in [2, 3, 1] {
        story.clock.advance(1);
        manager.delete(&format!("id-{number}").into()).await.unwrap();
    }
    let page = |cursor: Option<String>| async move { manager.trash(cursor.as_deref(), 1).await };
    assert_eq!(paged(page).await, "a c b");
    let first = manager.trash(None, 1).await.unwrap().sessions.remove(0);
    assert_eq!(first.deleted_at, Some(1_003));
    manager.restore(&"id-1".into()).await.unwrap();
    assert_eq!(paged(page).await, "c b");
}

#[tokio::test]
async fn a_fork_copies_the_path_and_leaves_the_old_session_alone() {
    // G3
    let story = Story::begin().await;
    let manager = &story.manager;
    let session = story.session("s").await;
    chain(&session, 6).await;
    answer(&session, "other", "c2").await;
    let forked = manager.fork(session.id(), &id("c3"), " Fork\n").await.unwrap();
    let fork = story.session(forked.session.id.as_str()).await;

    let info =
        SessionInfo { parent_session_id: Some("s".into()), ..manager.get(fork.id()).await.unwrap().unwrap() };
    assert_eq!(forked.session, info);
    assert_eq!((info.name.as_str(), info.message_count, info.model), ("Fork", 4, None));
    let new: Vec<MessageId> = forked.ids.iter().map(|(_, new)| new.clone()).collect();
    let old: Vec<MessageId> = forked.ids.iter().map(|(old, _)| old.clone()).collect();
    assert_eq!((old, path(&fork).await), (ids(&["c0", "c1", "c2", "c3"]), new.clone()));
    for (number, name) in new.iter().enumerate() {
        assert_eq!(text_of(&fork, name.as_str()).await, format!("line {number}"));
        assert_eq!(session.get(name).await.unwrap(), None, "no id is used twice");
    }
    assert_eq!((session.message_count().await.unwrap(), path(&session).await.len()), (7, 4));
    let children = manager.children(session.id(), None, 10).await.unwrap();
    assert_eq!(children, SessionPage { sessions: vec![forked.session], next_cursor: None });

    manager.set_model(session.id(), Some("m-1")).await.unwrap();
    let again = manager.fork(session.id(), &id("c0"), "").await.unwrap();
    assert_eq!(again.session.model.as_deref(), Some("m-1"));
    let page =
        |cursor: Option<String>| async move { manager.children(&"s".into(), cursor.as_deref(), 1).await };
    assert_eq!(paged(page).await, " Fork");
}

#[tokio::test]
async fn a_fork_does_not_wait_for_what_a_turn_of_the_old_session_still_runs() {
    let story = Story::begin().await;
    let (manager, session) = (&story.manager, story.session("s").await);
    let calls = json!([
        { "type": "tool-danger", "toolCallId": "c1", "state": "approval-responded", "input": {},
          "approval": { "id": "a1", "approved": true } },
        { "type": "tool-research", "toolCallId": "c2", "state": "output-available", "input": {}, "output": "half",
          "preliminary": true },
        { "type": "tool-danger", "toolCallId": "c3", "state": "approval-requested", "input": {},
          "approval": { "id": "a3" } },
        { "type": "tool-add", "toolCallId": "c4", "state": "output-available", "input": {}, "output": 3 },
    ]);
    let asks = testkit::message("asks", "assistant", &calls);
    session.append(&asks, Parent::ActiveLeaf).await.unwrap();

    let forked = manager.fork(session.id(), &id("asks"), "").await.unwrap();
    let fork = story.session(forked.session.id.as_str()).await;
    let copy = serde_json::to_value(fork.get(&forked.ids[0].1).await.unwrap().unwrap()).unwrap();
    let states: Vec<_> = copy["parts"].as_array().unwrap().iter().map(|part| &part["state"]).collect();
    assert_eq!(states, ["output-error", "output-error", "approval-requested", "output-available"]);
    assert_eq!(session.get(&id("asks")).await.unwrap(), Some(asks));
    say(&fork, "on").await;
    assert_eq!(manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn a_fork_at_a_summary_ends_with_it() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 6).await;
    let summary = session.add_compaction("in short", &id("c1"), &id("c3")).await.unwrap();
    let forked = story.manager.fork(session.id(), &summary.id, "").await.unwrap();
    let old: Vec<MessageId> = forked.ids.into_iter().map(|(old, _)| old).collect();
    assert_eq!(old, [id("c0"), summary.id]);
    let history = story.session(forked.session.id.as_str()).await.history(None).await.unwrap();
    let texts: Vec<String> = history.iter().map(protocol::Message::plain_text).collect();
    assert_eq!(texts, ["line 0", "in short"]);
}

#[tokio::test]
async fn what_is_pinned_is_pinned_in_a_fork_too() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 8).await;
    answer(&session, "alt", "c4").await;
    session.set_active(&id("c7")).await.unwrap();
    for name in ["alt", "c2", "c5", "c7"] {
        session.set_pinned(&id(name), Pin::Pinned).await.unwrap();
    }
    // What a summary hides is not copied, and so is no pin of it; a summary itself has none.
    session.set_pinned(&id("c2"), Pin::Loose).await.unwrap();
    session.add_compaction("in short", &id("c1"), &id("c3")).await.unwrap();
    session.set_pinned(&id("c2"), Pin::Pinned).await.unwrap();
    let forked = story.manager.fork(session.id(), &id("c6"), "").await.unwrap();
    let fork = story.session(forked.session.id.as_str()).await;
    let pinned = fork.pinned().await.unwrap();
    let old: Vec<MessageId> =
        forked.ids.iter().filter(|(_, new)| pinned.contains(new)).map(|(old, _)| old.clone()).collect();
    assert_eq!((old, pinned.len()), (ids(&["c5"]), 1));
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn nothing_is_forked_from_what_does_not_exist() {
    let story = Story::begin().await;
    let manager = &story.manager;
    let session = story.session("s").await;
    say(&session, "hello").await;
    let refused = manager.fork(&"nobody".into(), &id("hello"), "x").await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(id) if id == "nobody".into()));
    let refused = manager.fork(&SessionId::default(), &id("hello"), "x").await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(_)), "it has no messages yet");
    let refused = manager.fork(session.id(), &id("nobody"), "x").await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownMessage { id: name, .. } if name == id("nobody")));
    let refused = manager.compact_and_split(&"nobody".into(), "summary", None).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(_)));
    manager.delete(session.id()).await.unwrap();
    let refused = manager.fork(session.id(), &id("hello"), "x").await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(_)), "it lies in the trash");
    assert_eq!(manager.list(None, 10).await.unwrap().sessions, [], "nothing came to be");
}

#[tokio::test]
async fn a_fork_names_the_rows_it_could_not_copy() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 4).await;
    story.damage("UPDATE assistant_messages SET content = '{' WHERE id = 'c1'").await;
    let forked = story.manager.fork(session.id(), &id("c3"), "").await.unwrap();
    assert_eq!((forked.session.message_count, &forked.broken[0].id), (3, &id("c1")));
}

#[tokio::test]
async fn a_split_goes_on_with_the_summary() {
    let story = Story::begin().await;
    let manager = &story.manager;
    let new = NewSession { model: Some("m-1".into()), source: Some("web".into()), ..named("Trip") };
    let old = manager.create(new).await.unwrap();
    say(&story.session(old.id.as_str()).await, "hello").await;
    manager.add_usage(&old.id, 5, 5, 0.5).await.unwrap();

    let new = manager.compact_and_split(&old.id, "We met.", None).await.unwrap();
    let expected = SessionInfo {
        id: new.id.clone(),
        parent_session_id: Some(old.id.clone()),
        message_count: 1,
        ..old.clone()
    };
    assert_eq!(new, expected);
    let session = story.session(new.id.as_str()).await;
    let first = session.history(None).await.unwrap().messages.remove(0);
    assert_eq!(first.role, protocol::Role::Assistant);
    assert_eq!(first.plain_text(), "[Context from previous session]\n\nWe met.");
    let ended = manager.get(&old.id).await.unwrap().unwrap();
    assert_eq!((ended.end_reason.as_deref(), ended.message_count), (Some("compaction"), 1));
    say(&story.session(old.id.as_str()).await, "still writable").await;

    assert_eq!(manager.compact_and_split(&old.id, "", Some("Next")).await.unwrap().name, "Next");
    assert_eq!(manager.compact_and_split(&old.id, "", Some(" \n")).await.unwrap().name, "Trip");
    let unnamed = manager.create(named("")).await.unwrap();
    assert_eq!(manager.compact_and_split(&unnamed.id, "", None).await.unwrap().name, "Compacted");
}

#[tokio::test]
async fn names_are_found_in_any_case_of_any_script() {
    let story = Story::begin().await;
    let manager = &story.manager;
    let names = [
        "\u{416}\u{443}\u{43a}",
        "Stra\u{df}e",
        "e\u{301}t\u{e9}",
        "\u{4eca}\u{65e5}",
        "Oslo",
        "OSLO \u{416}",
    ];
    for name in names {
        let made = manager.create(named(name)).await.unwrap();
        let session = manager.session(&made.id).await.unwrap().unwrap();
        session.append(&testkit::user("m", "quartz"), session::Parent::ActiveLeaf).await.unwrap();
    }
    for (asked, expected) in [
        ("\u{436}\u{423}", "\u{416}\u{443}\u{43a}"),
        ("STRASSE", "Stra\u{df}e"),
        ("\u{c9}T", "e\u{301}t\u{e9}"),
        ("\u{65e5}", "\u{4eca}\u{65e5}"),
        ("oslo", "OSLO_\u{416} Oslo"),
        ("\u{436}", "OSLO_\u{416} \u{416}\u{443}\u{43a}"),
        ("nobody", ""),
    ] {
        let filter = &SessionFilter { name: Some(asked.into()), ..SessionFilter::default() };
        let page =
            |cursor: Option<String>| async move { manager.list_where(filter, cursor.as_deref(), 1).await };
        assert_eq!(paged(page).await.replace("OSLO ", "OSLO_"), expected, "{asked}");
    }
    for (asked, expected) in [("\u{416}\u{423}\u{41a}", names[0]), ("strasse", names[1]), ("oslo", "Oslo")] {
        let text = format!("quartz session:{asked}");
        let hits = manager.search(&session::Search::new(&text)).await.unwrap().hits;
        let found: Vec<&str> = hits.iter().map(|hit| hit.session_name.as_str()).collect();
        assert_eq!(found, [expected], "{asked}");
    }
}
