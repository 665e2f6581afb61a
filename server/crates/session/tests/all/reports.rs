//! Reports from users of other programs, told to this store: what they lost must not be lost here.

use crate::support::{Story, answer, chain, id, ids, path, path_to, say, text_of, under};
use protocol::{Message, MessageId, SessionId};
use serde_json::json;
use session::{
    BlockOptions, Change, ContextConfig, NewSession, Parent, Search, Session, SessionError, SessionManager,
};
use std::collections::BTreeSet;
use testkit::{assistant, user};
use tokio::task::JoinSet;

/// All messages that some leaf leads to.
async fn reachable(session: &Session) -> BTreeSet<MessageId> {
    let mut all = BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        all.extend(session.history_ids(Some(&leaf)).await.unwrap());
    }
    all
}

// C06, C08, C11: however many versions there are, a restart hides none.
#[tokio::test]
async fn versions_of_any_number_survive_a_restart() {
    for count in [3, 13, 20, 200, 2_000] {
        let mut story = Story::begin().await;
        let session = story.session("s").await;
        say(&session, "q").await;
        let names: Vec<MessageId> = (0..count).map(|number| id(&format!("v{number}"))).collect();
        for name in &names {
            answer(&session, name.as_str(), "q").await;
        }
        say(&session, "below the last").await;
        session.set_active(&names[1]).await.unwrap();
        say(&session, "below the second").await;

        story.reopen().await;
        let session = story.session("s").await;
        assert_eq!(path(&session).await, ids(&["q", "v1", "below the second"]), "{count}");
        assert_eq!(session.siblings(&names[0]).await.unwrap(), names, "{count}");
        let window = session.window(None, 50).await.unwrap();
        let switchers: Vec<(&str, usize)> =
            window.siblings.iter().map(|versions| (versions.id.as_str(), versions.ids.len())).collect();
        assert_eq!(switchers, [("v1", count)]);
        assert_eq!(reachable(&session).await.len(), count + 3, "{count}");
        let last = &names[count - 1];
        session.set_active(last).await.unwrap();
        assert_eq!(path(&session).await, [id("q"), last.clone(), id("below the last")], "{count}");
        assert_eq!(text_of(&session, last.as_str()).await, last.as_str());
    }
}

// C15: without the version that is looked at, another one is looked at, and not nothing.
#[tokio::test]
async fn without_the_last_version_the_one_before_it_is_shown() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    say(&session, "q").await;
    for name in ["v1", "v2", "v3"] {
        answer(&session, name, "q").await;
    }
    for (gone, left) in [("v3", &["v1", "v2"][..]), ("v2", &["v1"])] {
        session.delete(&[id(gone)]).await.unwrap();
        let shown = *left.last().unwrap();
        assert_eq!(path(&session).await, ids(&["q", shown]));
        assert_eq!(session.siblings(&id(shown)).await.unwrap(), ids(left));
    }
    session.delete(&[id("v1")]).await.unwrap();
    assert_eq!(path(&session).await, ids(&["q"]));
    answer(&session, "retried", "q").await;
    assert_eq!(path(&session).await, ids(&["q", "retried"]));
}

async fn say_ten(session: &Session, door: &str) {
    for number in 0..10 {
        say(session, &format!("{door}{number}")).await;
    }
}

// C18: people write while a run of five steps is being written; everything is on some path, and the doctor agrees.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_come_while_an_answer_is_written_are_all_reachable() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    say(&session, "q").await;
    let mut writers = JoinSet::new();
    let run = session.clone();
    writers.spawn(async move {
        answer(&run, "run", "q").await;
        for step in 0..5 {
            assert!(run.update(&assistant("run", &"step ".repeat(step))).await.unwrap());
        }
        answer(&run, "run2", "run").await;
    });
    for door in ["page", "api"] {
        let session = session.clone();
        writers.spawn(async move { say_ten(&session, door).await });
    }
    writers.join_all().await;
    assert_eq!(session.message_count().await.unwrap(), 23);
    assert_eq!(reachable(&session).await.len(), 23);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

// C21: neither ids nor clocks say what comes first.
#[tokio::test]
async fn order_comes_from_parents_whatever_ids_and_clocks_say() {
    let mut story = Story::begin().await;
    let session = story.session("s").await;
    let hour = 60 * 60 * 1_000;
    let told =
        [("zzzz", 5 * hour), ("0198f000-0000-7000-8000-000000000000", 6 * hour), ("~", hour), ("A", 0)];
    for (name, now) in told {
        story.clock.set(now);
        say(&session, name).await;
    }
    let names = told.map(|(name, _)| name);
    assert_eq!(path(&session).await, ids(&names));
    story.clock.set(3 * hour);
    answer(&session, "0", "~").await;
    assert_eq!(session.children(Some(&id("~"))).await.unwrap(), ids(&["A", "0"]));
    story.reopen().await;
    let session = story.session("s").await;
    assert_eq!(path(&session).await, ids(&[names[0], names[1], names[2], "0"]));
    assert_eq!(session.latest_leaf().await.unwrap(), Some(id("0")));
    assert_eq!(session.children(Some(&id("~"))).await.unwrap(), ids(&["A", "0"]));
}

// C25: messages of one moment keep their order; one whose parent is not there yet is refused and may come again.
#[tokio::test]
async fn a_parent_may_arrive_late_and_no_order_changes() {
    let mut story = Story::begin().await;
    let session = story.session("s").await;
    say(&session, "first").await;
    say(&session, "second").await;
    let late = assistant("answer", "to what comes later");
    let early = session.append(&late, under("question")).await.unwrap_err();
    assert!(matches!(&early, SessionError::UnknownParent { parent, .. } if *parent == id("question")));
    assert_eq!(path(&session).await, ids(&["first", "second"]), "nothing was changed");
    say(&session, "question").await;
    session.append(&late, under("question")).await.unwrap();
    let told = ids(&["first", "second", "question", "answer"]);
    assert_eq!(path(&session).await, told);
    story.reopen().await;
    assert_eq!(path(&story.session("s").await).await, told);
}

// E05: a long block is there whole, now and in its history.
#[tokio::test]
async fn a_long_block_is_kept_whole_in_every_version() {
    let mut story = Story::begin().await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let texts: Vec<String> =
        ["tide", "茶を飲む"].iter().map(|word| word.repeat(5_000).chars().take(5_000).collect()).collect();
    for text in &texts {
        let context = story.session("s").await.context(&config);
        context.replace("memo", text, &Change::by_user(None)).await.unwrap();
        story.reopen().await;
        let context = story.session("s").await.context(&config);
        assert_eq!(&context.block("memo").await.unwrap().unwrap().content, text);
        assert!(context.refresh_system_prompt().await.unwrap().ends_with(text.as_str()));
    }
    let context = story.session("s").await.context(&config);
    for (number, text) in texts.iter().enumerate() {
        let version = context.version("memo", number as u64 + 1).await.unwrap();
        assert_eq!(version.content.as_ref(), Some(text));
    }
}

/// A message with an image inside, of some 64 KiB.
fn with_image(name: &str, text: &str) -> Message {
    let url = format!("data:image/png;base64,{}", "iVBORw0KGgo".repeat(6_000));
    let parts =
        json!([{"type": "text", "text": text}, {"type": "file", "mediaType": "image/png", "url": url}]);
    testkit::message(name, "user", &parts)
}

// H01: to edit one word among 300 images writes one row, and not the conversation.
#[tokio::test]
async fn an_edit_among_many_images_writes_one_row() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let messages: Vec<Message> = (0..300).map(|i| with_image(&format!("m{i}"), "a red boat")).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    let log = story.temp.path().with_extension("db-wal");
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(story.temp.db.writer()).await.unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);

    assert!(session.update(&with_image("m150", "a blue boat")).await.unwrap());
    let written = std::fs::metadata(&log).unwrap().len();
    let size = std::fs::metadata(story.temp.path()).unwrap().len();
    assert!(size > 18_000_000, "{size}");
    assert!(written < 200_000, "{written} bytes for one word");
    let window = session.window(None, 300).await.unwrap();
    assert_eq!(window.messages[150], with_image("m150", "a blue boat"));
    assert_eq!(window.messages[149], messages[149]);
}

/// Adds to one session as a turn does: a question, and an answer that grows.
async fn stream(session: Session, name: String) -> Result<(), SessionError> {
    for turn in 0..3 {
        session.append(&user(&format!("q{turn}"), "where is the quartz"), Parent::ActiveLeaf).await?;
        let answer = format!("a{turn}");
        session.append(&assistant(&answer, ""), Parent::ActiveLeaf).await?;
        for length in 1..=5 {
            session.update(&assistant(&answer, &format!("{name} quartz ").repeat(length))).await?;
        }
    }
    Ok(())
}

/// Reads everything, as an export does.
async fn export(manager: SessionManager) -> Result<(), SessionError> {
    for _ in 0..3 {
        for info in manager.list(None, 50).await?.sessions {
            let Some(session) = manager.session(&info.id).await? else { continue };
            for leaf in session.leaves().await? {
                assert!(session.raw_history(Some(&leaf)).await?.broken.is_empty());
            }
        }
    }
    Ok(())
}

async fn look(manager: SessionManager) -> Result<(), SessionError> {
    for _ in 0..8 {
        manager.search(&Search::new("quartz OR where*")).await?;
    }
    Ok(())
}

// H06: twenty writers, searches, exports and a backup at once, through two handles on the file; nobody meets a lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_readers_and_writers_never_meet_a_lock() {
    let story = Story::begin().await;
    let other = db::Database::open(&story.temp.path()).await.unwrap();
    let ids = std::sync::Arc::new(testkit::SeqIds::default());
    let elsewhere = SessionManager::new(other, story.clock.clone(), ids);
    let mut tasks: JoinSet<Result<(), SessionError>> = JoinSet::new();
    for number in 0..20 {
        let name = SessionId::new(format!("s{number}"));
        let new = NewSession { id: Some(name.clone()), ..NewSession::default() };
        story.manager.create(new).await.unwrap();
        let manager = if number % 2 == 0 { &story.manager } else { &elsewhere };
        let session = manager.session(&name).await.unwrap().unwrap();
        tasks.spawn(stream(session, name.to_string()));
    }
    for manager in [story.manager.clone(), elsewhere.clone()] {
        tasks.spawn(export(manager.clone()));
        tasks.spawn(look(manager));
    }
    let (db, copy) = (story.temp.db.clone(), story.temp.path().with_extension("copy"));
    tasks.spawn(async move { Ok(db.backup_to(&copy).await?) });
    for outcome in tasks.join_all().await {
        outcome.unwrap();
    }
    for number in 0..20 {
        assert_eq!(story.session(&format!("s{number}")).await.message_count().await.unwrap(), 6);
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

// B08: only what was thrown away leaves the list.
#[tokio::test]
async fn one_of_thirty_sessions_leaves_the_list_alone() {
    let story = Story::begin().await;
    for number in 0..30 {
        let session = story.session(&format!("s{number}")).await;
        chain(&session, 2).await;
    }
    let names = async || {
        let page = story.manager.list(None, 50).await.unwrap();
        page.sessions.into_iter().map(|info| info.id.to_string()).collect::<Vec<String>>()
    };
    let mut expected = names().await;
    let gone = SessionId::new(expected.remove(6));
    story.manager.delete(&gone).await.unwrap();
    assert_eq!(names().await, expected);
    assert_eq!(path_to(&story.session("s0").await, "c1").await, ids(&["c0", "c1"]));
}
