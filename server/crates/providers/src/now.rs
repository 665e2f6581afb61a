//! What time it is, told from outside, for refusals that name a moment.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A source of the time.
#[derive(Clone)]
pub struct Now(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Now {
    /// `source` gives milliseconds since 1970.
    pub fn new(source: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    pub(crate) fn since_epoch(&self) -> Duration {
        Duration::from_millis((self.0)())
    }
}

impl fmt::Debug for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Now")
    }
}
