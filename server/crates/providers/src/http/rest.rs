//! What follows the last word of an answer. Only a connection of which the end was read can be used again, and making a
//! new one costs several ways to the provider and back; so the end is read, but nobody waits for it.

use reqwest::Response;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long the end of an answer may take. It is on its way already.
const REST_TIMEOUT: Duration = Duration::from_secs(1);
/// How much may follow before the connection is not worth it.
const REST_MAX_BYTES: usize = 64 * 1024;

/// The answers whose end is being read; given up when the last clone is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rest(Arc<Mutex<JoinSet<()>>>);

impl Rest {
    /// Reads what is left of an answer.
    pub(super) fn read(&self, response: Response) {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while reading.try_join_next().is_some() {}
        let _handle = reading.spawn(async move {
            // A connection that does not end in time, or not well, is closed.
            let _ended = timeout(REST_TIMEOUT, drain(response)).await;
        });
    }

    /// Waits until nothing is being read.
    #[cfg(test)]
    pub(crate) async fn all(&self) {
        let reading = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let _ended = reading.join_all().await;
    }
}

async fn drain(mut response: Response) {
    let mut bytes = 0;
    while let Ok(Some(piece)) = response.chunk().await {
        bytes += piece.len();
        if bytes > REST_MAX_BYTES {
            return;
        }
    }
}
