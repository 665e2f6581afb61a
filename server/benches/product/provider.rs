//! A model server that does what the question says: `flood 20000`, `paced 250 20`, `hold 10000`.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Events of one write when everything is sent at once.
const PER_WRITE: usize = 64;

/// The model server.
pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    pub(crate) shared: Arc<Shared>,
}

/// What the answers need.
pub(crate) struct Shared {
    /// Stamps of paced tokens count from here.
    pub(crate) epoch: Instant,
    /// Lets held answers end.
    pub(crate) release: Notify,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared { epoch: Instant::now(), release: Notify::new() });
        let router = Router::new()
            .route("/v1/models", get(async || axum::Json(json!({ "data": [{ "id": "scripted" }] }))))
            .route("/v1/chat/completions", post(answer))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // It runs as long as the benchmark.
        let _runs = tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, body: String) -> Response {
    let request: Value = serde_json::from_str(&body).unwrap();
    let last = request["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let question = last["content"].as_str().map_or_else(|| last["content"].to_string(), str::to_owned);
    let words: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches('"')).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(1_usize);
    let body = match words.first().copied().unwrap_or_default() {
        "paced" => paced(shared, number(1), Duration::from_millis(number(2) as u64)),
        "hold" => {
            let held = async move { shared.release.notified().await };
            let rest = stream::once(held).map(|()| String::new());
            Body::from_stream(flood(number(1)).chain(rest).chain(end()).map(ok))
        }
        _ => Body::from_stream(flood(number(1)).chain(end()).map(ok)),
    };
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

#[expect(clippy::unnecessary_wraps, reason = "bodies are made from results")]
fn ok(text: String) -> Result<Bytes, std::io::Error> {
    Ok(Bytes::from(text))
}

fn token(text: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
    )
}

fn flood(count: usize) -> impl futures::Stream<Item = String> + Send {
    let writes = count.div_ceil(PER_WRITE);
    stream::iter((0..writes).map(move |write| {
        let tokens = PER_WRITE.min(count - write * PER_WRITE);
        (0..tokens).map(|_| token(" word")).collect()
    }))
}

fn end() -> impl futures::Stream<Item = String> + Send {
    let finish = json!({ "id": "c", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
                         "usage": { "prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18 } });
    stream::once(async move { format!("data: {finish}\n\ndata: [DONE]\n\n") })
}

/// Each token says when it was sent, in microseconds since the epoch of the provider.
fn paced(shared: Arc<Shared>, count: usize, every: Duration) -> Body {
    let ticks = stream::unfold((0, tokio::time::interval(every)), move |(sent, mut interval)| {
        let shared = Arc::clone(&shared);
        async move {
            if sent == count {
                return None;
            }
            let _now = interval.tick().await;
            let stamp = shared.epoch.elapsed().as_micros();
            Some((token(&format!(" @{stamp}")), (sent + 1, interval)))
        }
    });
    Body::from_stream(ticks.chain(end()).map(ok))
}
