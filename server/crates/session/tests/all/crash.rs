//! A process that is killed at any moment leaves a file in order, with everything that was said to be stored; a power cut
//! leaves one that ends a little earlier.

use crate::support::{Dice, Story, chain, id};
use child::{Killed, Task};
use db::Database;
use protocol::SessionId;
use session::{Parent, Session, SessionManager};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use testkit::{FakeClock, SeqIds, user};

pub(crate) mod child;

/// Kills in each of the tests that kill a writer.
const POINTS: usize = 26;

async fn open(path: &Path) -> SessionManager {
    let db = Database::open(path).await.unwrap();
    SessionManager::new(db, Arc::new(FakeClock::default()), Arc::new(SeqIds::default()))
}

async fn session(manager: &SessionManager) -> Session {
    manager.session(&SessionId::from("s")).await.unwrap().unwrap()
}

/// A closed file with a session `s` of some messages.
async fn begin(messages: usize) -> (TempDir, PathBuf) {
    let story = Story::begin().await;
    chain(&story.session("s").await, messages).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    story.temp.db.backup_to(&path).await.unwrap();
    (folder, path)
}

/// Opens what is left; gives all messages that some leaf leads to.
async fn examine(path: &Path, story: &str) -> BTreeSet<String> {
    let db = Database::open(path).await.unwrap();
    let manager =
        SessionManager::new(db.clone(), Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    assert_eq!(manager.examine().await.unwrap(), [], "{story}");
    let session = session(&manager).await;
    let mut reached = BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        let path = session.raw_history(Some(&leaf)).await.unwrap();
        assert_eq!(path.broken, [], "{story}");
        reached.extend(path.iter().map(|message| message.id.to_string()));
    }
    assert_eq!(session.message_count().await.unwrap(), reached.len() as u64, "{story}");
    db.close().await.unwrap();
    reached
}

/// Lets writers work on one file, each killed as `moment` says, and looks at the file after each.
async fn kill_writers(moment: impl Fn(&mut Dice) -> Killed) {
    let seed = Dice::fresh_seed();
    println!("seed {seed}");
    let mut dice = Dice::with_seed(seed);
    let (_folder, path) = begin(10).await;
    let mut kept = examine(&path, "before").await;
    for point in 0..POINTS {
        let killed = moment(&mut dice);
        let story = format!("seed {seed}, point {point}, {killed:?}");
        let task = Task::Write { path: path.clone(), seed: seed.wrapping_add(point as u64) };
        for note in child::run(&task, killed) {
            match note.split_once(' ') {
                Some(("stored", id)) => drop(kept.insert(id.to_owned())),
                Some(("deleting", id)) => drop(kept.remove(id)),
                _ if note == "clearing" => kept.clear(),
                _ => panic!("{story}: {note:?}"),
            }
        }
        let left = examine(&path, &story).await;
        let lost: Vec<&String> = kept.difference(&left).collect();
        assert!(lost.is_empty(), "{story}: {lost:?} were stored");
        kept = left;
    }
    assert!(kept.iter().any(|id| id.contains('-')), "seed {seed}: the writers wrote something");
}

#[tokio::test]
async fn a_writer_killed_inside_any_statement_loses_nothing_it_has_promised() {
    kill_writers(|dice| Killed::InStatement { steps: 1 + dice.below(50), calls: 1 + dice.below(1_500) })
        .await;
}

#[tokio::test]
async fn a_writer_killed_at_any_moment_loses_nothing_it_has_promised() {
    kill_writers(|dice| Killed::OnTheFly { notes: dice.below(12), spins: dice.below(400_000) }).await;
}

#[tokio::test]
async fn a_backup_that_is_killed_is_none_and_the_next_one_is_whole() {
    let seed = Dice::fresh_seed();
    println!("seed {seed}");
    let mut dice = Dice::with_seed(seed);
    let (folder, path) = begin(300).await;
    let whole = examine(&path, "before").await;
    for point in 0..10 {
        let killed = Killed::InStatement { steps: 1 + dice.below(30), calls: 1 + dice.below(300) };
        let story = format!("seed {seed}, point {point}, {killed:?}");
        let target = folder.path().join(format!("backup-{point}"));
        let notes = child::run(&Task::BackUp { path: path.clone(), target: target.clone() }, killed);
        let made = notes.iter().filter(|note| note.starts_with("made")).count();
        for number in 0..made {
            let copy = target.with_extension(number.to_string());
            assert_eq!(examine(&copy, &story).await, whole, "{story}, backup {number}");
        }
        assert!(!target.with_extension(made.to_string()).exists(), "{story}: half a backup has a name");
        assert_eq!(examine(&path, &story).await, whole, "{story}");
        let db = Database::open(&path).await.unwrap();
        db.backup_to(&target.with_extension(made.to_string())).await.unwrap();
        db.close().await.unwrap();
        assert_eq!(examine(&target.with_extension(made.to_string()), &story).await, whole, "{story}");
    }
}

#[tokio::test]
async fn a_restore_that_is_killed_leaves_one_of_the_two_files_whole() {
    let seed = Dice::fresh_seed();
    println!("seed {seed}");
    let mut dice = Dice::with_seed(seed);
    let (folder, path) = begin(200).await;
    let (_other, backup) = begin(100).await;
    let (old, new) = (examine(&path, "old").await, examine(&backup, "new").await);
    let aside = folder.path().join("aside.db");
    std::fs::copy(&path, &aside).unwrap();
    let mut seen = BTreeSet::new();
    for point in 0..16 {
        std::fs::copy(&aside, &path).unwrap();
        let killed = Killed::OnTheFly { notes: 1, spins: dice.below(6_000_000) };
        let story = format!("seed {seed}, point {point}, {killed:?}");
        child::run(&Task::Restore { path: path.clone(), from: backup.clone() }, killed);
        let left = examine(&path, &story).await;
        assert!(left == old || left == new, "{story}: {} messages", left.len());
        seen.insert(left.len());
        Database::restore(&path, &backup).await.unwrap();
        assert_eq!(examine(&path, &story).await, new, "{story}");
    }
    println!("left after a kill: {seen:?} messages");
}

/// A power cut may take the end of the log with it, or leave rubbish there.
#[tokio::test]
async fn a_log_that_ends_anywhere_is_an_earlier_moment() {
    let seed = Dice::fresh_seed();
    println!("seed {seed}");
    let mut dice = Dice::with_seed(seed);
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 4).await;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(story.temp.db.writer()).await.unwrap();
    for number in 0..30 {
        let name = format!("m{number}");
        session.append(&user(&name, &"words and words ".repeat(number)), Parent::ActiveLeaf).await.unwrap();
        if number % 7 == 3 {
            session.add_compaction("short", &id("c1"), &id(&name)).await.unwrap();
        }
    }
    let all = session.history_ids(None).await.unwrap();
    let file = std::fs::read(story.temp.path()).unwrap();
    let log = std::fs::read(story.temp.path().with_extension("db-wal")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for point in 0..50 {
        let cut = dice.below(log.len() + 1);
        let mut left = log[..cut].to_vec();
        if point % 2 == 1 {
            left.extend((0..dice.below(5_000)).map(|_| u8::try_from(dice.below(256)).unwrap()));
        }
        let path = folder.path().join(format!("{point}.db"));
        std::fs::write(&path, &file).unwrap();
        std::fs::write(path.with_extension("db-wal"), left).unwrap();
        let manager = open(&path).await;
        let told = format!("seed {seed}, point {point}, cut at {cut} of {}", log.len());
        assert_eq!(manager.examine().await.unwrap(), [], "{told}");
        let session = self::session(&manager).await;
        let path = session.history_ids(None).await.unwrap();
        assert!(path.len() >= 4 && all.starts_with(&path), "{told}: {path:?}");
        session.append(&user("next", "on"), Parent::ActiveLeaf).await.unwrap();
    }
}
