//! A large file of format 14 comes to today's format, and a kill on the way there costs nothing.

use crate::crash::child::{Process, Task};
use crate::support::{Dice, id};
use db::Database;
use protocol::SessionId;
use session::{Parent, Search, SessionManager};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use testkit::{FakeClock, SeqIds, user};

/// The steps up to format 14.
const STEPS: [&str; 14] = [
    include_str!("../../../../db/migrations/0001_session_tree.sql"),
    include_str!("../../../../db/migrations/0002_think_streams.sql"),
    include_str!("../../../../db/migrations/0003_think_turns.sql"),
    include_str!("../../../../db/migrations/0004_session_context.sql"),
    include_str!("../../../../db/migrations/0005_session_search.sql"),
    include_str!("../../../../db/migrations/0006_session_compaction.sql"),
    include_str!("../../../../db/migrations/0007_session_quarantine.sql"),
    include_str!("../../../../db/migrations/0008_session_words.sql"),
    include_str!("../../../../db/migrations/0009_session_message_trash.sql"),
    include_str!("../../../../db/migrations/0010_session_sampling.sql"),
    include_str!("../../../../db/migrations/0011_think_tries.sql"),
    include_str!("../../../../db/migrations/0012_think_submissions.sql"),
    include_str!("../../../../db/migrations/0013_session_sign_pairs.sql"),
    include_str!("../../../../db/migrations/0014_session_letter_forms.sql"),
];

/// One path of `?1` messages in the session `s`, indexed; every other one used a tool and the last one waits for consent.
const MESSAGES: [&str; 4] = [
    "INSERT INTO assistant_sessions (id, name, created_at, updated_at, updated_seq, active_leaf, chosen_root, \
        message_count, last_seq, search_key) VALUES ('s', 'Harbour', 1, 2, 1, 'm' || (?1 - 1), 'm0', ?1, ?1, 1)",
    "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < ?1 - 1) \
     INSERT INTO assistant_messages (session_id, id, parent_id, seq, depth, chosen_child, role, created_at, content) \
     SELECT 's', 'm' || n, iif(n > 0, 'm' || (n - 1), NULL), n + 1, n, iif(n < ?1 - 1, 'm' || (n + 1), NULL), \
        iif(n % 2, 'assistant', 'user'), n, json_object('id', 'm' || n, 'role', iif(n % 2, 'assistant', 'user'), \
            'parts', json_array(json_object('type', iif(n % 2, 'tool-look', 'text'), 'text', 'harbour ' || n, \
                'toolCallId', 'c' || n, 'input', json_object('said', '\"input-available\"' || hex(zeroblob(200))), \
                'state', iif(n = ?1 - 1, 'approval-requested', 'output-available'), 'output', 'calm'))) FROM number",
    "INSERT INTO assistant_weights (session_id, message_id, tokens, path_tokens) \
     SELECT 's', id, 10, 10 * (depth + 1) FROM assistant_messages WHERE ?1",
    "INSERT INTO assistant_search (session_id, message_id, created_at, digest) \
     SELECT 's', id, created_at, 1 FROM assistant_messages WHERE ?1 ORDER BY seq",
];

const WORDS: &str = "INSERT INTO assistant_fts (rowid, said, said_stems, used, used_stems, tags) \
    SELECT doc, 'harbour ' || doc, '', '', '', char(57345) || 'x ' || char(57345) || 's1' FROM assistant_search";

async fn connect(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
}

async fn old_file(messages: i64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let mut old = connect(&path).await;
    sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut old).await.unwrap();
    let mut tx = old.begin().await.unwrap();
    for step in STEPS {
        sqlx::raw_sql(step).execute(&mut *tx).await.unwrap();
    }
    for sql in MESSAGES {
        sqlx::query(sql).bind(messages).execute(&mut *tx).await.unwrap();
    }
    sqlx::raw_sql(WORDS).execute(&mut *tx).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 14").execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    old.close().await.unwrap();
    (folder, path)
}

/// The format of a file, and how many messages it holds.
async fn format_of(path: &Path) -> (i64, i64) {
    const SQL: &str =
        "SELECT user_version, (SELECT count(*) FROM assistant_messages) FROM pragma_user_version";
    let mut file = connect(path).await;
    let found = sqlx::query_as(SQL).fetch_one(&mut file).await.unwrap();
    file.close().await.unwrap();
    found
}

fn backup_of(path: &Path) -> PathBuf {
    path.with_file_name("old.db.backup-v14")
}

#[tokio::test]
async fn ten_thousand_messages_are_upgraded_and_stay_readable_and_findable() {
    const COUNT: i64 = 10_000;
    let (_folder, path) = old_file(COUNT).await;

    let db = Database::open(&path).await.unwrap();
    assert_eq!(format_of(&backup_of(&path)).await, (14, COUNT));
    let manager =
        SessionManager::new(db.clone(), Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    let session = manager.session(&SessionId::from("s")).await.unwrap().unwrap();
    assert_eq!(session.path_length(None).await.unwrap(), COUNT as u64);
    assert_eq!(session.active_leaf().await.unwrap(), Some(id("m9999")));
    let waits = "SELECT message_id, waits FROM assistant_weights WHERE waits IS NOT NULL";
    let waits: Vec<(String, String)> = sqlx::query_as(waits).fetch_all(db.reader()).await.unwrap();
    assert_eq!(waits, [("m9999".to_owned(), "approval".to_owned())]);

    let page = manager.search(&Search::new("\"harbour 7\"")).await.unwrap();
    assert_eq!(page.hits.iter().map(|hit| hit.message.as_str()).collect::<Vec<_>>(), ["m6"]);
    assert!(page.waiting > 9_000, "{}", page.waiting);
    let left = manager.index_waiting().await.unwrap();
    assert!(left < page.waiting, "{left} of {}", page.waiting);
    session.append(&user("next", "on"), Parent::ActiveLeaf).await.unwrap();
    db.close().await.unwrap();
}

#[tokio::test]
async fn an_upgrade_that_is_killed_leaves_the_old_file_or_the_new_one() {
    const COUNT: i64 = 3_000;
    let seed = Dice::fresh_seed();
    let mut dice = Dice::with_seed(seed);
    let (folder, old) = old_file(COUNT).await;
    let (mut point, mut stopped) = (0, 0);
    while point < 8 || (stopped < 3 && point < 80) {
        let home = folder.path().join(point.to_string());
        std::fs::create_dir(&home).unwrap();
        let path = home.join("old.db");
        std::fs::copy(&old, &path).unwrap();
        let mut process = Process::start(&Task::Open { path: path.clone() }, (0, 0));
        assert_eq!(process.note(), "begin");
        // The upgrade itself begins when its backup has its name.
        while !backup_of(&path).exists() {
            std::thread::yield_now();
        }
        (0..dice.below(800_000)).for_each(|_| std::hint::spin_loop());
        process.kill();
        let story = format!("seed {seed}, point {point}");
        assert_eq!(format_of(&backup_of(&path)).await, (14, COUNT), "{story}");
        let (format, count) = format_of(&path).await;
        assert_eq!(count, COUNT, "{story}");
        stopped += usize::from(format == 14);
        let db = Database::open(&path).await.unwrap();
        let manager =
            SessionManager::new(db.clone(), Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
        let session = manager.session(&SessionId::from("s")).await.unwrap().unwrap();
        assert_eq!(session.path_length(None).await.unwrap(), COUNT as u64, "{story}");
        assert_eq!(manager.examine().await.unwrap(), [], "{story}");
        db.close().await.unwrap();
        point += 1;
    }
    assert!(stopped >= 3, "seed {seed}: {stopped} of {point} were killed on the way");
}
