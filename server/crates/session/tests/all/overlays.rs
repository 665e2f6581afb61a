//! Summaries that stand for messages: what is read, what stays, and what becomes of them when messages go.

use crate::support::{Story, chain, id, ids, path, say, text_of, under};
use protocol::{Message, MessageId, OverlayInfo, Part, Transcript};
use session::{Compaction, Parent, Pin, Recent, Session, SessionError, apply_overlays, estimate_messages};
use testkit::{assistant, user};

async fn ten(story: &Story) -> Session {
    let session = story.session("s").await;
    chain(&session, 10).await;
    session
}

async fn cover(session: &Session, summary: &str, from: &str, to: &str) -> Compaction {
    session.add_compaction(summary, &id(from), &id(to)).await.unwrap()
}

/// Messages as `c0 <A> c4`.
fn shown(messages: &[Message]) -> String {
    let name = |message: &Message| match message.id.is_overlay() {
        true => format!("<{}>", message.plain_text()),
        false => message.id.to_string(),
    };
    messages.iter().map(name).collect::<Vec<_>>().join(" ")
}

async fn read(session: &Session) -> String {
    shown(&session.history(None).await.unwrap())
}

#[tokio::test]
async fn a_summary_stands_for_its_range_and_has_no_row() {
    // C1
    let story = Story::begin().await;
    let session = ten(&story).await;
    let made = cover(&session, "A", "c1", "c3").await;
    let expected = Compaction {
        id: id("compaction_id-1"),
        summary: "A".to_owned(),
        from: id("c1"),
        to: id("c3"),
        created_at: 1_000,
    };
    assert_eq!(made, expected);
    assert_eq!(session.compactions().await.unwrap(), [expected]);
    let history = session.history(None).await.unwrap();
    assert_eq!(shown(&history), "c0 <A> c4 c5 c6 c7 c8 c9");
    assert_eq!(history[1], made.message());
    assert_eq!((session.path_length(None).await.unwrap(), path(&session).await.len()), (10, 10));
    assert_eq!(session.get(&made.id).await.unwrap(), None);
    assert_eq!(session.history(Some(&made.id)).await.unwrap().messages, []);
    assert_eq!(session.children(Some(&made.id)).await.unwrap(), []);
    assert_eq!(text_of(&session, "c2").await, "line 2");
}

#[tokio::test]
async fn several_summaries_stand_as_the_table_says_and_all_are_listed() {
    // C2, C4
    for (overlays, expected) in [
        (&[("one", "c1", "c5"), ("two", "c1", "c7")][..], "c0 <two> c8 c9"),
        (&[("A", "c1", "c3"), ("B", "c5", "c6")], "c0 <A> c4 <B> c7 c8 c9"),
        (&[("A", "c1", "c3"), ("B", "c4", "c6")], "c0 <A> <B> c7 c8 c9"),
        (&[("A", "c1", "c5"), ("B", "c3", "c8")], "c0 <A> c6 c7 c8 c9"),
        (&[("L", "c1", "c7"), ("S", "c1", "c3")], "c0 <S> c4 c5 c6 c7 c8 c9"),
        (&[("W", "c0", "c9")], "<W>"),
        (&[("", "c4", "c4")], "c0 c1 c2 c3 <> c5 c6 c7 c8 c9"),
    ] {
        let story = Story::begin().await;
        let session = ten(&story).await;
        for (summary, from, to) in overlays {
            cover(&session, summary, from, to).await;
        }
        assert_eq!(read(&session).await, expected);
        assert_eq!(session.compactions().await.unwrap().len(), overlays.len());
    }
}

#[tokio::test]
async fn a_range_must_lie_on_one_path() {
    // C6
    let story = Story::begin().await;
    let session = ten(&story).await;
    session.append(&assistant("d5", "other"), under("c4")).await.unwrap();
    session.set_active(&id("c9")).await.unwrap();
    for (from, to) in [("c5", "c2"), ("c5", "d5"), ("d5", "c9")] {
        let refused = session.add_compaction("X", &id(from), &id(to)).await.unwrap_err();
        assert!(matches!(refused, SessionError::NotOnePath { .. }), "{from} {to}: {refused}");
    }
    for (from, to) in [("zz", "c2"), ("c2", "zz"), ("compaction_zz", "c2")] {
        let refused = session.add_compaction("X", &id(from), &id(to)).await.unwrap_err();
        assert!(matches!(refused, SessionError::UnknownMessage { .. }), "{from} {to}: {refused}");
    }
    assert_eq!(read(&session).await, "c0 c1 c2 c3 c4 c5 c6 c7 c8 c9");
    assert_eq!(session.compactions().await.unwrap(), []);
}

#[tokio::test]
async fn summaries_belong_to_their_branch() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    cover(&session, "old", "c2", "c8").await;
    session.append(&assistant("d5", "other"), under("c4")).await.unwrap();
    cover(&session, "new", "c2", "c3").await;
    cover(&session, "newest", "c2", "d5").await;
    for (leaf, expected) in [
        ("c9", "c0 c1 <new> c4 c5 c6 c7 c8 c9"),
        ("d5", "c0 c1 <newest>"),
        ("c5", "c0 c1 <new> c4 c5"),
        ("c2", "c0 c1 c2"),
    ] {
        assert_eq!(shown(&session.history(Some(&id(leaf))).await.unwrap()), expected, "{leaf}");
    }
}

#[tokio::test]
async fn taking_a_summary_away_gives_back_every_byte() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    let before = serde_json::to_string(&session.history(None).await.unwrap().messages).unwrap();
    let inner = cover(&session, "inner", "c1", "c3").await;
    let outer = cover(&session, "outer", &inner.id.to_string(), "c6").await;
    assert_eq!((outer.from.clone(), read(&session).await), (id("c1"), "c0 <outer> c7 c8 c9".to_owned()));
    let raw = session.raw_history(None).await.unwrap().messages;
    assert_eq!(serde_json::to_string(&raw).unwrap(), before);

    let edited = session.set_summary(&outer.id, "edited").await.unwrap().unwrap();
    assert_eq!(edited, Compaction { summary: "edited".to_owned(), ..outer.clone() });
    assert_eq!(read(&session).await, "c0 <edited> c7 c8 c9");
    assert!(session.delete_compaction(&outer.id).await.unwrap());
    assert_eq!(read(&session).await, "c0 <inner> c4 c5 c6 c7 c8 c9");
    assert!(session.delete_compaction(&inner.id).await.unwrap());
    let after = serde_json::to_string(&session.history(None).await.unwrap().messages).unwrap();
    assert_eq!(after, before);

    assert!(!session.delete_compaction(&inner.id).await.unwrap());
    assert!(!session.delete_compaction(&id("c1")).await.unwrap());
    assert_eq!(session.set_summary(&inner.id, "x").await.unwrap(), None);
    assert_eq!(session.set_summary(&id("c1"), "x").await.unwrap(), None);
}

#[tokio::test]
async fn a_summary_has_a_limit() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    let huge = "x".repeat(protocol::limits::MESSAGE_MAX_BYTES + 1);
    let made = cover(&session, "A", "c1", "c3").await;
    let refusals = [
        session.add_compaction(&huge, &id("c5"), &id("c6")).await.map(drop),
        session.set_summary(&made.id, &huge).await.map(drop),
    ];
    assert!(refusals.iter().all(|refusal| matches!(refusal, Err(SessionError::TooLarge { .. }))));
    assert_eq!(read(&session).await, "c0 <A> c4 c5 c6 c7 c8 c9");
}

#[tokio::test]
async fn messages_at_the_ends_may_go_and_the_rest_stays_covered() {
    for (deleted, range, expected) in [
        (&["c1"][..], Some(("c2", "c5")), "c0 <S> c6 c7 c8 c9"),
        (&["c5"], Some(("c1", "c4")), "c0 <S> c6 c7 c8 c9"),
        (&["c1", "c5", "c3"], Some(("c2", "c4")), "c0 <S> c6 c7 c8 c9"),
        (&["c2", "c1"], Some(("c3", "c5")), "c0 <S> c6 c7 c8 c9"),
        (&["c1", "c2", "c3", "c4", "c5"], None, "c0 c6 c7 c8 c9"),
        (&["c0", "c6"], Some(("c1", "c5")), "<S> c7 c8 c9"),
        (&["c9", "c8", "c7", "c6", "c5"], Some(("c1", "c4")), "c0 <S>"),
    ] {
        let story = Story::begin().await;
        let session = ten(&story).await;
        cover(&session, "S", "c1", "c5").await;
        session.delete(&ids(deleted)).await.unwrap();
        let left = session.compactions().await.unwrap();
        let ends = left.first().map(|compaction| (compaction.from.as_str(), compaction.to.as_str()));
        assert_eq!((ends, read(&session).await), (range, expected.to_owned()), "{deleted:?}");
    }
}

#[tokio::test]
async fn rows_that_do_not_parse_stay_covered() {
    for damaged in ["c1", "c3", "c5"] {
        let story = Story::begin().await;
        let session = ten(&story).await;
        cover(&session, "S", "c1", "c5").await;
        let mut tx = story.temp.db.write().await.unwrap();
        let sql = "UPDATE assistant_messages SET content = '[]' WHERE id = ?";
        sqlx::query(sql).bind(damaged).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        let history = session.history(None).await.unwrap();
        assert_eq!((shown(&history), history.broken), ("c0 <S> c6 c7 c8 c9".to_owned(), vec![]), "{damaged}");
    }
}

#[tokio::test]
async fn what_answers_a_summary_goes_below_the_end_of_its_range() {
    // I3
    let story = Story::begin().await;
    let session = ten(&story).await;
    let made = cover(&session, "S", "c1", "c5").await;
    let refused = session.append(&made.message(), Parent::ActiveLeaf).await.unwrap_err();
    assert!(matches!(refused, SessionError::Overlay(_)));
    let appended = session.append(&user("new", "new"), under(made.id.as_str())).await.unwrap();
    assert_eq!(appended.parent, Some(id("c5")));
    assert_eq!(read(&session).await, "c0 <S> new");
    let unknown = session.append(&user("x", "x"), under("compaction_zz")).await.unwrap_err();
    assert!(matches!(unknown, SessionError::Overlay(_)));
}

#[tokio::test]
async fn a_cleared_session_has_no_summaries_and_a_restored_one_has() {
    // T13
    let mut story = Story::begin().await;
    let (first, other) = (ten(&story).await, story.session("o").await);
    say(&other, "b1").await;
    cover(&other, "S", "b1", "b1").await;
    cover(&first, "S", "c1", "c3").await;
    first.clear().await.unwrap();
    assert_eq!((first.compactions().await.unwrap(), first.token_estimate(None).await.unwrap()), (vec![], 0));
    say(&first, "c1").await;
    assert_eq!((read(&first).await.as_str(), read(&other).await.as_str()), ("c1", "<S>"));

    let default = story.default_session().await;
    chain(&default, 4).await;
    cover(&default, "D", "c1", "c2").await;
    default.set_pinned(&id("c3"), Pin::Pinned).await.unwrap();
    let tokens = default.token_estimate(None).await.unwrap();
    story.manager.delete(default.id()).await.unwrap();
    assert_eq!(story.default_session().await.compactions().await.unwrap(), []);
    story.manager.restore(default.id()).await.unwrap();
    story.reopen().await;
    let default = story.default_session().await;
    assert_eq!(read(&default).await, "c0 <D> c3");
    assert_eq!(default.pinned().await.unwrap(), ids(&["c3"]));
    assert_eq!(default.token_estimate(None).await.unwrap(), tokens);
    story.manager.purge(default.id()).await.unwrap();
    assert_eq!((story.count("assistant_compactions").await, story.count("assistant_weights").await), (1, 2));
}

#[tokio::test]
async fn pinned_messages_are_kept_out_of_new_summaries() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    cover(&session, "old", "c1", "c2").await;
    for name in ["c7", "c2", "c4"] {
        assert!(session.set_pinned(&id(name), Pin::Pinned).await.unwrap());
    }
    assert!(!session.set_pinned(&id("zz"), Pin::Pinned).await.unwrap());
    assert_eq!(session.pinned().await.unwrap(), ids(&["c2", "c4", "c7"]));
    assert_eq!(session.window(None, 5).await.unwrap().pinned, ids(&["c7"]));
    for (from, to, refused) in [("c3", "c5", "c4"), ("c6", "c9", "c7"), ("c7", "c7", "c7")] {
        let refusal = session.add_compaction("X", &id(from), &id(to)).await.unwrap_err();
        assert!(matches!(refusal, SessionError::Pinned(pinned) if pinned == id(refused)));
    }
    // What is hidden already may be covered again.
    cover(&session, "new", "c1", "c3").await;
    assert!(session.set_pinned(&id("c4"), Pin::Loose).await.unwrap());
    cover(&session, "wide", "c1", "c6").await;
    assert_eq!(read(&session).await, "c0 <wide> c7 c8 c9");
}

#[tokio::test]
async fn a_window_says_what_its_summaries_hide() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    let first = cover(&session, "A", "c1", "c3").await;
    let second = cover(&session, "B", "c5", "c8").await;
    let raw = session.raw_history(None).await.unwrap();
    let info = |of: &Compaction, range: std::ops::Range<usize>| OverlayInfo {
        id: of.id.clone(),
        from: of.from.clone(),
        to: of.to.clone(),
        hidden: range.len() as u64,
        tokens_before: estimate_messages(&raw[range]),
        tokens_after: 6,
        created_at: 1_000,
    };
    let expected = Transcript {
        messages: vec![raw[4].clone(), second.message(), raw[9].clone()],
        overlays: vec![info(&second, 5..9)],
        earlier: 4,
        ..Transcript::default()
    };
    assert_eq!(session.window(None, 3).await.unwrap(), expected);
    let before_a_message = session.window(Some(&id("c4")), 1).await.unwrap();
    let expected = Transcript {
        messages: vec![first.message()],
        overlays: vec![info(&first, 1..4)],
        earlier: 1,
        ..Transcript::default()
    };
    assert_eq!(before_a_message, expected);
    let before_a_summary = session.window(Some(&first.id), 5).await.unwrap();
    assert_eq!(before_a_summary, Transcript { messages: raw[..1].to_vec(), ..Transcript::default() });
    let around =
        async |middle: &MessageId, limit| session.window_around(middle, limit).await.unwrap().messages;
    let beside = [first.message(), raw[4].clone(), second.message()];
    assert_eq!(around(&id("c4"), 8).await, [&raw[..1], &beside[..]].concat());
    assert_eq!(around(&id("c2"), 4).await, raw[..3], "what is hidden is shown itself");
    assert_eq!(around(&second.id, 4).await.last(), Some(&raw[9]));
    let unknown = session.window(Some(&id("compaction_zz")), 5).await.unwrap_err();
    assert!(matches!(unknown, SessionError::UnknownMessage { .. }));
}

#[tokio::test]
async fn the_recent_end_counts_a_summary_with_its_own_size() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    cover(&session, &"S".repeat(100), "c1", "c7").await;
    let (total, one) = {
        let stats = session.row_stats().await.unwrap();
        (stats.iter().map(|stat| stat.bytes).sum::<u64>(), stats[9].bytes)
    };
    let user_size = session.row_stats().await.unwrap()[8].bytes;
    for (max_bytes, min_recent, count, is_truncated) in [
        (u64::MAX, 1, 4, false),
        (one + user_size + 100, 1, 3, true),
        (one + user_size + 99, 1, 2, true),
        (0, 3, 3, true),
        (0, 4, 4, false),
    ] {
        let recent: Recent = session.recent_history(max_bytes, min_recent).await.unwrap();
        let found = (recent.messages.len(), recent.is_truncated, recent.total_bytes);
        assert_eq!(found, (count, is_truncated, total), "{max_bytes} {min_recent}");
    }
}

#[tokio::test]
async fn the_overlay_of_a_long_path_is_found_wherever_it_ends() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 900).await;
    cover(&session, "early", "c2", "c10").await;
    cover(&session, "late", "c400", "c880").await;
    let raw = session.raw_history(None).await.unwrap();
    let expected = apply_overlays(&raw, &session.compactions().await.unwrap());
    assert_eq!(session.history(None).await.unwrap().messages, expected);
    assert_eq!(expected.len(), 900 - 8 - 480);
    assert_eq!(session.token_estimate(None).await.unwrap(), estimate_messages(&expected));
    cover(&session, "all", "c2", "c890").await;
    assert_eq!(shown(&session.window(None, 12).await.unwrap().messages[..5]), "c0 c1 <all> c891 c892");
}

#[tokio::test]
async fn an_older_file_gets_a_guess_of_its_weights() {
    let story = Story::begin().await;
    let session = ten(&story).await;
    session.append(&assistant("d5", "other"), under("c4")).await.unwrap();
    let migration = include_str!("../../../db/migrations/0006_session_compaction.sql");
    let (_, filling) = migration.split_at(migration.find("INSERT INTO assistant_weights").unwrap());
    story.damage("DELETE FROM assistant_weights").await;
    let mut tx = story.temp.db.write().await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(filling)).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    let guess = |bytes: u64| 4 + bytes / 4;
    for leaf in ["c9", "d5", "c0"] {
        let path = session.raw_history(Some(&id(leaf))).await.unwrap();
        let guessed: u64 = path.iter().map(|m| guess(serde_json::to_string(m).unwrap().len() as u64)).sum();
        assert_eq!(session.token_estimate(Some(&id(leaf))).await.unwrap(), guessed, "{leaf}");
    }
    let longer = Message { parts: vec![Part::text("x".repeat(400))], ..user("c4", "") };
    let before = session.token_estimate(Some(&id("c4"))).await.unwrap();
    session.update(&longer).await.unwrap();
    let old = guess(serde_json::to_string(&user("c4", "line 4")).unwrap().len() as u64);
    assert_eq!(session.token_estimate(Some(&id("c4"))).await.unwrap(), before - old + 104);
}
