//! What the machine can do to a file: no room, no right to write, somebody else's lock. Whoever asks hears which file it
//! is; nothing else is affected, and everything works again, in the same process, once the cause is gone.

use crate::crash::child::{Process, Task};
use crate::support::{Story, chain, id, path, say, under};
use db::{Database, DbError};
use protocol::{MessageId, SessionId};
use session::{BlockOptions, Change, ContextConfig, Parent, Pin, Search, SessionError};
use std::path::Path;
use testkit::user;

/// What one visit notes.
#[cfg(unix)]
fn visit(visitor: &mut Process) -> Vec<String> {
    visitor.order("go");
    let notes = std::iter::repeat_with(|| visitor.note()).take_while(|note| note != "done");
    notes.collect()
}

#[cfg(unix)]
#[tokio::test]
async fn what_may_not_be_written_is_named_and_works_when_it_may() {
    use std::os::unix::fs::PermissionsExt;
    let allow = |path: &Path, bits: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
    };
    let story = Story::begin().await;
    chain(&story.session("s").await, 4).await;
    for (file_bits, folder_bits) in [(0o444, 0o777), (0o666, 0o555), (0o444, 0o555)] {
        let outer = tempfile::tempdir().unwrap();
        let (folder, path) = (outer.path().join("data"), outer.path().join("data/s.db"));
        story.temp.db.backup_to(&path).await.unwrap();
        Database::open(&path).await.unwrap().close().await.unwrap();
        allow(outer.path(), 0o755);
        allow(&path, file_bits);
        allow(&folder, folder_bits);
        // Who administers a machine may write everywhere; the visitor is somebody else then.
        let may_do_anything = std::fs::File::create(folder.join("x")).is_ok() && folder_bits == 0o555
            || std::fs::File::options().append(true).open(&path).is_ok() && file_bits == 0o444;
        let user = may_do_anything.then_some(65_534);
        let mut visitor = Process::start(&Task::Visit { path: path.clone(), user }, (0, 0));
        let refused = visit(&mut visitor);
        let named = format!("open: {} cannot be written: ", path.display());
        assert!(refused.len() == 1 && refused[0].starts_with(&named), "{refused:?}");

        allow(&path, 0o666);
        allow(&folder, 0o777);
        assert_eq!(visit(&mut visitor), ["write: ok", "read: 5"]);
        allow(&path, file_bits);
        allow(&folder, folder_bits);
        assert_eq!(visit(&mut visitor), ["write: ok", "read: 6"], "it is open");
        visitor.kill();
        allow(&folder, 0o777);
    }
}

fn is_full<T: std::fmt::Debug>(done: Result<T, SessionError>, path: &Path, what: &str) {
    let refused = done.expect_err(what);
    assert!(
        matches!(&refused, SessionError::Db(DbError::DiskFull { path: named }) if named == path),
        "{what}: {refused:?}"
    );
}

/// Lets the file grow no more, or by no more than `pages`.
async fn fill(db: &Database, pages: i64) {
    let used: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(db.writer()).await.unwrap();
    let most = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {}", used + pages));
    sqlx::query(most).execute(db.writer()).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_refuses_each_change_and_loses_nothing() {
    let story = Story::begin().await;
    let (db, file) = (&story.temp.db, story.temp.path());
    let session = story.session("s").await;
    chain(&session, 10).await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let context = session.context(&config);
    context.replace("memo", "before", &Change::by_user(None)).await.unwrap();
    let before = (session.history(None).await.unwrap(), story.manager.list(None, 9).await.unwrap());

    let large = "large ".repeat(50_000);
    let list: Vec<_> = (0..300).map(|i| user(&format!("n{i}"), &large[..2_000])).collect();
    let unchanged = async |what: &str| {
        let now = (session.history(None).await.unwrap(), story.manager.list(None, 9).await.unwrap());
        assert_eq!(now, before, "{what}");
        assert_eq!(context.block("memo").await.unwrap().unwrap().content, "before", "{what}");
    };
    for pages in [0, 1, 3, 7, 20, 40] {
        fill(db, pages).await;
        is_full(session.append(&user("n", &large), Parent::ActiveLeaf).await, &file, "append");
        unchanged("append").await;
        fill(db, pages).await;
        is_full(session.append_all(&list, Parent::ActiveLeaf).await, &file, "append_all");
        unchanged("append_all").await;
        fill(db, pages).await;
        is_full(session.update(&user("c2", &large)).await, &file, "update");
        unchanged("update").await;
        fill(db, pages).await;
        is_full(session.add_compaction(&large, &id("c1"), &id("c3")).await, &file, "summary");
        unchanged("summary").await;
        fill(db, pages).await;
        let refused = context.replace("memo", &large[..250_000], &Change::by_user(None)).await.unwrap_err();
        assert!(refused.to_string().contains("the disk is full"), "{refused:?}");
        unchanged("block").await;
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
    assert_eq!(session.search(&Search::new("large")).await.unwrap().hits, []);

    fill(db, 1_000).await;
    session.append(&user("n", &large), Parent::ActiveLeaf).await.unwrap();
    assert_eq!(path(&session).await.len(), 11);
    assert_eq!(session.search(&Search::new("large")).await.unwrap().hits.len(), 1);
}

#[tokio::test]
async fn a_file_somebody_else_keeps_is_busy_can_be_read_and_is_free_again() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 3).await;
    let mut other = Process::start(&Task::Lock { path: story.temp.path() }, (0, 0));
    assert_eq!(other.note(), "locked");
    sqlx::query("PRAGMA busy_timeout = 1").execute(story.temp.db.writer()).await.unwrap();
    for _ in 0..3 {
        let refused = session.append(&user("n", "n"), Parent::ActiveLeaf).await.unwrap_err();
        assert!(
            matches!(&refused, SessionError::Db(DbError::Busy { path }) if *path == story.temp.path()),
            "{refused:?}"
        );
        assert_eq!(path(&session).await.len(), 3);
        assert_eq!(session.search(&Search::new("line")).await.unwrap().hits.len(), 3);
    }
    other.kill();
    say(&session, "n").await;
    assert_eq!(path(&session).await.len(), 4);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

/// All rows of the file, as one text.
async fn dump(db: &Database) -> String {
    let mut all = String::new();
    for table in [
        "assistant_sessions",
        "assistant_messages",
        "assistant_compactions",
        "assistant_weights",
        "assistant_search",
    ] {
        let columns: Vec<String> = sqlx::query_scalar("SELECT name FROM pragma_table_info(?)")
            .bind(table)
            .fetch_all(db.reader())
            .await
            .unwrap();
        let sql = format!("SELECT json_group_array(json_array({})) FROM {table}", columns.join(", "));
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(db.reader()).await.unwrap();
        all.push_str(&rows);
    }
    all
}

#[tokio::test]
async fn ids_of_nobody_change_nothing_and_name_themselves() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 3).await;
    let before = dump(&story.temp.db).await;
    let (nobody, overlay) = (id("nobody"), id("compaction_nobody"));
    let unknown = |done: SessionError, name: &MessageId| {
        let said = done.to_string();
        assert!(said.contains(name.as_str()) && said.contains("\"s\""), "{said}");
    };
    for name in [&nobody, &overlay] {
        assert_eq!(session.get(name).await.unwrap(), None);
        assert!(session.history(Some(name)).await.unwrap().is_empty());
        assert_eq!(session.path_length(Some(name)).await.unwrap(), 0);
        assert_eq!(session.siblings(name).await.unwrap(), []);
        assert_eq!(session.children(Some(name)).await.unwrap(), []);
        assert_eq!(session.set_active(name).await.unwrap(), None);
        assert_eq!(session.delete(std::slice::from_ref(name)).await.unwrap(), 0);
        assert!(!session.set_pinned(name, Pin::Pinned).await.unwrap());
        assert!(session.set_summary(name, "x").await.unwrap().is_none());
        assert!(!session.delete_compaction(name).await.unwrap());
        unknown(session.window(Some(name), 5).await.unwrap_err(), name);
        unknown(session.add_compaction("x", name, &id("c2")).await.unwrap_err(), name);
        unknown(session.add_compaction("x", &id("c0"), name).await.unwrap_err(), name);
        unknown(story.manager.fork(session.id(), name, "x").await.unwrap_err(), name);
    }
    assert!(!session.update(&user("nobody", "x")).await.unwrap());
    unknown(session.append(&user("n", "n"), under("nobody")).await.unwrap_err(), &nobody);

    let nobody = SessionId::from("nobody");
    assert!(story.manager.session(&nobody).await.unwrap().is_none());
    assert_eq!(story.manager.rename(&nobody, "x").await.unwrap(), None);
    assert_eq!(story.manager.restore(&nobody).await.unwrap(), None);
    assert!(!story.manager.delete(&nobody).await.unwrap() && !story.manager.purge(&nobody).await.unwrap());
    let forked = story.manager.fork(&nobody, &id("c0"), "x").await.unwrap_err();
    assert!(matches!(forked, SessionError::UnknownSession(named) if named == nobody));
    assert_eq!(dump(&story.temp.db).await, before);
}
