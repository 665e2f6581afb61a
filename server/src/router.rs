//! Every address of the server, on one page.

use crate::error::AppError;
use crate::guard::{self, Guard};
use crate::http::{health, messages, sessions};
use crate::ssr;
use crate::state::AppState;
use crate::trace;
use crate::ws;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::http::header::{REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use protocol::{ErrorCode, limits};
use std::any::Any;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The whole router: what `base` says comes before every address.
pub(crate) fn router(state: AppState, guard: Guard, base: &str) -> Router {
    let inside = Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/agents/{agent}/{name}", get(ws::open))
        .route("/agents/{agent}/{name}/get-messages", get(messages::whole))
        .nest("/api/v1/agents/{agent}/{name}", api());
    let inside = pages(inside).fallback(elsewhere).method_not_allowed_fallback(wrong_method);
    let outside = match base {
        "" => inside,
        base => Router::new()
            .route("/", get(Redirect::temporary(&format!("{base}/"))))
            .route(&format!("{base}/"), get(ssr::page))
            .nest(base, inside)
            .fallback(async || AppError::no_such_page()),
    };
    layered(outside.with_state(state), guard)
}

fn api() -> Router<AppState> {
    Router::new()
        .route("/sessions", get(sessions::list).post(sessions::create))
        .route("/sessions/{id}", get(sessions::read).patch(sessions::rename).delete(sessions::delete))
        .route("/sessions/{id}/restore", post(sessions::restore))
        .route("/sessions/{id}/messages", get(messages::window))
        .layer(CompressionLayer::new())
}

fn pages(router: Router<AppState>) -> Router<AppState> {
    ssr::PAGES.into_iter().fold(router, |router, path| router.route(path, get(ssr::page)))
}

/// What has no route: a file of the site, an unknown address of the API, or an unknown page.
async fn elsewhere(State(state): State<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    let is_reading = request.method() == Method::GET || request.method() == Method::HEAD;
    if !is_reading || path.starts_with("/api/") || path.starts_with("/agents/") {
        AppError::no_such_page().into_response()
    } else if state.assets.is_file(path) {
        state.assets.file(request).await
    } else {
        ssr::missing_page(State(FromRef::from_ref(&state)), request).await
    }
}

async fn wrong_method() -> AppError {
    AppError::wrong_method()
}

/// What every request passes, the outermost last.
fn layered(router: Router, guard: Guard) -> Router {
    let header = |name, value| SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value));
    router
        .layer(DefaultBodyLimit::max(limits::API_BODY_MAX_BYTES))
        .layer(CatchPanicLayer::custom(on_panic))
        .layer(from_fn_with_state(Arc::new(guard), guard::check))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(REFERRER_POLICY, "no-referrer"))
        .layer(header(CROSS_ORIGIN_OPENER_POLICY, "same-origin"))
        .layer(header(CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"))
        .layer(trace::layer())
}

fn on_panic(_what: Box<dyn Any + Send>) -> Response {
    AppError::new(ErrorCode::Internal, "a defect of the server; its log says more").into_response()
}
