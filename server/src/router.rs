//! Every address of the server, on one page.

use crate::auth::room::{LOGIN, LOGOUT};
use crate::auth::{Auth, door, page};
use crate::error::AppError;
use crate::guard::{self, Guard};
use crate::http::{
    agent, approvals, blocks, branches, compactions, doctor, exchange, health, logins, messages, metrics,
    models, openapi, prompt, render, search, sessions, shelves, skills, submissions, trash, versions,
};
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
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The whole router: what `base` says comes before every address.
pub(crate) fn router(state: AppState, guard: Guard, base: &str) -> Router {
    let (api, description) = api(base);
    let inside = Router::new()
        .merge(api)
        .route("/api/v1/openapi.json", get(async || axum::Json(description)))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::exposition))
        .route(LOGIN, get(page::show).post(page::sign_in))
        .route(LOGOUT, post(page::sign_out))
        .route("/agents/{agent}/{name}", get(ws::open))
        .route("/agents/{agent}/{name}/get-messages", get(messages::whole));
    let inside = pages(inside).fallback(elsewhere).method_not_allowed_fallback(wrong_method);
    let outside = match base {
        "" => inside,
        base => Router::new()
            .route("/", get(Redirect::temporary(&format!("{base}/"))))
            .route(&format!("{base}/"), get(ssr::page))
            .nest(base, inside)
            .fallback(async || AppError::no_such_page()),
    };
    let auth = Arc::clone(&state.auth);
    layered(outside.with_state(state), auth, guard)
}

/// The JSON API, and its description.
fn api(base: &str) -> (Router<AppState>, OpenApi) {
    let all = OpenApiRouter::new()
        .routes(routes!(render::draw))
        .routes(routes!(logins::list))
        .routes(routes!(logins::end));
    let api = OpenApiRouter::new().nest("/api/v1/agents/{agent}/{name}", instance()).nest("/api/v1", all);
    let (api, description) = api.split_for_parts();
    (api.layer(CompressionLayer::new()), openapi::complete(description, base))
}

/// The JSON API of an agent instance.
fn instance() -> OpenApiRouter<AppState> {
    // Scripts that know a message's id may leave the session to the query.
    let api = conversations().nest("/sessions/{id}", message()).merge(message()).merge(context());
    api.routes(routes!(search::find))
        .routes(routes!(models::list))
        .routes(routes!(agent::read))
        .routes(routes!(submissions::submit, submissions::list))
        .routes(routes!(submissions::read, submissions::delete))
        .routes(routes!(submissions::cancel))
        .routes(routes!(doctor::examine))
        .routes(routes!(exchange::export))
        .routes(routes!(exchange::import))
        .routes(routes!(doctor::repair))
}

fn conversations() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(sessions::list, sessions::create))
        .routes(routes!(sessions::read, sessions::change, sessions::delete))
        .routes(routes!(sessions::usage))
        .routes(routes!(shelves::restore))
        .routes(routes!(shelves::pin))
        .routes(routes!(shelves::unpin))
        .routes(routes!(shelves::archive))
        .routes(routes!(shelves::unarchive))
        .routes(routes!(shelves::purge))
        .routes(routes!(branches::tree))
        .routes(routes!(branches::choose))
        .routes(routes!(branches::fork))
        .routes(routes!(branches::clear))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::take_back))
        .routes(routes!(trash::list))
        .routes(routes!(trash::purge))
        .routes(routes!(messages::window))
        .routes(routes!(compactions::compact))
        .routes(routes!(compactions::split))
        .routes(routes!(compactions::list))
        .routes(routes!(compactions::edit, compactions::delete))
}

fn message() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(messages::edit, messages::delete))
        .routes(routes!(messages::dismiss))
        .routes(routes!(messages::pin))
        .routes(routes!(messages::unpin))
        .routes(routes!(trash::restore))
}

fn context() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(blocks::list, blocks::create))
        .routes(routes!(blocks::read, blocks::write, blocks::delete))
        .routes(routes!(versions::list))
        .routes(routes!(versions::read))
        .routes(routes!(versions::diff))
        .routes(routes!(versions::restore))
        .routes(routes!(skills::list))
        .routes(routes!(skills::unload))
        .routes(routes!(prompt::report))
        .routes(routes!(prompt::refresh))
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
fn layered(router: Router, auth: Arc<Auth>, guard: Guard) -> Router {
    let header = |name, value| SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value));
    router
        .layer(DefaultBodyLimit::max(limits::API_BODY_MAX_BYTES))
        .layer(from_fn_with_state(auth, door::check))
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
