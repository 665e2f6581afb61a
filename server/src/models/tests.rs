//! Which model a server takes that was told nothing.

use super::*;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A clock that is always there already, and knows how long it was waited for.
#[derive(Debug, Default)]
struct Hurried(Mutex<Vec<u64>>);

impl Clock for Hurried {
    fn now_ms(&self) -> u64 {
        0
    }

    fn reached<'a>(&'a self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.0.lock().unwrap().push(at_ms);
        Box::pin(std::future::ready(()))
    }
}

/// A server of this machine that lists its model only after it was asked so often. It goes with the tasks.
async fn machine(silent: usize, tasks: &mut JoinSet<()>) -> ProviderConfig {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let list = move || {
        let is_silent = asked.fetch_add(1, Ordering::SeqCst) < silent;
        async move {
            if is_silent {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
            Json(json!({ "data": [{ "id": "m" }] })).into_response()
        }
    };
    let app = Router::new().route("/v1/models", get(list));
    let _handle = tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
    ProviderConfig::custom("near", &base_url, None)
}

fn models(local: ProviderConfig, default: DefaultModel) -> Models {
    let mut options = RegistryOptions::new(entropy(), Now::new(|| 0));
    options.local = vec![local];
    let registry = Arc::new(Registry::new(Vec::new(), &options).unwrap());
    let first_listed = FirstListed { registry: Arc::clone(&registry), found: Arc::default() };
    Models { registry, first_listed: Arc::new(first_listed), default, configured: Vec::new() }
}

fn of_machine() -> DefaultModel {
    DefaultModel::OfMachine(OnceLock::new())
}

#[tokio::test]
async fn a_machine_is_looked_at_ever_less_often_until_it_has_a_model() {
    let mut tasks = JoinSet::new();
    let (models, clock) = (models(machine(8, &mut tasks).await, of_machine()), Hurried::default());
    models.settle().await;
    assert_eq!((models.default_name().as_str(), models.default_alias()), (GUIDE, OF_MACHINE));
    assert!(!models.makes_titles(OF_MACHINE));
    models.keep_looking(&clock).await;
    let pauses = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000];
    assert_eq!(*clock.0.lock().unwrap(), pauses);
    assert_eq!((models.default_name().as_str(), models.default_alias()), ("near/m", OF_MACHINE));
    assert_eq!(models.model(OF_MACHINE).unwrap().name(), "near/m");
    assert!(models.makes_titles(OF_MACHINE));
    // The guide is there for whoever chose it.
    assert!(!models.makes_titles(GUIDE));
    assert_eq!(models.model(GUIDE).unwrap().name(), GUIDE);
}

#[tokio::test]
async fn whoever_asks_for_the_list_finds_it_too() {
    let mut tasks = JoinSet::new();
    let models = models(machine(1, &mut tasks).await, of_machine());
    models.settle().await;
    assert_eq!(models.model(OF_MACHINE).unwrap().name(), GUIDE);
    let list = models.list().await;
    assert_eq!((list.default.as_str(), models.model(OF_MACHINE).unwrap().name()), ("near/m", "near/m"));
}

#[tokio::test]
async fn what_somebody_named_is_not_looked_for() {
    let mut tasks = JoinSet::new();
    let named = DefaultModel::Named("acme/x".into());
    let (models, clock) = (models(machine(0, &mut tasks).await, named), Hurried::default());
    models.keep_looking(&clock).await;
    let _list = models.list().await;
    assert_eq!((models.default_name().as_str(), clock.0.lock().unwrap().len()), ("acme/x", 0));
}
