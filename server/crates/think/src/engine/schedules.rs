//! The door to the tasks an agent does by itself.

use super::Engine;
use crate::error::ThinkError;
use protocol::ScheduleInfo;

impl Engine {
    /// The tasks of this instance, the next one first.
    ///
    /// # Errors
    /// The store.
    pub async fn schedules(&self) -> Result<Vec<ScheduleInfo>, ThinkError> {
        let rows = self.shared.schedules().all(&self.shared.instance).await?;
        let told = rows.into_iter().filter_map(|row| {
            let task = self.shared.spec.schedules.get(&row.task_id)?;
            let (schedule, next_run_at) = (task.schedule.text().to_owned(), row.next_run_at.cast_unsigned());
            Some(ScheduleInfo { id: row.task_id, schedule, next_run_at })
        });
        Ok(told.collect())
    }
}
