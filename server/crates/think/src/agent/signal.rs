//! How code beside a turn learns that nobody wants its result any more.

use tokio_util::sync::CancellationToken;

/// Raised when a turn is stopped, fails or is forgotten. Cheap to clone.
///
/// What a hook awaits is dropped at that moment anyway; the signal is for work that it has started elsewhere.
#[derive(Debug, Clone, Default)]
pub struct AbortSignal(CancellationToken);

impl AbortSignal {
    /// Not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it, for ever.
    pub fn abort(&self) {
        self.0.cancel();
    }

    /// Whether it was raised.
    pub fn is_aborted(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is raised. Cancel-safe.
    pub async fn aborted(&self) {
        self.0.cancelled().await;
    }
}
