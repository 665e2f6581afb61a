//! How the process is told to stop: SIGINT (Ctrl+C) or SIGTERM once for an orderly end, twice for an end at once.

use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears the signals of this process from the moment it is made; those that come before anybody waits are kept.
pub struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Signals {
    /// Begins to hear. Until then a signal ends the process without ceremony.
    ///
    /// # Errors
    /// If the system gives no signals to this process.
    #[cfg(unix)]
    pub fn hear() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Begins to hear.
    ///
    /// # Errors
    /// None here.
    #[cfg(not(unix))]
    pub fn hear() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the first signal and begins the orderly end, then for the second and returns. Safe to drop.
    pub async fn obey(mut self, stopping: CancellationToken) {
        self.next().await;
        tracing::info!("stopping; a second signal stops at once");
        stopping.cancel();
        self.next().await;
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
