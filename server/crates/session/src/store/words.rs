//! Statements on `assistant_words`: each word once, and which of them hold a piece.

use sqlx::Result;
use sqlx::sqlite::SqliteConnection as Connection;

/// Adds those of `words`, a JSON array, that are new.
pub(crate) async fn learn(connection: &mut Connection, words: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_words (word) SELECT asked.value FROM json_each(?) AS asked \
        WHERE NOT EXISTS (SELECT 1 FROM assistant_words AS w WHERE w.word = asked.value)";
    sqlx::query(SQL).bind(words).execute(connection).await.map(drop)
}

/// Forgets those of `words`, a JSON array, that no message holds any more.
pub(crate) async fn sweep(connection: &mut Connection, words: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_words WHERE word IN (SELECT asked.value FROM json_each(?) AS asked) \
        AND NOT EXISTS (SELECT 1 FROM assistant_fts \
            WHERE assistant_fts MATCH '{said used} : \"' || assistant_words.word || '\"')";
    sqlx::query(SQL).bind(words).execute(connection).await.map(drop)
}

/// The words that look like `pattern` and hold `piece`, which has three letters at least; those stored first first.
pub(crate) async fn holding(
    connection: &mut Connection,
    piece: &str,
    pattern: &str,
    limit: i64,
) -> Result<Vec<String>> {
    let piece = format!("\"{piece}\"");
    sqlx::query_scalar(HOLDING).bind(piece).bind(pattern).bind(limit).fetch_all(connection).await
}

pub(super) const HOLDING: &str = "SELECT w.word FROM assistant_word_pieces \
    CROSS JOIN assistant_words AS w ON w.number = assistant_word_pieces.rowid \
    WHERE assistant_word_pieces MATCH ?1 AND w.word LIKE ?2 ORDER BY assistant_word_pieces.rowid LIMIT ?3";

/// The words that look like `pattern`, those stored first first. Reads the words one by one, until there are `limit`.
pub(crate) async fn like(connection: &mut Connection, pattern: &str, limit: i64) -> Result<Vec<String>> {
    const SQL: &str = "SELECT word FROM assistant_words WHERE word LIKE ? ORDER BY number LIMIT ?";
    sqlx::query_scalar(SQL).bind(pattern).bind(limit).fetch_all(connection).await
}
