//! A model that says what the agent's own code has prepared, once.

use model::{LanguageModel, ModelRequest, ModelStream};
use std::sync::{Mutex, PoisonError};

/// Streams are not `Sync`; the lock is only held to take it out.
pub(super) struct Prepared(Mutex<Option<ModelStream>>);

impl Prepared {
    pub(super) fn new(events: ModelStream) -> Self {
        Self(Mutex::new(Some(events)))
    }
}

impl LanguageModel for Prepared {
    fn name(&self) -> &'static str {
        "agent/events"
    }

    fn call(&self, _request: ModelRequest) -> ModelStream {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        events.unwrap_or_else(|| Box::pin(futures::stream::empty()))
    }
}
