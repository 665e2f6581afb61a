//! Opening old, new, foreign, broken and full files; and changes that never lose a race.

use super::*;
use crate::migrate::newest;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder and the path of a file in it that does not exist yet.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agents/assistant/default.db");
    (folder, path)
}

async fn run(db: &Database, sql: &'static str) {
    let mut tx = db.write().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn number(db: &Database, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(db.reader()).await.unwrap()
}

fn names_in(path: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Steps that lead to format `version`, each adding one table.
fn steps(version: u32) -> Vec<Migration> {
    let sql = [
        "CREATE TABLE a (x)",
        "CREATE TABLE b (x)",
        "CREATE TABLE c (x)",
        "CREATE TABLE d (x)",
        "CREATE TABLE e (x)",
    ];
    sql.iter().zip(1..=version).map(|(sql, version)| Migration { version, sql }).collect()
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders_and_the_promised_settings() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    assert_eq!(db.path(), path);

    let mut tx = db.write().await.unwrap();
    for (pragma, expected) in [
        ("SELECT journal_mode = 'wal' FROM pragma_journal_mode", 1),
        ("SELECT synchronous FROM pragma_synchronous", 1),
        ("SELECT timeout FROM pragma_busy_timeout", 5_000),
        ("SELECT foreign_keys FROM pragma_foreign_keys", 1),
        ("SELECT user_version FROM pragma_user_version", i64::from(newest(MIGRATIONS))),
    ] {
        let found: i64 = sqlx::query_scalar(pragma).fetch_one(&mut *tx).await.unwrap();
        assert_eq!((pragma, found), (pragma, expected));
    }
    drop(tx);
    let sqlite: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(db.reader()).await.unwrap();
    let parts: Vec<u32> = sqlite.split('.').map(|part| part.parse().unwrap()).collect();
    assert!(parts >= vec![3, 51], "another crate pulled SQLite down to {sqlite}");

    db.close().await.unwrap();
    assert_eq!(names_in(&path), names(&["default.db"]), "closing leaves one file and no backup");
}

#[tokio::test]
async fn readers_cannot_write() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    let refused = sqlx::query("DELETE FROM think_config").execute(db.reader()).await.unwrap_err();
    assert!(matches!(db.error(refused), DbError::NotWritable { path: named, .. } if named == path));
}

#[tokio::test]
async fn a_newer_file_is_refused_and_stays_as_it_is_byte_by_byte() {
    let (_folder, path) = place();
    let known = newest(MIGRATIONS);
    let db = Database::open(&path).await.unwrap();
    run(&db, "PRAGMA user_version = 999").await;
    db.close().await.unwrap();
    let before = std::fs::read(&path).unwrap();

    let refused = Database::open(&path).await.unwrap_err();
    let text = refused.to_string();
    assert!(
        matches!(refused, DbError::Newer { path: named, found: 999, known: k } if named == path && k == known)
    );
    assert!(
        text.contains(&path.display().to_string())
            && text.contains("999")
            && text.contains(&known.to_string())
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(names_in(&path), names(&["default.db"]));
}

#[tokio::test]
async fn a_newer_file_of_a_killed_server_is_refused_though_the_version_still_stands_in_the_log() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    run(&db, "PRAGMA user_version = 999").await;
    let killed = path.with_file_name("killed.db");
    for suffix in ["", "-wal"] {
        let from = crate::look::beside(&path, suffix);
        std::fs::copy(from, crate::look::beside(&killed, suffix)).unwrap();
    }
    let before = std::fs::read(&killed).unwrap();

    let refused = Database::open(&killed).await.unwrap_err();
    assert!(matches!(refused, DbError::Newer { found: 999, .. }), "{refused:?}");
    assert_eq!(std::fs::read(&killed).unwrap(), before);
}

#[tokio::test]
async fn a_file_that_is_no_database_or_is_damaged_is_refused() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    db.close().await.unwrap();
    let good = std::fs::read(&path).unwrap();
    let mut scribbled = good.clone();
    scribbled[100..4_096].fill(0xAA);
    for bad in [b"hello, I am a letter".to_vec(), good[..50].to_vec(), scribbled] {
        std::fs::write(&path, &bad).unwrap();
        let refused = Database::open(&path).await.unwrap_err();
        assert!(matches!(&refused, DbError::Corrupt { path: named, .. } if *named == path), "{refused:?}");
        assert!(refused.to_string().contains(&path.display().to_string()));
        assert_eq!(std::fs::read(&path).unwrap(), bad, "nothing was written into it");
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_refused() {
    let (_folder, path) = place();
    let db = Database::open_with(&path, &[]).await.unwrap();
    run(&db, "CREATE TABLE recipes (name TEXT)").await;
    db.close().await.unwrap();
    let refused = Database::open(&path).await.unwrap_err();
    assert!(matches!(refused, DbError::Foreign { path: named } if named == path));
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let (folder, _path) = place();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").unwrap();
    let refused = Database::open(&file.join("default.db")).await.unwrap_err();
    assert!(matches!(&refused, DbError::NotWritable { path: named, .. } if *named == file), "{refused:?}");

    let refused = Database::open(folder.path()).await.unwrap_err();
    assert!(
        matches!(&refused, DbError::NotWritable { path: named, .. } if named == folder.path()),
        "{refused:?}"
    );
}

/// On a full disk SQLite makes the file and can write nothing into it, as here, where its journal cannot be made.
#[tokio::test]
async fn a_file_that_could_not_be_made_is_made_later() {
    let (_folder, path) = place();
    let in_the_way = crate::look::beside(&path, "-journal");
    std::fs::create_dir_all(&in_the_way).unwrap();
    for _ in 0..2 {
        let refused = Database::open(&path).await.unwrap_err();
        assert!(
            matches!(&refused, DbError::NotWritable { path: named, .. } if *named == path),
            "{refused:?}"
        );
        assert!(!path.exists(), "an empty file would be taken for one that has lost everything");
    }
    std::fs::remove_dir(&in_the_way).unwrap();
    Database::open(&path).await.unwrap().close().await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_named_and_loses_only_the_change_that_did_not_fit() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    run(&db, "INSERT INTO think_config VALUES ('kept', '1')").await;
    let mut tx = db.write().await.unwrap();
    sqlx::raw_sql("PRAGMA max_page_count = 60").execute(&mut *tx).await.unwrap();
    let sql = "INSERT INTO think_config VALUES ('large', hex(zeroblob(1000000)))";
    let full = sqlx::query(sql).execute(&mut *tx).await.unwrap_err();
    let full = tx.error(full);
    assert!(matches!(&full, DbError::DiskFull { path: named } if *named == path), "{full:?}");
    drop(tx);
    assert_eq!(number(&db, "SELECT count(*) FROM think_config").await, 1);
    run(&db, "INSERT INTO think_config VALUES ('small', '2')").await;
}

#[tokio::test]
async fn every_earlier_version_is_upgraded_with_a_backup_and_keeps_its_rows() {
    for step in MIGRATIONS.iter().take(MIGRATIONS.len() - 1) {
        let (_folder, path) = place();
        let older: Vec<Migration> =
            MIGRATIONS.iter().copied().filter(|s| s.version <= step.version).collect();
        let db = Database::open_with(&path, &older).await.unwrap();
        run(&db, "INSERT INTO assistant_config VALUES ('', 'colour', 'green')").await;
        db.close().await.unwrap();

        let db = Database::open(&path).await.unwrap();
        assert_eq!(
            number(&db, "SELECT user_version FROM pragma_user_version").await,
            i64::from(newest(MIGRATIONS))
        );
        assert_eq!(number(&db, "SELECT count(*) FROM assistant_config WHERE value = 'green'").await, 1);
        db.close().await.unwrap();

        let backup = format!("default.db.backup-v{}", step.version);
        assert_eq!(names_in(&path), names(&["default.db", &backup]));
        let saved = Database::open_with(&path.with_file_name(&backup), &older).await.unwrap();
        assert_eq!(number(&saved, "SELECT count(*) FROM assistant_config WHERE value = 'green'").await, 1);
    }
}

#[tokio::test]
async fn the_newest_three_backups_are_kept() {
    let (_folder, path) = place();
    for version in 1..=5 {
        Database::open_with(&path, &steps(version)).await.unwrap().close().await.unwrap();
    }
    let kept = ["default.db", "default.db.backup-v2", "default.db.backup-v3", "default.db.backup-v4"];
    assert_eq!(names_in(&path), names(&kept));
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_file_as_it_was() {
    let (_folder, path) = place();
    Database::open_with(&path, &steps(1)).await.unwrap().close().await.unwrap();
    let mut wrong = steps(3);
    wrong[2].sql = "CREATE TABLE c (x); CREATE TABLE a (y)";
    let failed = Database::open_with(&path, &wrong).await.unwrap_err();
    assert!(
        matches!(&failed, DbError::Migration { path: named, version: 3, .. } if *named == path),
        "{failed:?}"
    );

    let db = Database::open_with(&path, &steps(1)).await.unwrap();
    assert_eq!(number(&db, "SELECT count(*) FROM sqlite_schema").await, 1);
}

#[test]
fn the_list_of_migrations_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), MIGRATIONS.len(), "each file has its line in the list");
    for (file, step) in files.iter().zip(MIGRATIONS) {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{:04}_", step.version)), "{name}");
        assert!(std::fs::read_to_string(file).unwrap() == step.sql, "{name}");
        assert!(step.sql.starts_with("-- Owner: "), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_and_then_writing_in_one_change_never_loses_a_race() {
    let (_folder, path) = place();
    let one = Database::open(&path).await.unwrap();
    let other = Database::open(&path).await.unwrap();
    run(&one, "INSERT INTO think_config VALUES ('count', '0')").await;

    let mut adders = tokio::task::JoinSet::new();
    for db in [one.clone(), one.clone(), other.clone(), other] {
        adders.spawn(add_many(db));
    }
    adders.join_all().await;
    assert_eq!(number(&one, "SELECT CAST(value AS INTEGER) FROM think_config").await, 100);
}

async fn add_many(db: Database) {
    for _ in 0..25 {
        add_one(&db).await;
    }
}

async fn add_one(db: &Database) {
    let mut tx = db.write().await.unwrap();
    let count: String =
        sqlx::query_scalar("SELECT value FROM think_config").fetch_one(&mut *tx).await.unwrap();
    let next = count.parse::<u32>().unwrap() + 1;
    let set = sqlx::query("UPDATE think_config SET value = ?").bind(next.to_string());
    set.execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_dropped_change_is_undone_and_the_next_one_goes_on() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    let mut tx = db.write().await.unwrap();
    sqlx::raw_sql("INSERT INTO think_config VALUES ('a', '1')").execute(&mut *tx).await.unwrap();
    drop(tx);
    run(&db, "INSERT INTO think_config VALUES ('b', '2')").await;
    assert_eq!(number(&db, "SELECT count(*) FROM think_config").await, 1);
}

#[tokio::test]
async fn reads_of_one_transaction_see_one_state() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    let count = "SELECT count(*) FROM think_config";
    let mut tx = db.read().await.unwrap();
    let before: i64 = sqlx::query_scalar(count).fetch_one(&mut *tx).await.unwrap();
    run(&db, "INSERT INTO think_config VALUES ('a', '1')").await;
    let after: i64 = sqlx::query_scalar(count).fetch_one(&mut *tx).await.unwrap();
    assert_eq!((before, after, number(&db, count).await), (0, 0, 1));
}

#[tokio::test]
async fn a_closed_file_says_so_and_closing_twice_is_fine() {
    let (_folder, path) = place();
    let db = Database::open(&path).await.unwrap();
    db.close().await.unwrap();
    db.clone().close().await.unwrap();
    assert!(matches!(db.write().await.unwrap_err(), DbError::Closed { path: named } if named == path));
}
