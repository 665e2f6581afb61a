//! New ids, as something that is passed in: the only place that draws them.

use std::fmt::Debug;
use uuid::Uuid;

/// Makes ids. Everything that needs new ones takes an `Arc<dyn IdSource>`.
pub trait IdSource: Debug + Send + Sync {
    /// An id nobody has had before.
    fn new_id(&self) -> String;
}

/// UUIDs of version 7: they sort by the time they were made.
#[derive(Debug, Clone, Copy, Default)]
pub struct UuidSource;

impl IdSource for UuidSource {
    #[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
    fn new_id(&self) -> String {
        Uuid::now_v7().to_string()
    }
}
