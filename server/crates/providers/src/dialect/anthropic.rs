//! Messages as Anthropic defined them. Failures need no reading of their own: their types and words are among those
//! that `error` knows.

mod known;
mod request;
mod stream;

use super::call_ids::CallIds;
use super::exchange::{Dialect, Link, Provider, Speaker};
use super::quirks::Quirks;
use crate::http::Target;
pub(crate) use known::context_window;
use model::ModelRequest;
use std::sync::Arc;
use stream::Decoder;

/// Under this name reasoning keeps what Anthropic wants to see again.
const METADATA: &str = "anthropic";

/// The dialect.
#[derive(Debug)]
struct Anthropic;

/// A provider that speaks it.
pub(crate) fn provider(link: Link) -> Arc<dyn Provider> {
    Arc::new(Speaker::new(Anthropic, link, Quirks::default()))
}

impl Dialect for Anthropic {
    type Decoder = Decoder;

    const PATH: &'static str = "messages";

    fn body(&self, request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
        request::body(request, model, quirks)
    }

    fn decoder(&self, target: &Target, ids: CallIds) -> Decoder {
        Decoder::new(target.clone(), ids)
    }
}
