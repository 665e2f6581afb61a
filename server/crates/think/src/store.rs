//! The engine's own rows: turns that were promised, and private settings.

use crate::error::ThinkError;
use crate::recovery::Tries;
use crate::schedules::Schedules;
use crate::submissions::Submissions;
use db::{Database, DbError, WriteTx};
use protocol::{MessageId, RequestId, SessionId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

/// A turn that was accepted and has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Promise {
    pub(crate) session_id: SessionId,
    pub(crate) request_id: RequestId,
    /// The row that was reserved for the answer.
    pub(crate) message_id: MessageId,
    /// What it answers.
    pub(crate) parent_id: Option<MessageId>,
    /// What was shown before; shown again if nothing comes of the turn.
    pub(crate) previous_leaf: Option<MessageId>,
    pub(crate) kind: PromiseKind,
    /// How often the end of a server interrupted it.
    pub(crate) tries: Tries,
}

/// What was promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "lowercase")]
pub(crate) enum PromiseKind {
    /// An answer; its row is reserved.
    Answer,
    /// More of an answer whose calls have been answered.
    Continuation,
}

/// The setting that holds the application's own configuration.
pub(crate) const CONFIG_KEY: &str = "_think_config";

/// The setting that holds what the agent shows to its pages.
pub(crate) const STATE_KEY: &str = "_state";

/// The engine's tables of one instance. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    db: Database,
}

impl Store {
    pub(crate) fn new(db: Database) -> Self {
        Self { db }
    }

    pub(crate) fn submissions(&self) -> Submissions {
        Submissions::new(self.db.clone())
    }

    pub(crate) fn schedules(&self) -> Schedules {
        Schedules::new(self.db.clone())
    }

    /// Writes a promise down.
    pub(crate) async fn promise(&self, turn: &Promise, now_ms: u64) -> Result<(), ThinkError> {
        Ok(self.promising(turn, now_ms).await?.commit().await?)
    }

    /// Begins a change with a promise in it.
    pub(crate) async fn promising(&self, turn: &Promise, now_ms: u64) -> Result<WriteTx, DbError> {
        let mut tx = self.db.write().await?;
        let written = insert_promise(&mut tx, turn, now_ms).await;
        written.map_err(|error| tx.error(error))?;
        Ok(tx)
    }

    /// Writes down that a promise is taken up again, perhaps by another request; it keeps its place among the others.
    pub(crate) async fn take_up(&self, old: &RequestId, turn: &Promise) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        update_promise(&mut tx, old, turn).await?;
        Ok(tx.commit().await?)
    }

    /// Writes down how long a turn that was taken up again has worked without getting any further.
    pub(crate) async fn note_fruitless(
        &self,
        session_id: &SessionId,
        request_id: &RequestId,
        spent_ms: u64,
    ) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        sqlx::query("UPDATE think_turns SET fruitless_ms = ? WHERE session_id = ? AND request_id = ?")
            .bind(spent_ms.cast_signed())
            .bind(session_id.as_str())
            .bind(request_id.as_str())
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Crosses a promise out.
    pub(crate) async fn fulfil(
        &self,
        session_id: &SessionId,
        request_id: &RequestId,
    ) -> Result<(), ThinkError> {
        let _gone = sqlx::query("DELETE FROM think_turns WHERE session_id = ? AND request_id = ?")
            .bind(session_id.as_str())
            .bind(request_id.as_str())
            .execute(self.db.writer())
            .await?;
        Ok(())
    }

    /// Crosses out all promises of a session.
    pub(crate) async fn forget_session(&self, session_id: &SessionId) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        sqlx::query("DELETE FROM think_turns WHERE session_id = ?")
            .bind(session_id.as_str())
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Everything that was promised and not kept, oldest first.
    pub(crate) async fn promises(&self) -> Result<Vec<Promise>, ThinkError> {
        let rows = sqlx::query(
            "SELECT session_id, request_id, message_id, parent_id, previous_leaf, kind, tries, fruitless_tries, \
             fruitless_ms FROM think_turns ORDER BY accepted_at, message_id",
        )
        .fetch_all(self.db.reader())
        .await?;
        rows.iter().map(|row| Ok(promise_of(row)?)).collect()
    }

    /// Takes over a setting, as JSON text; what is set here already stays.
    pub(crate) async fn adopt(&self, key: &str, value: &str) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        sqlx::query("INSERT OR IGNORE INTO think_config (key, value) VALUES (?, ?)")
            .bind(key)
            .bind(value)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// A private setting.
    pub(crate) async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ThinkError> {
        let text: Option<String> = sqlx::query_scalar("SELECT value FROM think_config WHERE key = ?")
            .bind(key)
            .fetch_optional(self.db.reader())
            .await?;
        let unreadable = |source| ThinkError::Setting { key: key.to_owned(), source };
        text.map(|text| serde_json::from_str(&text).map_err(unreadable)).transpose()
    }

    /// Sets a private setting, or removes it.
    pub(crate) async fn set<T: Serialize>(&self, key: &str, value: Option<&T>) -> Result<(), ThinkError> {
        let unwritable = |source| ThinkError::Setting { key: key.to_owned(), source };
        let text = value.map(serde_json::to_string).transpose().map_err(unwritable)?;
        let mut tx = self.db.write().await?;
        let statement = match text {
            Some(text) => sqlx::query("INSERT OR REPLACE INTO think_config (key, value) VALUES (?, ?)")
                .bind(key)
                .bind(text),
            None => sqlx::query("DELETE FROM think_config WHERE key = ?").bind(key),
        };
        statement.execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }
}

async fn insert_promise(tx: &mut SqliteConnection, turn: &Promise, now_ms: u64) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO think_turns (session_id, request_id, message_id, parent_id, previous_leaf, kind, accepted_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(turn.session_id.as_str())
    .bind(turn.request_id.as_str())
    .bind(turn.message_id.as_str())
    .bind(turn.parent_id.as_ref().map(MessageId::as_str))
    .bind(turn.previous_leaf.as_ref().map(MessageId::as_str))
    .bind(turn.kind)
    .bind(now_ms.cast_signed())
    .execute(tx)
    .await
    .map(drop)
}

async fn update_promise(tx: &mut SqliteConnection, old: &RequestId, turn: &Promise) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE think_turns SET request_id = ?, kind = ?, tries = ?, fruitless_tries = ?, fruitless_ms = ? \
         WHERE session_id = ? AND request_id = ?",
    )
    .bind(turn.request_id.as_str())
    .bind(turn.kind)
    .bind(turn.tries.all)
    .bind(turn.tries.fruitless)
    .bind(turn.tries.fruitless_ms.cast_signed())
    .bind(turn.session_id.as_str())
    .bind(old.as_str())
    .execute(tx)
    .await
    .map(drop)
}

fn promise_of(row: &SqliteRow) -> sqlx::Result<Promise> {
    let id = |text: String| MessageId::new(text);
    Ok(Promise {
        session_id: SessionId::new(row.try_get::<String, _>("session_id")?),
        request_id: RequestId::new(row.try_get::<String, _>("request_id")?),
        message_id: id(row.try_get("message_id")?),
        parent_id: row.try_get::<Option<String>, _>("parent_id")?.map(id),
        previous_leaf: row.try_get::<Option<String>, _>("previous_leaf")?.map(id),
        kind: row.try_get("kind")?,
        tries: Tries {
            all: row.try_get("tries")?,
            fruitless: row.try_get("fruitless_tries")?,
            fruitless_ms: row.try_get::<i64, _>("fruitless_ms")?.cast_unsigned(),
        },
    })
}
