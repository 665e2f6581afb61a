//! Logging: lines on stderr for people. What is logged has ids, never content, keys or addresses of people.

use crate::config::LogConfig;
use tracing_subscriber::EnvFilter;

/// Starts logging for this process. A second call changes nothing.
pub fn start(config: &LogConfig) {
    let filter = EnvFilter::new(&config.filter);
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if subscriber.with_ansi(false).with_target(false).try_init().is_err() {
        tracing::debug!("logging had been started before");
    }
}
