//! Statements on `cf_think_submissions`.

use crate::error::ThinkError;
use db::Database;
use protocol::{Message, RequestId, SessionId, Submission, SubmissionStatus, SubmissionTimes};
use serde_json::Value;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use sqlx::types::Json;

const COLUMNS: &str = "SELECT submission_id, session_id, idempotency_key, request_id, status, messages_json, \
    metadata_json, error_message, created_at, messages_applied_at, started_at, completed_at FROM cf_think_submissions ";

/// The submissions of an instance. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Submissions {
    db: Database,
}

impl Submissions {
    pub(crate) fn new(db: Database) -> Self {
        Self { db }
    }

    /// Writes a submission down; false if its id or key is taken.
    pub(crate) async fn insert(&self, new: &Submission) -> Result<bool, ThinkError> {
        let mut tx = self.db.write().await?;
        let written = sqlx::query(
            "INSERT INTO cf_think_submissions (submission_id, session_id, idempotency_key, request_id, status, \
             messages_json, metadata_json, created_at) VALUES (?, ?, ?, ?, 'pending', ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(&new.id)
        .bind(new.session.as_str())
        .bind(&new.idempotency_key)
        .bind(new.request_id.as_str())
        .bind(Json(&new.messages))
        .bind(new.metadata.as_ref().map(Json))
        .bind(new.times.created_at.cast_signed())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(written.rows_affected() == 1)
    }

    pub(crate) async fn by_id(&self, id: &str) -> Result<Option<Submission>, ThinkError> {
        self.one("WHERE submission_id = ?", Some(id)).await
    }

    pub(crate) async fn by_key(&self, key: &str) -> Result<Option<Submission>, ThinkError> {
        self.one("WHERE idempotency_key = ?", Some(key)).await
    }

    /// The one whose slot is next.
    pub(crate) async fn next_pending(&self) -> Result<Option<Submission>, ThinkError> {
        self.one("WHERE status = 'pending' ORDER BY created_at, submission_id LIMIT 1", None).await
    }

    pub(crate) async fn running(&self) -> Result<Vec<Submission>, ThinkError> {
        let sql = format!("{COLUMNS}WHERE status = 'running' ORDER BY created_at, submission_id");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(self.db.reader()).await?;
        rows.iter().map(read).collect()
    }

    /// The newest ones.
    pub(crate) async fn list(
        &self,
        status: Option<SubmissionStatus>,
        limit: usize,
    ) -> Result<Vec<Submission>, ThinkError> {
        let sql = format!(
            "{COLUMNS}WHERE ?1 IS NULL OR status = ?1 ORDER BY created_at DESC, submission_id DESC LIMIT ?2"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(status.map(word))
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(self.db.reader())
            .await?;
        rows.iter().map(read).collect()
    }

    pub(crate) async fn count_pending(&self) -> Result<usize, ThinkError> {
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM cf_think_submissions WHERE status = 'pending'")
                .fetch_one(self.db.reader())
                .await?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// How many wait or run.
    pub(crate) async fn count_open(&self) -> Result<usize, ThinkError> {
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM cf_think_submissions WHERE status IN ('pending', 'running')",
        )
        .fetch_one(self.db.reader())
        .await?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Gives a pending submission its slot; false if it is not pending any more.
    pub(crate) async fn start(&self, id: &str, now_ms: u64) -> Result<bool, ThinkError> {
        let sql = "UPDATE cf_think_submissions SET status = 'running', started_at = ?2 \
                   WHERE submission_id = ?1 AND status = 'pending'";
        self.change(sql, id, now_ms).await
    }

    /// Notes that its messages are stored.
    pub(crate) async fn applied(&self, id: &str, now_ms: u64) -> Result<bool, ThinkError> {
        let sql = "UPDATE cf_think_submissions SET messages_applied_at = ?2 \
                   WHERE submission_id = ?1 AND messages_applied_at IS NULL";
        self.change(sql, id, now_ms).await
    }

    /// Takes its slot back: it waits again.
    pub(crate) async fn put_back(&self, id: &str, now_ms: u64) -> Result<bool, ThinkError> {
        let sql = "UPDATE cf_think_submissions SET status = 'pending', started_at = NULL \
                   WHERE submission_id = ?1 AND status = 'running' AND ?2 >= 0";
        self.change(sql, id, now_ms).await
    }

    /// Ends a submission; false if it has ended before.
    pub(crate) async fn finish(
        &self,
        id: &str,
        (status, error): (SubmissionStatus, Option<&str>),
        now_ms: u64,
    ) -> Result<bool, ThinkError> {
        let mut tx = self.db.write().await?;
        let changed = sqlx::query(
            "UPDATE cf_think_submissions SET status = ?, error_message = ?, completed_at = ? \
             WHERE submission_id = ? AND status IN ('pending', 'running')",
        )
        .bind(word(status))
        .bind(error)
        .bind(now_ms.cast_signed())
        .bind(id)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(changed.rows_affected() == 1)
    }

    /// Ends a submission that has no slot yet; false if it has one.
    pub(crate) async fn cancel_pending(&self, id: &str, now_ms: u64) -> Result<bool, ThinkError> {
        let sql = "UPDATE cf_think_submissions SET status = 'aborted', completed_at = ?2 \
                   WHERE submission_id = ?1 AND status = 'pending'";
        self.change(sql, id, now_ms).await
    }

    /// Ends all of a session that have no slot yet.
    pub(crate) async fn skip_pending(&self, session: &SessionId, now_ms: u64) -> Result<bool, ThinkError> {
        let sql = "UPDATE cf_think_submissions SET status = 'skipped', completed_at = ?2 \
                   WHERE session_id = ?1 AND status = 'pending'";
        self.change(sql, session.as_str(), now_ms).await
    }

    /// Removes a submission that has ended; false if there is no such one.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool, ThinkError> {
        let sql = "DELETE FROM cf_think_submissions \
                   WHERE submission_id = ?1 AND status NOT IN ('pending', 'running') AND ?2 >= 0";
        self.change(sql, id, 0).await
    }

    async fn change(&self, sql: &'static str, id: &str, now_ms: u64) -> Result<bool, ThinkError> {
        let mut tx = self.db.write().await?;
        let changed = sqlx::query(sql).bind(id).bind(now_ms.cast_signed()).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(changed.rows_affected() > 0)
    }

    async fn one(&self, which: &str, value: Option<&str>) -> Result<Option<Submission>, ThinkError> {
        let query = sqlx::query(sqlx::AssertSqlSafe(format!("{COLUMNS}{which}")));
        let query = if let Some(value) = value { query.bind(value.to_owned()) } else { query };
        query.fetch_optional(self.db.reader()).await?.as_ref().map(read).transpose()
    }
}

fn read(row: &SqliteRow) -> Result<Submission, ThinkError> {
    let time =
        |name: &str| Ok::<_, sqlx::Error>(row.try_get::<Option<i64>, _>(name)?.map(i64::cast_unsigned));
    let status: String = row.try_get("status")?;
    Ok(Submission {
        id: row.try_get("submission_id")?,
        session: SessionId::new(row.try_get::<String, _>("session_id")?),
        status: serde_json::from_value(Value::String(status.clone()))
            .map_err(|source| ThinkError::Setting { key: format!("submission {status}"), source })?,
        request_id: RequestId::new(row.try_get::<String, _>("request_id")?),
        idempotency_key: row.try_get("idempotency_key")?,
        messages: row.try_get::<Json<Vec<Message>>, _>("messages_json")?.0,
        metadata: row.try_get::<Option<Json<Value>>, _>("metadata_json")?.map(|json| json.0),
        error: row.try_get("error_message")?,
        times: SubmissionTimes {
            created_at: time("created_at")?.unwrap_or_default(),
            started_at: time("started_at")?,
            messages_applied_at: time("messages_applied_at")?,
            completed_at: time("completed_at")?,
        },
    })
}

fn word(status: SubmissionStatus) -> &'static str {
    match status {
        SubmissionStatus::Pending => "pending",
        SubmissionStatus::Running => "running",
        SubmissionStatus::Completed => "completed",
        SubmissionStatus::Aborted => "aborted",
        SubmissionStatus::Skipped => "skipped",
        SubmissionStatus::Error => "error",
    }
}
