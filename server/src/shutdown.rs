//! How the process is told to stop: SIGINT (Ctrl+C) or SIGTERM once for an orderly end, twice for an end at once.

use tokio_util::sync::CancellationToken;

/// Waits for the first signal and begins the orderly end, then for the second and returns.
///
/// Safe to drop at any time; a signal that arrives while nobody waits is lost.
///
/// # Errors
/// If the system gives no signals to this process.
pub async fn on_signals(stopping: CancellationToken) -> std::io::Result<()> {
    let mut signals = Signals::new()?;
    signals.next().await;
    tracing::info!("stopping; a second signal stops at once");
    stopping.cancel();
    signals.next().await;
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "one shape on every platform")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
