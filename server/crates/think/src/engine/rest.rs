//! Whether an instance could be closed now without anybody missing it.

use super::{Engine, Vitals};
use crate::error::ThinkError;

/// What goes on in an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Somebody is connected, something runs, or something was promised.
    Active,
    /// Nothing. What it knows lies in its file, and starting it again goes on with it.
    Quiet {
        /// When it has something to do by itself, in milliseconds since 1970, UTC; none if never.
        due: Option<u64>,
    },
}

impl Engine {
    /// What goes on in this instance. What begins after the look is the caller's to know: nothing begins by itself before
    /// `due`.
    ///
    /// # Errors
    /// The store.
    pub async fn rest(&self) -> Result<Rest, ThinkError> {
        if self.is_active() || self.owes_something().await? {
            return Ok(Rest::Active);
        }
        let due = self.schedules().await?.into_iter().map(|schedule| schedule.next_run_at).min();
        Ok(if self.is_active() { Rest::Active } else { Rest::Quiet { due } })
    }

    fn is_active(&self) -> bool {
        let Vitals { tasks, actors, sockets, busy } = self.vitals();
        sockets > 0 || busy > 0 || tasks > actors + self.shared.background.standing()
    }

    /// Turns that were accepted and have not ended, and submissions that have not.
    async fn owes_something(&self) -> Result<bool, ThinkError> {
        let owed = !self.shared.store.promises().await?.is_empty();
        Ok(owed || self.shared.submissions().count_open().await? > 0)
    }
}
