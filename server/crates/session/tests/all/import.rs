//! Imports of much: others write meanwhile, nobody sees half a session, and what is broken off leaves nothing behind.

use crate::support::{Story, id, path, say};
use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, OptionFuture, join, select};
use protocol::limits::IMPORT_BATCH_MESSAGES;
use protocol::{ImportStatus, Role, SessionId};
use serde_json::{Value, json};
use session::{
    BlockOptions, Change, ContextConfig, Exported, ImportError, ImportFile, Owner, PIECES_MAX, Provider,
    Search,
};
use std::io::Cursor;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MANY: usize = 6 * IMPORT_BATCH_MESSAGES + 7;

fn talk(id: &str, count: usize) -> Value {
    let row = |n: usize| {
        let parts = json!([{ "type": "text", "text": format!("quartz {n}") }]);
        let parent = n.checked_sub(1).map(|above| format!("m{above}"));
        let name = format!("m{n}");
        json!({ "id": name, "parent_id": parent, "created_at": n, "seq": n + 1,
            "message": { "id": name, "role": Role::User, "parts": parts } })
    };
    json!({ "id": id, "name": id, "messages": (0..count).map(row).collect::<Vec<_>>() })
}

fn file(sessions: &[Value]) -> ImportFile {
    let text = json!({ "format": "bough", "version": 1, "sessions": sessions }).to_string();
    ImportFile::open(Cursor::new(text)).unwrap()
}

/// The file, and how many messages of it were asked for.
fn counted(sessions: &[Value], most: usize) -> (ImportFile, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    (file(sessions).until(move || counter.fetch_add(1, Ordering::Relaxed) >= most), asked)
}

/// Waits until so many messages were asked for.
async fn reached(asked: &AtomicUsize, count: usize) {
    while asked.load(Ordering::Relaxed) < count {
        tokio::task::yield_now().await;
    }
}

async fn nothing_is_seen(story: &Story, id: &str) {
    assert_eq!(story.manager.get(&id.into()).await.unwrap(), None);
    let lists = [story.manager.list(None, 9).await.unwrap(), story.manager.trash(None, 9).await.unwrap()];
    let ids = lists.iter().flat_map(|page| &page.sessions).map(|row| row.id.as_str());
    assert_eq!(ids.filter(|id| !id.is_empty()).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(story.manager.search(&Search::new("quartz")).await.unwrap().hits, []);
    assert_eq!(story.manager.examine().await.unwrap(), []);
    let (sender, pieces) = mpsc::channel(PIECES_MAX);
    let (_done, pieces) =
        join(story.manager.export(&Exported::Everything, sender), pieces.collect::<Vec<String>>()).await;
    assert!(!pieces.concat().contains("quartz"));
}

#[tokio::test]
async fn others_are_never_behind_more_than_one_batch() {
    let story = Story::begin().await;
    let other = story.session("other").await;
    let import = pin!(story.manager.import(file(&[talk("big", MANY)])));
    let said = AtomicUsize::new(0);
    let saying = pin!(async {
        loop {
            say(&other, &format!("s{}", said.fetch_add(1, Ordering::Relaxed))).await;
        }
    });
    let Either::Left((report, _)) = select(import, saying).await;
    let report = report.unwrap();
    assert_eq!(
        (report.sessions[0].status, report.sessions[0].messages),
        (ImportStatus::Imported, MANY as u64)
    );
    let said = said.load(Ordering::Relaxed);
    assert!(said > MANY / IMPORT_BATCH_MESSAGES, "{said} messages of another session in between");
    let big = story.session("big").await;
    assert_eq!(
        (path(&big).await.len(), big.active_leaf().await.unwrap()),
        (MANY, Some(id(&format!("m{}", MANY - 1))))
    );
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn an_import_that_is_told_to_end_keeps_whole_sessions_only() {
    let story = Story::begin().await;
    let (whole, asked) = counted(&[talk("big", MANY)], MANY / 2);
    let ended = story.manager.import(whole).await.unwrap_err();
    assert!(matches!(ended, ImportError::Stopped), "{ended}");
    assert_eq!(asked.load(Ordering::Relaxed), MANY / 2 + 1);
    nothing_is_seen(&story, "big").await;
    for table in ["assistant_sessions", "assistant_messages", "assistant_imports", "assistant_words"] {
        assert_eq!(story.count(table).await, 0, "{table}");
    }
    let (whole, _) = counted(&[talk("small", 3), talk("big", MANY)], MANY / 2);
    let report = story.manager.import(whole).await.unwrap();
    let kept: Vec<&str> = report.sessions.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(kept, ["small"]);
    let problem = report.problem.unwrap();
    assert_eq!(problem, "the last 1 sessions of the file were not reached: the import was broken off");
    assert_eq!(story.count("assistant_messages").await, 3);
}

#[tokio::test]
async fn what_a_crash_leaves_is_seen_by_nobody_and_removed() {
    for name in ["big", ""] {
        let mut story = Story::begin().await;
        let (whole, asked) = counted(&[talk(name, MANY)], usize::MAX);
        let crash = pin!(async {
            while asked.load(Ordering::Relaxed) < MANY / 2 {
                tokio::task::yield_now().await;
            }
        });
        let import = Box::pin(story.manager.import(whole));
        let Either::Right(_) = select(import, crash).await else { panic!("it was done") };
        story.reopen().await;
        assert!(story.count("assistant_messages").await > 0, "some batches were stored");
        nothing_is_seen(&story, name).await;
        say(&story.default_session().await, "mine").await;
        let left = story.manager.unfinished_imports().await.unwrap();
        let [left] = left.as_slice() else { panic!("{left:?}") };
        assert_eq!(story.manager.restore(left).await.unwrap(), None, "it is not in the trash");
        story.manager.remove_unfinished_import(left).await.unwrap();
        assert_eq!(story.count("assistant_messages").await, 1);
        assert_eq!(story.count("assistant_words").await, 1);
        assert_eq!(story.count("assistant_imports").await, 0);
        assert_eq!(story.manager.examine().await.unwrap(), []);
    }
}

/// `talk`, of which every twentieth message lies in the trash by itself, with a summary and a block between any two.
fn rich_talk(id: &str, count: usize) -> Value {
    let mut talk = talk(id, count);
    let thrown: Vec<usize> = (10..count).step_by(20).collect();
    for number in &thrown {
        talk["messages"][number]["deletion"] = json!(number);
    }
    let deletion =
        |n: &usize| json!({ "number": n, "head": format!("m{n}"), "deleted_at": n, "choices": [] });
    let summary = |n: &usize| {
        let ends = [format!("m{}", n - 4), format!("m{}", n - 2)];
        json!({ "id": format!("o{n}"), "seq": n, "from_message": ends[0], "to_message": ends[1], "created_at": n,
            "summary": "in short ".repeat(9_000) })
    };
    let block = |n: &usize| json!({ "label": format!("b{n}"), "version": 1, "updated_at": n, "content": "fact ".repeat(20_000) });
    talk["deletions"] = thrown.iter().map(deletion).collect();
    talk["summaries"] = thrown.iter().map(summary).collect();
    talk["memory"] = json!({ "blocks": thrown.iter().map(block).collect::<Vec<_>>() });
    talk
}

/// Imports `session` while somebody else says something whenever they can; how often that was after the last message was
/// read.
async fn said_behind(story: &Story, session: Value, count: usize) -> usize {
    let other = story.session("other").await;
    let (whole, asked) = counted(&[session], usize::MAX);
    let import = pin!(story.manager.import(whole));
    let (number, behind) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let saying = pin!(async {
        loop {
            say(&other, &format!("s{}", number.fetch_add(1, Ordering::Relaxed))).await;
            let is_behind = asked.load(Ordering::Relaxed) > count;
            behind.fetch_add(usize::from(is_behind), Ordering::Relaxed);
        }
    });
    let Either::Left((report, _)) = select(import, saying).await;
    let report = report.unwrap();
    assert_eq!((report.sessions[0].status, &report.sessions[0].problem), (ImportStatus::Imported, &None));
    behind.load(Ordering::Relaxed)
}

#[tokio::test]
async fn others_write_between_what_stands_behind_the_messages_too() {
    let story = Story::begin().await;
    let behind = said_behind(&story, rich_talk("big", MANY), MANY).await;
    assert!(behind > MANY / 20, "{behind} messages of another session in between");
    let big = story.session("big").await;
    assert_eq!(path(&big).await.len(), MANY - 30);
    let found = (big.trash().await.unwrap().len(), big.compactions().await.unwrap().len());
    assert_eq!((found, story.count("cf_agents_context_blocks").await), ((30, 30), 30));
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn what_a_crash_leaves_in_a_trash_is_removed_with_its_words() {
    let mut story = Story::begin().await;
    let (whole, _) = counted(&[rich_talk("big", MANY)], usize::MAX);
    let crash = Box::pin(async {
        while story.count("assistant_trashed_messages").await < 5 {
            tokio::task::yield_now().await;
        }
    });
    let import = Box::pin(story.manager.import(whole));
    let Either::Right(_) = select(import, crash).await else { panic!("it was done") };
    story.reopen().await;
    nothing_is_seen(&story, "big").await;
    say(&story.session("mine").await, "mine").await;
    story.manager.remove_unfinished_import(&"mine".into()).await.unwrap();
    story.manager.remove_unfinished_import(&"big".into()).await.unwrap();
    for (table, left) in
        [("assistant_messages", 1), ("assistant_trashed_messages", 0), ("assistant_words", 1)]
    {
        assert_eq!(story.count(table).await, left, "{table}");
    }
    assert_eq!(story.manager.unfinished_imports().await.unwrap(), []);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn removing_what_is_left_lets_others_write_however_large_it_is_and_spares_what_is_whole() {
    const LARGE: usize = 20;
    let mut large = talk("big", LARGE);
    for row in large["messages"].as_array_mut().unwrap() {
        let data = json!({ "type": "data-x", "data": "x".repeat(600_000) });
        row["message"]["parts"].as_array_mut().unwrap().push(data);
    }
    let mut story = Story::begin().await;
    let (whole, asked) = counted(&[large], usize::MAX);
    let crash = pin!(async {
        while asked.load(Ordering::Relaxed) < LARGE {
            tokio::task::yield_now().await;
        }
    });
    let import = Box::pin(story.manager.import(whole));
    let Either::Right(_) = select(import, crash).await else { panic!("it was done") };
    story.reopen().await;
    let (left, batches) = (SessionId::from("big"), story.count("assistant_messages").await / 2);
    let other = story.session("other").await;
    let said = AtomicUsize::new(0);
    let saying = Box::pin(async {
        loop {
            say(&other, &format!("s{}", said.fetch_add(1, Ordering::Relaxed))).await;
        }
    });
    let removing = pin!(story.manager.remove_unfinished_import(&left));
    let Either::Left((removed, _)) = select(removing, saying).await;
    removed.unwrap();
    let said = said.load(Ordering::Relaxed);
    assert!(
        said >= batches as usize && batches > 5,
        "{said} messages of another session in {batches} batches"
    );
    assert_eq!(story.manager.unfinished_imports().await.unwrap(), []);
    story.manager.remove_unfinished_import(other.id()).await.unwrap();
    assert!(path(&other).await.len() + 1 >= said, "nobody was importing it");
}

#[tokio::test]
async fn a_large_default_session_gets_its_place_unless_somebody_took_it() {
    let story = Story::begin().await;
    let report = story.manager.import(file(&[talk("", MANY)])).await.unwrap();
    assert_eq!(report.sessions[0].id, SessionId::default());
    assert_eq!(path(&story.default_session().await).await.len(), MANY);
    assert_eq!(story.manager.examine().await.unwrap(), []);

    let story = Story::begin().await;
    let (whole, asked) = counted(&[talk("", MANY)], usize::MAX);
    let mine = async {
        while asked.load(Ordering::Relaxed) < MANY / 2 {
            tokio::task::yield_now().await;
        }
        say(&story.default_session().await, "mine").await;
    };
    let (report, ()) = join(story.manager.import(whole), mine).await;
    let imported = report.unwrap().sessions.remove(0).id;
    assert_ne!(imported, SessionId::default());
    assert_eq!(path(&story.session(imported.as_str()).await).await.len(), MANY);
    assert_eq!(path(&story.default_session().await).await, [id("mine")]);
}

#[tokio::test]
async fn however_much_is_remembered_little_of_it_is_written_at_once() {
    const SIZE: usize = 50_000;
    let story = Story::begin().await;
    let options = || BlockOptions::from_provider(Provider::stored(Owner::Session));
    let config = ContextConfig::default().with_context("facts", options()).unwrap();
    let context = story.default_session().await.context(&config);
    for number in 0..100_u32 {
        let text = format!("{number:0>SIZE$}");
        context.replace("facts", &text, &Change::by_user(None)).await.unwrap();
    }
    let (sender, mut pieces) = mpsc::channel(PIECES_MAX);
    let reading = async {
        let (mut longest, mut total) = (0, 0);
        while let Some(piece) = pieces.next().await {
            let piece: String = piece;
            (longest, total) = (longest.max(piece.len()), total + piece.len());
        }
        (longest, total)
    };
    let (done, (longest, total)) = join(story.manager.export(&Exported::Everything, sender), reading).await;
    done.unwrap();
    assert!(longest < 2 * SIZE && total > 100 * SIZE, "{longest} of {total} bytes in one piece");
}

async fn parents(story: &Story) -> Vec<Option<SessionId>> {
    let mut parents = Vec::new();
    for id in ["before", "behind"] {
        parents.push(story.manager.get(&id.into()).await.unwrap().unwrap().parent_session_id);
    }
    parents
}

#[tokio::test]
async fn children_follow_the_default_session_whatever_id_it_gets() {
    let child = |id: &str| {
        let mut child = talk(id, MANY);
        child["parent_session_id"] = json!("");
        child
    };
    // Its place is free; it is taken from the beginning; somebody takes it meanwhile, from a small one and a large one.
    for (is_taken, count) in [(None, 1), (Some(0), 1), (Some(1), 1), (Some(MANY + MANY / 2), MANY)] {
        let story = Story::begin().await;
        if is_taken == Some(0) {
            say(&story.default_session().await, "mine").await;
        }
        let (whole, asked) = counted(&[child("before"), talk("", count), child("behind")], usize::MAX);
        let when = is_taken.filter(|when| *when > 0);
        let mine = async {
            reached(&asked, when.unwrap_or_default()).await;
            let session = story.default_session().await;
            let said = when.map(async |_| say(&session, "mine").await);
            OptionFuture::from(said).await;
        };
        let (report, ()) = join(story.manager.import(whole), mine).await;
        let imported = report.unwrap().sessions.remove(1);
        assert_eq!((imported.status, imported.messages), (ImportStatus::Imported, count as u64));
        assert_eq!(imported.id == SessionId::default(), is_taken.is_none(), "{is_taken:?}");
        assert_eq!(parents(&story).await, [Some(imported.id.clone()), Some(imported.id)], "{is_taken:?}");
    }
    let story = Story::begin().await;
    story.manager.import(file(&[child("before"), child("behind")])).await.unwrap();
    assert_eq!(parents(&story).await, [None, None], "that of another agent is not ours");
}
