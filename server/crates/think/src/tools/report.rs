//! What a tool shows before it is done: preliminary results, each in the place of the one before.

use protocol::{ToolCallId, limits};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// A preliminary result of a call.
pub(crate) type Report = (ToolCallId, Value);

/// Where a running call shows what it has so far. Cheap to clone; who only has the result needs none.
#[derive(Debug, Clone)]
pub struct Reporter {
    to: Option<(ToolCallId, mpsc::Sender<Report>)>,
    sent: Arc<AtomicUsize>,
}

impl Reporter {
    pub(crate) fn new(call: ToolCallId, to: mpsc::Sender<Report>) -> Self {
        Self { to: Some((call, to)), sent: Arc::default() }
    }

    /// One that nobody listens to.
    pub fn deaf() -> Self {
        Self { to: None, sent: Arc::default() }
    }

    /// Shows what there is so far; waits while others are being shown. Beyond [`limits::TOOL_REPORTS_MAX`], or
    /// [`limits::TOOL_OUTPUT_MAX_BYTES`], nothing is shown before the result.
    pub async fn report(&self, output: Value) {
        let Some((call, to)) = &self.to else { return };
        let is_one_too_many = self.sent.fetch_add(1, Ordering::Relaxed) >= limits::TOOL_REPORTS_MAX;
        if !is_one_too_many && output.to_string().len() <= limits::TOOL_OUTPUT_MAX_BYTES {
            let _turn_is_over = to.send((call.clone(), output)).await;
        }
    }
}
