//! Where chance comes from. This crate makes none itself, so that tests know what comes next.

use std::fmt;
use std::sync::Arc;

/// A source of random numbers: for waits between retries, and for the ids of calls that a provider does not name.
#[derive(Clone)]
pub struct Entropy(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Entropy {
    /// Draws from `source`, whose numbers should be spread over all of `u64`.
    pub fn new(source: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// The same number each time, for tests.
    pub fn fixed(number: u64) -> Self {
        Self::new(move || number)
    }

    pub(crate) fn draw(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy")
    }
}
