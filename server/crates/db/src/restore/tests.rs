//! What a restore keeps, refuses and leaves behind when it is killed.

use super::*;
use crate::Database;
use std::collections::BTreeSet;
use tempfile::TempDir;

/// A file that says `now`, and a backup of it that says `then`.
struct Story {
    folder: TempDir,
    path: PathBuf,
    backup: PathBuf,
}

impl Story {
    async fn begin() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, backup) = (folder.path().join("file.db"), folder.path().join("backups/then.db"));
        let story = Self { folder, path, backup };
        let db = Database::open(&story.path).await.unwrap();
        write(&db, "then").await;
        db.backup_to(&story.backup).await.unwrap();
        write(&db, "now").await;
        db.close().await.unwrap();
        story
    }

    fn steps(&self) -> Restore<'_> {
        Restore::new(&self.path, &self.backup)
    }

    fn names(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

async fn write(db: &Database, word: &str) {
    let mut tx = db.write().await.unwrap();
    let sql = "INSERT OR REPLACE INTO think_config (key, value) VALUES ('word', ?)";
    sqlx::query(sql).bind(word).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// What the file says, after a restart.
async fn word(path: &Path) -> String {
    let db = Database::open(path).await.unwrap();
    let sql = "SELECT value FROM think_config WHERE key = 'word'";
    let word = sqlx::query_scalar(sql).fetch_one(db.reader()).await.unwrap();
    db.close().await.unwrap();
    word
}

#[tokio::test]
async fn a_restore_brings_back_what_was_and_keeps_what_is() {
    let story = Story::begin().await;
    let restored = Database::restore(&story.path, &story.backup).await.unwrap();
    assert_eq!(word(&story.path).await, "then");
    let kept = restored.kept.unwrap();
    assert_eq!(word(&kept).await, "now");
    let expected = ["backups", "file.db", "file.db.before-restore-1"].map(str::to_owned);
    assert_eq!(story.names(), BTreeSet::from(expected));

    let back = Database::restore(&story.path, &kept).await.unwrap();
    assert_eq!(word(&story.path).await, "now");
    assert_eq!(word(&back.kept.unwrap()).await, "then");
}

#[tokio::test]
async fn a_crash_between_any_two_steps_leaves_a_whole_file() {
    for (steps, expected) in [(0, "now"), (1, "now"), (2, "now"), (3, "now"), (4, "then")] {
        let story = Story::begin().await;
        let restore = story.steps();
        for step in 1..=steps {
            match step {
                1 => restore.copy().await.unwrap(),
                2 => restore.check_copy().await.unwrap(),
                3 => assert!(restore.keep().await.unwrap().is_some()),
                _ => restore.replace().await.unwrap(),
            }
        }
        assert_eq!(word(&story.path).await, expected, "after {steps} steps");
        Database::restore(&story.path, &story.backup).await.unwrap();
        assert_eq!(word(&story.path).await, "then", "again, after {steps} steps");
    }
}

#[tokio::test]
async fn half_a_copy_of_a_killed_server_is_no_backup_and_in_nobodys_way() {
    let story = Story::begin().await;
    let db = Database::open(&story.path).await.unwrap();
    let target = story.folder.path().join("new.db");
    std::fs::write(beside(&target, ".backup-unfinished"), "half a").unwrap();
    assert!(!story.names().contains("new.db"));
    db.backup_to(&target).await.unwrap();
    assert!(!story.names().contains("new.db.backup-unfinished"));
    db.close().await.unwrap();
    assert_eq!(word(&target).await, "now");

    std::fs::write(beside(&story.path, UNFINISHED), "half a").unwrap();
    Database::restore(&story.path, &story.backup).await.unwrap();
    assert_eq!(word(&story.path).await, "then");
}

#[tokio::test]
async fn a_backup_holds_what_is_only_in_the_log_and_replaces_nothing() {
    let story = Story::begin().await;
    let db = Database::open(&story.path).await.unwrap();
    write(&db, "later").await;
    let target = story.folder.path().join("deep/er/new.db");
    db.backup_to(&target).await.unwrap();
    write(&db, "last").await;
    assert_eq!(word(&target).await, "later");
    let refused = db.backup_to(&target).await.unwrap_err();
    assert!(matches!(&refused, DbError::Taken { path } if *path == target), "{refused:?}");
    assert_eq!(word(&target).await, "later");
}

#[tokio::test]
async fn a_backup_that_cannot_be_used_changes_nothing() {
    let story = Story::begin().await;
    let folder = story.folder.path();
    let file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).unwrap();
        folder.join(name)
    };
    let whole = std::fs::read(&story.backup).unwrap();
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[4_096..middle].fill(0xff);
    for (name, bytes, expected) in [
        ("newer.db", newer.as_slice(), "has format 9999"),
        ("damaged.db", &damaged, "is damaged"),
        ("short.db", &whole[..whole.len() / 2], "is damaged"),
        ("text.db", b"not a database at all", "is damaged"),
        ("empty.db", b"", "is damaged"),
    ] {
        let backup = file(name, bytes);
        let refused = Database::restore(&story.path, &backup).await.unwrap_err();
        let said = refused.to_string();
        assert!(said.contains(name) && said.contains(expected), "{said}");
        assert_eq!(word(&story.path).await, "now", "{name}");
    }
    let refused = Database::restore(&story.path, &folder.join("nowhere.db")).await.unwrap_err();
    assert!(matches!(refused, DbError::Corrupt { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_file_that_is_open_is_not_replaced() {
    let story = Story::begin().await;
    let db = Database::open(&story.path).await.unwrap();
    write(&db, "open").await;
    let refused = Database::restore(&story.path, &story.backup).await.unwrap_err();
    assert!(matches!(refused, DbError::Busy { .. }), "{refused:?}");
    write(&db, "still").await;
    db.close().await.unwrap();
    assert_eq!(word(&story.path).await, "still");
}

#[tokio::test]
async fn a_damaged_or_missing_file_is_replaced_too() {
    let story = Story::begin().await;
    std::fs::write(&story.path, "ruins").unwrap();
    std::fs::write(beside(&story.path, "-wal"), "more ruins").unwrap();
    let restored = Database::restore(&story.path, &story.backup).await.unwrap();
    assert_eq!(word(&story.path).await, "then");
    let kept = restored.kept.unwrap();
    assert_eq!(std::fs::read(&kept).unwrap(), b"ruins");
    assert_eq!(std::fs::read(beside(&kept, "-wal")).unwrap(), b"more ruins");

    std::fs::remove_file(&story.path).unwrap();
    let restored = Database::restore(&story.path, &story.backup).await.unwrap();
    assert_eq!((restored.kept, word(&story.path).await.as_str()), (None, "then"));
}
