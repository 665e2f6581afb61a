//! How a page says over HTTP that something is not there, without knowing the HTTP server.

use leptos::prelude::use_context;
use std::fmt;
use std::sync::Arc;

/// Sets the HTTP status of the page that is being rendered.
///
/// The server gives one as context to every page; in the browser there is none and nothing happens.
#[derive(Clone)]
pub struct PageStatus(Arc<dyn Fn(u16) + Send + Sync>);

impl PageStatus {
    /// A status that `set` carries to the response.
    pub fn new(set: impl Fn(u16) + Send + Sync + 'static) -> Self {
        Self(Arc::new(set))
    }
}

impl fmt::Debug for PageStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageStatus")
    }
}

/// Says that what this address names does not exist.
pub(crate) fn not_found() {
    set(404);
}

/// Says that the store behind the page failed.
pub(crate) fn unavailable() {
    set(503);
}

fn set(code: u16) {
    if let Some(PageStatus(set)) = use_context() {
        set(code);
    }
}
