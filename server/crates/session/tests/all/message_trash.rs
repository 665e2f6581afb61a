//! Single messages thrown away and fetched back: exactly where and as they were.

use crate::support::{Story, answer, chain, id, ids, kids, path, say, under};
use futures::future::{Either, select};
use proptest::prelude::*;
use proptest::sample::Index;
use protocol::{DeletedMessage, Message, MessageId, Role};
use session::{Parent, Pin, Search, Session};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::user;

/// What of a dump says which branches are looked at.
const CHOICES: usize = 2;

/// Every row of a session's tree, byte by byte; only when something last happened in it is left out.
async fn dump(story: &Story) -> Vec<String> {
    let mut rows = Vec::new();
    for sql in [
        "SELECT json_array(id, name, active_leaf, chosen_root, message_count, last_seq) FROM assistant_sessions",
        "SELECT json_array(id, chosen_child) FROM assistant_messages ORDER BY seq",
        "SELECT json_array(session_id, id, parent_id, seq, depth, role, created_at, content) \
            FROM assistant_messages ORDER BY session_id, seq",
        "SELECT json_array(session_id, message_id, tokens, path_tokens, pinned_at) FROM assistant_weights ORDER BY message_id",
        "SELECT json_array(session_id, id, seq, from_message_id, to_message_id, tokens, created_at, summary) \
            FROM assistant_compactions ORDER BY seq",
        "SELECT json_array(doc, session_id, message_id, created_at, digest) FROM assistant_search ORDER BY doc",
        "SELECT json_array(word) FROM assistant_words ORDER BY word",
        "SELECT json_array(id) FROM assistant_trashed_messages",
        "SELECT json_array(message_id, parent_id) FROM assistant_displaced",
        "SELECT json_array(id) FROM assistant_clamped",
    ] {
        let found: Vec<String> = sqlx::query_scalar(sql).fetch_all(story.temp.db.reader()).await.unwrap();
        rows.push(found.join("\n"));
    }
    rows
}

async fn found(session: &Session, words: &str) -> Vec<MessageId> {
    let page = session.search(&Search::new(words)).await.unwrap();
    page.hits.into_iter().map(|hit| hit.message).collect()
}

/// `c0` to `c7`, versions of `c3` and `c6`, a pin, and two summaries.
async fn grown(story: &Story) -> Session {
    let session = story.default_session().await;
    chain(&session, 8).await;
    answer(&session, "d3", "c2").await;
    session.append(&user("d4", "more"), under("d3")).await.unwrap();
    session.append(&user("d6", "other"), under("c5")).await.unwrap();
    session.append(&user("root", "anew"), Parent::Root).await.unwrap();
    session.set_pinned(&id("c7"), Pin::Pinned).await.unwrap();
    session.add_compaction("early", &id("c1"), &id("c3")).await.unwrap();
    session.add_compaction("late", &id("c2"), &id("c6")).await.unwrap();
    session.set_active(&id("c3")).await.unwrap();
    session
}

const GROWN: [&str; 12] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "d3", "d4", "d6", "root"];

#[tokio::test]
async fn a_message_comes_back_where_it_was_with_its_children_below_it() {
    let story = Story::begin().await;
    let session = grown(&story).await;
    let before = dump(&story).await;
    assert_eq!(session.delete(&ids(&["c5"])).await.unwrap(), 1);
    assert_eq!(kids(&session, "c4").await, ids(&["c6", "d6"]));
    let row = DeletedMessage {
        id: id("c5"),
        role: Role::Assistant,
        preview: "line 5".to_owned(),
        deleted_at: 1_000,
        count: 1,
    };
    assert_eq!(session.trash().await.unwrap(), [row]);
    assert_eq!(found(&session, "\"line 5\"").await, []);
    assert_eq!(session.restore(&id("c5")).await.unwrap(), Some(1));
    assert_eq!(dump(&story).await, before);
    assert_eq!(found(&session, "\"line 5\"").await, ids(&["c5"]));
    assert_eq!((session.trash().await.unwrap(), session.restore(&id("c5")).await.unwrap()), (vec![], None));
}

// C15
#[tokio::test]
async fn after_the_last_version_goes_the_one_before_it_is_shown_and_undo_shows_it_again() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q").await;
    for version in ["v1", "v2", "v3"] {
        answer(&session, version, "q").await;
    }
    session.delete(&ids(&["v3"])).await.unwrap();
    assert_eq!((path(&session).await, kids(&session, "q").await), (ids(&["q", "v2"]), ids(&["v1", "v2"])));
    session.restore(&id("v3")).await.unwrap();
    assert_eq!(path(&session).await, ids(&["q", "v3"]));
    session.delete(&ids(&["v3"])).await.unwrap();
    session.set_active(&id("v1")).await.unwrap();
    session.restore(&id("v3")).await.unwrap();
    assert_eq!(path(&session).await, ids(&["q", "v1"]), "somebody looked elsewhere since");
}

#[tokio::test]
async fn a_message_whose_parent_is_gone_hangs_below_the_nearest_one_left_until_that_comes_back() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 5).await;
    let before = dump(&story).await;
    session.delete(&ids(&["c3"])).await.unwrap();
    session.delete(&ids(&["c1", "c2"])).await.unwrap();
    session.restore(&id("c3")).await.unwrap();
    assert_eq!(path(&session).await, ids(&["c0", "c3", "c4"]));
    // Any message of a deletion brings back all of it.
    session.restore(&id("c2")).await.unwrap();
    assert_eq!(dump(&story).await, before);
}

#[tokio::test]
async fn what_hung_on_a_purged_message_hangs_past_it() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 6).await;
    session.add_compaction("s", &id("c2"), &id("c3")).await.unwrap();
    session.delete(&ids(&["c2"])).await.unwrap();
    session.delete(&ids(&["c3"])).await.unwrap();
    session.delete(&ids(&["c4"])).await.unwrap();
    assert_eq!(session.compactions().await.unwrap(), []);
    assert_eq!(session.purge(&id("c3")).await.unwrap(), Some(1));
    assert_eq!(
        (session.purge(&id("c3")).await.unwrap(), session.restore(&id("c3")).await.unwrap()),
        (None, None)
    );
    session.restore(&id("c4")).await.unwrap();
    session.restore(&id("c2")).await.unwrap();
    assert_eq!(path(&session).await, ids(&["c0", "c1", "c2", "c4", "c5"]));
    let ranges = session.compactions().await.unwrap();
    let ends: Vec<_> = ranges.iter().map(|row| (row.from.as_str(), row.to.as_str())).collect();
    assert_eq!(ends, [("c2", "c2")]);
    for table in ["assistant_displaced", "assistant_clamped", "assistant_deletions"] {
        assert_eq!(story.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn words_that_only_purged_messages_held_are_forgotten() {
    let story = Story::begin().await;
    let words = async || -> Vec<String> {
        let sql = "SELECT word FROM assistant_words ORDER BY word";
        sqlx::query_scalar(sql).fetch_all(story.temp.db.reader()).await.unwrap()
    };
    let pieces = async |piece: &'static str| -> i64 {
        let sql = "SELECT count(*) FROM assistant_word_pieces WHERE assistant_word_pieces MATCH ?";
        sqlx::query_scalar(sql).bind(piece).fetch_one(story.temp.db.reader()).await.unwrap()
    };
    let (kept, other) = (story.default_session().await, story.session("other").await);
    kept.append(&user("a", "shared word"), Parent::ActiveLeaf).await.unwrap();
    kept.append(&user("b", "shared hunter2secret"), Parent::ActiveLeaf).await.unwrap();
    other.append(&user("c", "word swordfish99"), Parent::ActiveLeaf).await.unwrap();
    other.append(&user("d", "zanzibar"), Parent::ActiveLeaf).await.unwrap();
    kept.delete(&ids(&["b"])).await.unwrap();
    other.delete(&ids(&["d"])).await.unwrap();
    assert_eq!((words().await.len(), pieces("secret").await), (5, 1));
    kept.purge(&id("b")).await.unwrap();
    assert_eq!(words().await, ["shared", "swordfish99", "word", "zanzibar"]);
    assert_eq!(pieces("secret").await, 0);
    story.manager.delete(other.id()).await.unwrap();
    story.manager.purge(other.id()).await.unwrap();
    assert_eq!((words().await, pieces("fish").await), (vec!["shared".to_owned(), "word".to_owned()], 0));
    let cleared = kept.clear().await.unwrap().unwrap();
    assert_eq!((cleared.as_str(), words().await.len()), ("a", 2));
    kept.purge(&cleared).await.unwrap();
    assert_eq!(words().await, [""; 0]);
}

#[tokio::test]
async fn a_new_message_takes_the_id_of_one_in_the_trash_and_nothing_is_lost() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 4).await;
    session.delete(&ids(&["c2"])).await.unwrap();
    session.append(&user("c2", "again"), under("c3")).await.unwrap();
    let listed: Vec<MessageId> = session.trash().await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!((listed, session.restore(&id("c2")).await.unwrap()), (ids(&["c2#3"]), None));
    session.restore(&id("c2#3")).await.unwrap();
    assert_eq!(path(&session).await, ids(&["c0", "c1", "c2#3", "c3", "c2"]));
    assert_eq!(session.get(&id("c2#3")).await.unwrap().unwrap().plain_text(), "line 2");
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn the_trash_goes_with_its_session_and_moves_with_it() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 3).await;
    session.delete(&ids(&["c1"])).await.unwrap();
    story.manager.delete(session.id()).await.unwrap();
    assert_eq!(session.trash().await.unwrap(), []);
    story.manager.restore(session.id()).await.unwrap();
    assert_eq!(session.restore(&id("c1")).await.unwrap(), Some(1));
    let other = story.session("other").await;
    chain(&other, 3).await;
    other.delete(&ids(&["c1"])).await.unwrap();
    story.manager.delete(other.id()).await.unwrap();
    story.manager.purge(other.id()).await.unwrap();
    assert_eq!(story.count("assistant_trashed_messages").await, 0);
}

#[tokio::test]
async fn a_cleared_session_comes_back_byte_by_byte() {
    let story = Story::begin().await;
    let session = grown(&story).await;
    let before = dump(&story).await;
    let cleared = session.clear().await.unwrap();
    assert_eq!((cleared.clone(), session.clear().await.unwrap()), (Some(id("c0")), None));
    assert_eq!((path(&session).await, session.compactions().await.unwrap()), (vec![], vec![]));
    assert_eq!((session.message_count().await.unwrap(), found(&session, "line").await), (0, vec![]));
    let listed: Vec<_> = session.trash().await.unwrap().into_iter().map(|row| (row.id, row.count)).collect();
    assert_eq!(listed, [(id("c0"), GROWN.len() as u64)]);
    session.restore(&id("c0")).await.unwrap();
    assert_eq!(dump(&story).await, before);
    // The chat goes on after it, with an id that was used before.
    session.clear().await.unwrap();
    say(&session, "c0").await;
    assert_eq!(session.trash().await.unwrap()[0].id, id("c0#1"));
    session.discard(&ids(&["c0"])).await.unwrap();
    assert_eq!(session.restore(&id("c0#1")).await.unwrap(), Some(GROWN.len() as u64));
    assert_eq!(kids(&session, "c0#1").await, ids(&["c1"]));
    assert_eq!(session.compactions().await.unwrap().len(), 2);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn the_trash_has_an_end() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 4).await;
    session.delete(&ids(&["c1"])).await.unwrap();
    for number in 0..protocol::limits::TRASH_DELETIONS_MAX {
        say(&session, &format!("n{number}")).await;
        session.delete(&ids(&[&format!("n{number}")])).await.unwrap();
    }
    let trash = session.trash().await.unwrap();
    assert_eq!(
        (trash.len(), trash.last().unwrap().id.clone()),
        (protocol::limits::TRASH_DELETIONS_MAX, id("n0"))
    );
    assert_eq!(
        (session.restore(&id("c1")).await.unwrap(), path(&session).await),
        (None, ids(&["c0", "c2", "c3"]))
    );
}

/// Messages as they are read, summaries by what they say.
async fn read(session: &Session) -> String {
    let name = |message: Message| match message.id.is_overlay() {
        true => format!("<{}>", message.plain_text()),
        false => message.id.to_string(),
    };
    session.history(None).await.unwrap().messages.into_iter().map(name).collect::<Vec<_>>().join(" ")
}

/// c0 to c7, of which some are thrown away before and others after a summary of c2 to c6 is made, and all come back.
async fn come_back(
    (before, behind): (&[&str], &[&str]),
    (is_last_first, age): (bool, &'static str),
) -> String {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 8).await;
    session.delete(&ids(before)).await.unwrap();
    story.clock.advance(1);
    session.add_compaction("S", &id("c2"), &id("c6")).await.unwrap();
    story.clock.advance(1);
    session.delete(&ids(behind)).await.unwrap();
    story.damage(age).await;
    let mut trash: Vec<_> = session.trash().await.unwrap().into_iter().map(|row| row.id).collect();
    if !is_last_first {
        trash.reverse();
    }
    for head in trash {
        session.restore(&head).await.unwrap();
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
    read(&session).await
}

#[tokio::test]
async fn what_comes_back_into_a_summary_made_without_it_is_read_itself() {
    const NEW: &str = "SELECT 1";
    const OF_OLDER_FILE: &str = "UPDATE assistant_deletions SET summaries = NULL";
    for (before, behind, expected) in [
        (&["c4"][..], &[][..], "c0 c1 <S> c4 c5 c6 c7"),
        (&["c3"], &[], "c0 c1 <S> c3 c4 c5 c6 c7"),
        (&["c3", "c5"], &[], "c0 c1 <S> c3 c4 c5 c6 c7"),
        (&["c0", "c1"], &[], "c0 c1 <S> c7"),
        (&["c7"], &[], "c0 c1 <S> c7"),
        (&[], &["c4"], "c0 c1 <S> c7"),
        (&[], &["c2", "c6"], "c0 c1 <S> c7"),
        (&["c4"], &["c2"], "c0 c1 <S> c4 c5 c6 c7"),
        (&["c4"], &["c6"], "c0 c1 <S> c4 c5 c6 c7"),
        (&["c4"], &["c3", "c6"], "c0 c1 <S> c4 c5 c6 c7"),
    ] {
        for (is_last_first, age) in [(true, NEW), (false, NEW), (true, OF_OLDER_FILE), (false, OF_OLDER_FILE)]
        {
            let read = come_back((before, behind), (is_last_first, age)).await;
            assert_eq!(read, expected, "{before:?} {behind:?}, last first: {is_last_first}, {age:?}");
        }
    }
}

/// A session with `count` messages of 100,000 bytes, each with a word of its own, in the trash as one deletion.
async fn large(story: &Story, count: usize) -> Session {
    let session = story.session("large").await;
    let text = |number: usize| format!("word{number} {}", "x".repeat(100_000));
    let messages: Vec<_> = (0..count).map(|number| user(&format!("m{number}"), &text(number))).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    session.clear().await.unwrap();
    session
}

/// Does `work` while somebody else writes whenever they can; how often that was.
async fn written_beside<T>(story: &Story, work: impl Future<Output = T>) -> (T, usize) {
    let other = story.session("other").await;
    let said = AtomicUsize::new(0);
    let saying = pin!(async {
        loop {
            say(&other, &format!("s{}", said.fetch_add(1, Ordering::Relaxed))).await;
        }
    });
    let Either::Left((done, _)) = select(pin!(work), saying).await;
    (done, said.load(Ordering::Relaxed))
}

const LARGE: usize = 200;

/// Waits until some of the messages are gone.
async fn fewer(story: &Story, table: &str) {
    while story.count(table).await == LARGE as i64 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn others_write_while_a_large_deletion_is_purged_and_what_is_broken_off_goes_on() {
    let story = Story::begin().await;
    let session = large(&story, LARGE).await;
    let ((), written) = written_beside(&story, async {
        let some_of_it = id("m7");
        let begun = Box::pin(session.purge(&some_of_it));
        let some = Box::pin(fewer(&story, "assistant_trashed_messages"));
        assert!(matches!(select(begun, some).await, Either::Right(_)), "it was done at once");
    })
    .await;
    assert!(written > 0);
    let left = session.trash().await.unwrap().remove(0);
    assert_eq!(left.id, id("m0"), "what it is named by goes last");
    assert!((1..LARGE as u64).contains(&left.count), "{left:?}");
    assert_eq!(story.manager.examine().await.unwrap(), []);
    let (purged, written) = written_beside(&story, session.purge(&id("m0"))).await;
    assert_eq!(purged.unwrap(), Some(left.count));
    assert!(written >= 2, "{written} messages of others in between");
    assert_eq!((session.trash().await.unwrap(), session.purge(&id("m0")).await.unwrap()), (vec![], None));
    assert_eq!(found(&session, "word1").await, vec![]);
    let words: i64 = sqlx::query_scalar("SELECT count(*) FROM assistant_words WHERE word LIKE 'word%'")
        .fetch_one(story.temp.db.reader())
        .await
        .unwrap();
    assert_eq!(words, 0);
}

#[tokio::test]
async fn half_of_a_deletion_can_be_restored_when_the_rest_is_gone() {
    let story = Story::begin().await;
    let session = large(&story, LARGE).await;
    let head = id("m0");
    let purging = Box::pin(session.purge(&head));
    let some = Box::pin(fewer(&story, "assistant_trashed_messages"));
    assert!(matches!(select(purging, some).await, Either::Right(_)), "it was done at once");
    let left = session.trash().await.unwrap().remove(0);
    assert_eq!(session.restore(&left.id).await.unwrap(), Some(left.count));
    let first: Vec<_> = (0..left.count).map(|number| id(&format!("m{number}"))).collect();
    assert_eq!(path(&session).await, first);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn a_large_session_is_gone_at_once_and_others_write_while_it_is_removed() {
    for from_trash in [true, false] {
        let mut story = Story::begin().await;
        let session = large(&story, LARGE).await;
        session.restore(&id("m0")).await.unwrap();
        if from_trash {
            story.manager.delete(session.id()).await.unwrap();
        }
        let begun = Box::pin(story.manager.purge(session.id()));
        let some = Box::pin(fewer(&story, "assistant_messages"));
        assert!(matches!(select(begun, some).await, Either::Right(_)), "it was done at once");
        assert_eq!(story.manager.get(session.id()).await.unwrap(), None);
        assert_eq!(story.manager.trash(None, 9).await.unwrap().sessions, []);
        assert_eq!(story.manager.restore(session.id()).await.unwrap(), None);
        assert!(!story.manager.purge(session.id()).await.unwrap());
        story.reopen().await;
        assert!(story.count("assistant_messages").await > 0);
        let left = story.manager.unfinished_imports().await.unwrap();
        assert_eq!(left, [session.id().clone()]);
        let removing = story.manager.remove_unfinished_import(session.id());
        let (removed, written) = written_beside(&story, removing).await;
        removed.unwrap();
        assert!(written >= 3, "{written} messages of others in between");
        for table in ["assistant_imports", "assistant_trashed_messages", "assistant_deletions"] {
            assert_eq!(story.count(table).await, 0, "{table}");
        }
        assert_eq!(story.manager.examine().await.unwrap(), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn when_everything_is_restored_the_tree_is_the_same_byte_by_byte(
        deletions in prop::collection::vec(prop::collection::vec(any::<Index>(), 1..4), 1..6),
        order in prop::collection::vec(any::<Index>(), 6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let story = Story::begin().await;
            let session = grown(&story).await;
            let before = dump(&story).await;
            for picked in &deletions {
                let picked: Vec<&str> = picked.iter().map(|index| *index.get(&GROWN)).collect();
                session.delete(&ids(&picked)).await.unwrap();
            }
            // The last one first: also what was looked at is the same again.
            while let Some(last) = session.trash().await.unwrap().first() {
                session.restore(&last.id).await.unwrap();
            }
            assert_eq!(dump(&story).await, before);
            for picked in &deletions {
                let picked: Vec<&str> = picked.iter().map(|index| *index.get(&GROWN)).collect();
                session.delete(&ids(&picked)).await.unwrap();
            }
            for index in order {
                let trash = session.trash().await.unwrap();
                if trash.is_empty() {
                    break;
                }
                session.restore(&index.get(&trash).id).await.unwrap();
            }
            assert_eq!(dump(&story).await[CHOICES..], before[CHOICES..]);
            assert_eq!(story.manager.examine().await.unwrap(), []);
        });
    }
}
