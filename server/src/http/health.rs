//! Is the process alive, and does it take requests?

use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;

/// Always 200: the process runs and answers.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// 200 while requests are taken, 503 once the server is stopping.
pub(crate) async fn ready(State(state): State<AppState>) -> (StatusCode, &'static str) {
    if state.stopping.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else {
        (StatusCode::OK, "ready\n")
    }
}
