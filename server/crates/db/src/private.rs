//! Who may read the files: their owner. They hold conversations, and what a password can be guessed from at leisure.

use crate::look::beside;
use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

/// Makes an empty file that its owner alone may read, for SQLite to write into.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    let mut options = File::options();
    let _options = options.write(true).create_new(true);
    #[cfg(unix)]
    let _options = std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Takes the rights of others away from an open database and what belongs to it, also from one that an older version made.
/// A group keeps rights that were given to it only: it is everybody on some systems.
pub(crate) fn close_to_others(path: &Path) {
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        // Whoever does not own the file, or has it on a system without rights, works on it as it is.
        let _done = std::fs::metadata(&file).and_then(|found| {
            narrowed(&found.permissions()).map_or(Ok(()), |it| std::fs::set_permissions(&file, it))
        });
    }
}

/// The rights without those of others; none where they have none.
#[cfg(unix)]
fn narrowed(found: &Permissions) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let (mode, others) = (found.mode(), found.mode() & 0o007);
    let group = (mode >> 3) & 0o007;
    let taken = if group == others { 0o077 } else { 0o007 };
    (others != 0).then(|| Permissions::from_mode(mode & !taken))
}

#[cfg(not(unix))]
fn narrowed(_found: &Permissions) -> Option<Permissions> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use crate::Database;
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn other_users_of_the_machine_read_neither_a_database_nor_its_copies() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let (path, copy) = (file("a.db"), file("copies/a.db"));
        for (before, expected) in [(0o644, 0o600), (0o600, 0o600), (0o664, 0o660), (0o640, 0o640)] {
            Database::open(&path).await.unwrap().close().await.unwrap();
            set_permissions(&path, Permissions::from_mode(before)).unwrap();
            let db = Database::open(&path).await.unwrap();
            let _written = sqlx::query("PRAGMA user_version").execute(db.writer()).await.unwrap();
            let found = ["a.db", "a.db-wal", "a.db-shm"].map(|name| mode(&file(name)));
            assert_eq!(found, [expected; 3], "{before:o}");
            let _none = std::fs::remove_file(&copy);
            db.backup_to(&copy).await.unwrap();
            assert_eq!(mode(&copy), 0o600);
            db.close().await.unwrap();
        }
        let _restored = Database::restore(&path, &copy).await.unwrap();
        assert_eq!(mode(&path), 0o600);
        Database::open(&file("new.db")).await.unwrap().close().await.unwrap();
        assert_eq!(mode(&file("new.db")) & 0o007, 0);
    }
}
