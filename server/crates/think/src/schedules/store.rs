//! Statements on `cf_think_scheduled_tasks`.

use crate::error::ThinkError;
use db::Database;
use sqlx::FromRow;

/// When a task runs next.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct ScheduleRow {
    pub(crate) task_id: String,
    /// Of the words and the zone.
    pub(crate) schedule_hash: String,
    /// Of what it does.
    pub(crate) task_hash: String,
    pub(crate) next_run_at: i64,
}

/// The tasks of an instance. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Schedules {
    db: Database,
}

impl Schedules {
    pub(crate) fn new(db: Database) -> Self {
        Self { db }
    }

    pub(crate) async fn all(&self, owner: &str) -> Result<Vec<ScheduleRow>, ThinkError> {
        let rows = sqlx::query_as(
            "SELECT task_id, schedule_hash, task_hash, next_run_at FROM cf_think_scheduled_tasks \
             WHERE owner_key = ? ORDER BY next_run_at, task_id",
        )
        .bind(owner)
        .fetch_all(self.db.reader())
        .await?;
        Ok(rows)
    }

    /// Makes a task or gives it other times.
    pub(crate) async fn put(&self, owner: &str, row: &ScheduleRow, now_ms: u64) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        sqlx::query(
            "INSERT INTO cf_think_scheduled_tasks (owner_key, task_id, schedule_hash, task_hash, schedule_id, \
             next_run_at, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?1 || ':' || ?2, ?5, ?6, ?6) \
             ON CONFLICT (owner_key, task_id) DO UPDATE SET schedule_hash = ?3, task_hash = ?4, next_run_at = ?5, \
             updated_at = ?6",
        )
        .bind(owner)
        .bind(&row.task_id)
        .bind(&row.schedule_hash)
        .bind(&row.task_hash)
        .bind(row.next_run_at)
        .bind(now_ms.cast_signed())
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    pub(crate) async fn remove(&self, owner: &str, task: &str) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        sqlx::query("DELETE FROM cf_think_scheduled_tasks WHERE owner_key = ? AND task_id = ?")
            .bind(owner)
            .bind(task)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }
}
