//! What is logged.

use super::sources::{Sources, invalid};
use super::{ConfigError, Environment};
use tracing_subscriber::EnvFilter;

/// What is logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// `RUST_LOG`, else `log`: directives of `tracing_subscriber`'s filter.
    pub filter: String,
}

impl LogConfig {
    pub(super) fn from_sources(sources: &Sources, environment: &Environment) -> Result<Self, ConfigError> {
        let configured = sources.find("log")?.map(|found| found.value);
        let filter = environment.get("RUST_LOG").map(str::to_owned).or(configured);
        let filter = filter.unwrap_or_else(|| "info".to_owned());
        match EnvFilter::builder().parse(&filter) {
            Ok(_) => Ok(Self { filter }),
            Err(problem) => Err(invalid("log", format!("{filter:?} is not a filter: {problem}"))),
        }
    }
}
