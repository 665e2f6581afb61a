//! Counts for Prometheus, in its text format. Numbers only: no name of a session, no word of a conversation.

use crate::error::AppError;
use crate::guard::is_loopback;
use crate::state::AppState;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::response::{IntoResponse, Response};
use metrics::gauge;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::runtime::Handle;

/// The version of the text format that the exporter writes.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Begins to count. The process has one place where counts go to; none if it is taken, as where several servers run in
/// one process.
pub(crate) fn start() -> Option<PrometheusHandle> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).ok().map(|()| handle)
}

/// The counts, for callers who address this very machine; a proxy that passes on the name it is asked by shows nothing.
pub(crate) async fn exposition(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let Some(recorder) = state.recorder.as_ref().filter(|_| host.is_some_and(is_loopback)) else {
        return AppError::no_such_page().into_response();
    };
    measure(&state);
    ([(CONTENT_TYPE, TEXT_FORMAT)], recorder.render()).into_response()
}

/// What is not counted as it happens.
fn measure(state: &AppState) {
    let now = |name: &'static str, number: usize| {
        gauge!(name).set(u32::try_from(number).unwrap_or(u32::MAX));
    };
    now("bough_sockets_open", state.sockets.len());
    now("bough_instances_open", state.instances.count());
    now("bough_tasks_alive", Handle::current().metrics().num_alive_tasks());
}
