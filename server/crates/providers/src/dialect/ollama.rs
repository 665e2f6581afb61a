//! Chats as Ollama's own API has them. Unlike its OpenAI-compatible one it takes the size of the context, which is
//! otherwise cut at a few thousand tokens without a word.

mod request;
pub(super) mod stream;

use super::call_ids::CallIds;
use super::exchange::{Dialect, Link, Provider, Speaker};
use super::quirks::Quirks;
use crate::http::Target;
use model::ModelRequest;
use std::sync::Arc;
use stream::Decoder;

/// The dialect.
#[derive(Debug)]
struct Ollama;

/// A provider that speaks it.
pub(crate) fn provider(link: Link) -> Arc<dyn Provider> {
    Arc::new(Speaker::new(Ollama, link, Quirks::default()))
}

impl Dialect for Ollama {
    type Decoder = Decoder;

    const PATH: &'static str = "api/chat";

    fn body(&self, request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
        request::body(request, model, quirks)
    }

    fn decoder(&self, target: &Target, ids: CallIds) -> Decoder {
        Decoder::new(target.clone(), ids)
    }
}
