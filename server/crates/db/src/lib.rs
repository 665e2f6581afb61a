//! Opening SQLite files: pragmas, one writer and many readers, migrations, clock and ids.
