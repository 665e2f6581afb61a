//! Pages: the app rendered here, whole, before any script runs.
//!
//! The page asks for its data through [`Backend`], learns where it lives from [`Boot`], and says through
//! [`PageStatus`] that something is not there. Every page carries a policy that runs only its own scripts.

use crate::auth::Caller;
use crate::backend::EngineBackend;
use crate::error::AppError;
use any_spawner::Executor;
use app::{Backend, Boot, PageStatus};
use axum::body::{Body, to_bytes};
use axum::extract::{OriginalUri, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use db::Clock;
use leptos::config::LeptosOptions;
use leptos::context::{provide_context, use_context};
use leptos::nonce::use_nonce;
use leptos_axum::ResponseOptions;
use protocol::ErrorCode;
use std::num::NonZero;
use std::sync::Arc;
use tokio_util::task::LocalPoolHandle;

/// The addresses that the app has pages for, in the router's notation. They are written down here, and compared with
/// the app's own by a test, because asking the app at the start runs it once and stops every other page of the
/// process from loading anything meanwhile.
pub(crate) const PAGES: [&str; 3] = ["/", "/s/{id}", "/settings/{section}"];

/// How pages are rendered.
pub(crate) struct Pages {
    /// What leptos must know about the front end's files.
    pub(crate) options: LeptosOptions,
    /// The page's port.
    pub(crate) backend: Arc<EngineBackend>,
    /// The first facts, without what cookies and the clock add to them.
    pub(crate) boot: Boot,
    /// What a model is called by now.
    pub(crate) settled: Arc<dyn Fn(&str) -> String + Send + Sync>,
    /// What time it is.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where a page that cargo-leptos watches listens for news of a new build.
    pub(crate) reload_port: Option<u16>,
    /// The threads that make pages.
    pub(crate) makers: LocalPoolHandle,
}

/// As many threads that make pages as the machine runs at once.
pub(crate) fn makers() -> LocalPoolHandle {
    LocalPoolHandle::new(std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// Tells the app's reactive system, which is one for the whole process, where its tasks run. Needed once before the
/// first page; doing it again changes nothing.
pub(crate) fn start_reactive_system() {
    if Executor::init_tokio().is_err() {
        tracing::debug!("the reactive system had been started before");
    }
}

/// One page. It is made to its end even where the browser goes away meanwhile: tasks of the reactive system render
/// pieces of it, and what they read must not go before they are done. So the page is also read to its end here, which
/// is where the reactive system tidies up after it.
///
/// All tasks of one page run on one thread. The reactive system tries its locks and does not wait for them: a signal
/// that another thread writes at that moment cannot be read, which it takes for a signal that has gone, and panics.
///
/// A page shows whatever its caller may see, so nobody gets one whom the door has not let in.
pub(crate) async fn page(State(pages): State<Arc<Pages>>, request: Request) -> Response {
    if request.extensions().get::<Caller>().is_none() {
        return AppError::no_such_page().into_response();
    }
    let makers = pages.makers.clone();
    let made = makers.spawn_pinned(move || render(pages, request)).await;
    made.unwrap_or_else(|_| {
        AppError::new(ErrorCode::Internal, "a defect of the server; its log says more").into_response()
    })
}

async fn render(pages: Arc<Pages>, request: Request) -> Response {
    let options = pages.options.clone();
    let context = move || pages.provide();
    let render = leptos_axum::render_app_async_with_context(context, move || app::shell(options.clone()));
    let (mut parts, body) = render(with_original_uri(request)).await.into_parts();
    let no_cache = HeaderValue::from_static("no-cache");
    let _none = parts.headers.insert(CACHE_CONTROL, no_cache);
    match to_bytes(body, usize::MAX).await {
        Ok(whole) => Response::from_parts(parts, Body::from(whole)),
        Err(error) => AppError::new(ErrorCode::Internal, error.to_string()).into_response(),
    }
}

/// The page that says that there is no such page.
pub(crate) async fn missing_page(state: State<Arc<Pages>>, request: Request) -> Response {
    let mut response = page(state, request).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

impl Pages {
    /// Gives the page being rendered its contexts and its response its policy.
    fn provide(&self) {
        let parts = use_context::<Parts>();
        let cookies = parts.as_ref().and_then(|parts| parts.headers.get(COOKIE)?.to_str().ok());
        let model = (self.settled)(&self.boot.model);
        let is_signed_in = parts
            .as_ref()
            .is_some_and(|parts| matches!(parts.extensions.get::<Caller>(), Some(Caller::Person(_))));
        let boot = Boot { now: self.clock.now_ms(), model, is_signed_in, ..self.boot.clone() };
        provide_context(boot.with_cookies(cookies.unwrap_or_default()));
        provide_context::<Arc<dyn Backend>>(Arc::clone(&self.backend) as Arc<dyn Backend>);
        let Some(response) = use_context::<ResponseOptions>() else { return };
        if let Some(policy) = self.policy() {
            response.insert_header(CONTENT_SECURITY_POLICY, policy);
        }
        provide_context(PageStatus::new(move |code| {
            if let Ok(status) = StatusCode::from_u16(code) {
                response.set_status(status);
            }
        }));
    }

    fn policy(&self) -> Option<HeaderValue> {
        let nonce = use_nonce()?;
        let reload = self.reload_port.map(|port| format!(" ws://localhost:{port} ws://127.0.0.1:{port}"));
        let reload = reload.unwrap_or_default();
        let policy = format!(
            "default-src 'self'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
             style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'{reload}; object-src 'none'; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        );
        HeaderValue::try_from(policy).ok()
    }
}

/// Nesting below a base path takes it off the address; the app routes by the whole one.
fn with_original_uri(mut request: Request) -> Request<Body> {
    if let Some(OriginalUri(uri)) = request.extensions().get::<OriginalUri>().cloned() {
        *request.uri_mut() = uri;
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DataConfig, SiteConfig};
    use crate::instances::Instances;
    use db::{SystemClock, UuidSource};
    use leptos_axum::generate_route_list_with_exclusions_and_ssg_and_context;
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use think::World;
    use tokio::runtime::Handle;

    fn pages() -> Arc<Pages> {
        let world = World { clock: Arc::new(SystemClock), ids: Arc::new(UuidSource) };
        let instances = Arc::new(Instances::new(Vec::new(), DataConfig::default(), world));
        let site = SiteConfig {
            root: PathBuf::new(),
            output_name: "bough".to_owned(),
            pkg_dir: "pkg".to_owned(),
            hash_files: false,
            reload_port: None,
        };
        Arc::new(Pages {
            options: site.leptos_options(),
            backend: Arc::new(EngineBackend::new(instances, "assistant", "default", Handle::current())),
            boot: Boot::new("", "builtin/guide", 0),
            settled: Arc::new(str::to_owned),
            clock: Arc::new(SystemClock),
            reload_port: None,
            makers: makers(),
        })
    }

    #[tokio::test]
    async fn every_page_of_the_app_has_a_route_and_there_are_no_others() {
        let (pages, options) = (pages(), pages().options.clone());
        let shell = move || app::shell(options.clone());
        let (listed, _) =
            generate_route_list_with_exclusions_and_ssg_and_context(shell, None, move || pages.provide());
        let listed: BTreeSet<&str> = listed.iter().map(|listing| listing.path()).collect();
        assert_eq!(listed, BTreeSet::from(PAGES));
    }
}
