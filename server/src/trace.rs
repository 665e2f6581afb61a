//! One line of log for each request: its number, method, route and outcome. Never an address with names in it, a
//! header or a body.

use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::{Request, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tower_http::classify::{ServerErrorsAsFailures, SharedClassifier};
use tower_http::trace::{MakeSpan, OnResponse, TraceLayer};
use tracing::Span;

/// The layer.
pub(crate) fn layer()
-> TraceLayer<SharedClassifier<ServerErrorsAsFailures>, Numbered, (), Outcome, (), (), ()> {
    TraceLayer::new_for_http()
        .make_span_with(Numbered::default())
        .on_request(())
        .on_response(Outcome)
        .on_body_chunk(())
        .on_eos(())
        .on_failure(())
}

/// Gives each request a number, to find its lines by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbered(Arc<AtomicU64>);

impl MakeSpan<Body> for Numbered {
    fn make_span(&mut self, request: &Request<Body>) -> Span {
        let id = self.0.fetch_add(1, Ordering::Relaxed);
        let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
        tracing::info_span!("request", request.id = id, method = %request.method(), route)
    }
}

/// Tells how it went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome;

impl<B> OnResponse<B> for Outcome {
    fn on_response(self, response: &Response<B>, took: Duration, _span: &Span) {
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(status = response.status().as_u16(), took_ms, "a request was answered");
    }
}
