//! Chat completions as OpenAI defined them and everybody else serves them.

mod request;
pub(super) mod stream;

use super::call_ids::CallIds;
use super::exchange::{Dialect, Link, Provider, Speaker};
use super::quirks::{Quirk, Quirks};
use crate::http::Target;
use model::ModelRequest;
use std::sync::Arc;
use stream::Decoder;

/// Whether reasoning goes back to the provider with the tool calls that it led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReasoningReplay {
    /// Only if the provider turns out to demand it.
    #[default]
    Never,
    /// Yes, unless the provider turns out to refuse it.
    WithToolCalls,
}

/// What `<think>…</think>` at the start of an answer's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThinkTags {
    /// Reasoning: servers without a parser for it leave the tags in the text.
    #[default]
    Reasoning,
    /// Text like any other.
    Text,
}

/// The dialect.
#[derive(Debug)]
struct OpenAi {
    tags: ThinkTags,
}

/// A provider that speaks it.
pub(crate) fn provider(link: Link, replay: ReasoningReplay, tags: ThinkTags) -> Arc<dyn Provider> {
    let quirks = match replay {
        ReasoningReplay::Never => Quirks::default(),
        ReasoningReplay::WithToolCalls => Quirks::default().with(Quirk::EchoReasoning),
    };
    Arc::new(Speaker::new(OpenAi { tags }, link, quirks))
}

impl Dialect for OpenAi {
    type Decoder = Decoder;

    const PATH: &'static str = "chat/completions";

    fn body(&self, request: &ModelRequest, model: &str, quirks: &Quirks) -> String {
        request::body(request, model, quirks)
    }

    fn decoder(&self, target: &Target, ids: CallIds) -> Decoder {
        Decoder::new(target.clone(), ids).with_tags(self.tags)
    }
}
