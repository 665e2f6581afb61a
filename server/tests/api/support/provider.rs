//! An OpenAI-compatible endpoint that plays a script, records what it is asked, and notices when a caller leaves.

use super::within;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// One step of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// A piece of text.
    Text(String),
    /// A tool call: id, name, arguments.
    Tool(&'static str, &'static str, Value),
    /// Wait for [`Provider::release`].
    Hold,
    /// Break the connection.
    Die,
    /// An error in the middle of the stream.
    Error(&'static str),
    /// These bytes, as they are.
    Raw(Vec<u8>),
    /// The end, without what usually comes last; only as the last piece.
    End,
    /// Answer with this status and no stream; only as the first piece.
    Status(u16),
}

/// One recorded call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) body: Value,
    pub(crate) authorization: Option<String>,
}

impl Call {
    /// Who says what, the system prompt first.
    pub(crate) fn said(&self) -> Vec<(String, String)> {
        let messages = self.body["messages"].as_array().cloned().unwrap_or_default();
        let text = |content: &Value| match content.as_array() {
            Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            None => content.as_str().map_or_else(|| content.to_string(), str::to_owned),
        };
        messages
            .iter()
            .map(|it| (it["role"].as_str().unwrap_or("?").to_owned(), text(&it["content"])))
            .collect()
    }
}

/// The endpoint; gone when dropped.
pub(crate) struct Provider {
    /// For `BOUGH_OPENAI_BASE_URL`.
    pub(crate) base_url: String,
    shared: Arc<Shared>,
    _server: JoinSet<()>,
}

struct Shared {
    scripts: Mutex<VecDeque<Vec<Piece>>>,
    calls: watch::Sender<Vec<Call>>,
    left: watch::Sender<usize>,
    /// Answers that are being given.
    open: watch::Sender<usize>,
    gate: Semaphore,
    /// Answers where no script is left.
    answer: OnceLock<Answer>,
}

type Answer = fn(&Value) -> Vec<Piece>;

/// Lives as long as the answer's body; counts a caller that leaves before the script is over.
struct Presence {
    shared: Arc<Shared>,
    is_over: AtomicBool,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.shared.open.send_modify(|open| *open -= 1);
        if !self.is_over.load(Ordering::Relaxed) {
            self.shared.left.send_modify(|left| *left += 1);
        }
    }
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared {
            scripts: Mutex::default(),
            calls: watch::Sender::default(),
            left: watch::Sender::default(),
            open: watch::Sender::default(),
            gate: Semaphore::new(0),
            answer: OnceLock::new(),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/models", get(async || axum::Json(json!({"object": "list", "data": [{"id": "m1"}]}))))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        let _task = server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base_url, shared, _server: server }
    }

    /// What the next call without a script plays. A call that nobody wrote a script for fails.
    pub(crate) fn play(&self, script: impl IntoIterator<Item = Piece>) {
        self.shared.scripts.lock().unwrap().push_back(script.into_iter().collect());
    }

    /// What every call without a script plays.
    pub(crate) fn answer(&self, answer: Answer) {
        let _first = self.shared.answer.set(answer);
    }

    /// Plays these texts and ends.
    pub(crate) fn say(&self, texts: impl IntoIterator<Item = impl Into<String>>) {
        self.play(texts.into_iter().map(|text| Piece::Text(text.into())));
    }

    /// Lets one [`Piece::Hold`] go on.
    pub(crate) fn release(&self) {
        self.shared.gate.add_permits(1);
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.shared.calls.borrow().clone()
    }

    /// Waits until there have been so many calls.
    pub(crate) async fn called(&self, count: usize) {
        let mut calls = self.shared.calls.subscribe();
        let _seen = within("a call", calls.wait_for(|calls| calls.len() >= count)).await.unwrap();
    }

    /// Waits until no answer is being given any more.
    pub(crate) async fn at_rest(&self) {
        let mut open = self.shared.open.subscribe();
        let _none = within("every call to end", open.wait_for(|open| *open == 0)).await.unwrap();
    }

    /// Waits until so many callers have left in the middle.
    pub(crate) async fn left(&self, count: usize) {
        let mut left = self.shared.left.subscribe();
        let _seen = within("the call to be dropped", left.wait_for(|left| *left >= count)).await.unwrap();
    }
}

async fn complete(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: axum::Json<Value>,
) -> Response {
    let authorization = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let scripted = shared.scripts.lock().unwrap().pop_front();
    let script = scripted.or_else(|| shared.answer.get().map(|answer| answer(&body.0)));
    shared.calls.send_modify(|calls| calls.push(Call { body: body.0, authorization }));
    let Some(script) = script else {
        return (StatusCode::NOT_IMPLEMENTED, "no script").into_response();
    };
    if let Some(Piece::Status(status)) = script.first() {
        let error = axum::Json(json!({"error": {"message": "scripted"}}));
        return (StatusCode::from_u16(*status).unwrap(), error).into_response();
    }
    let is_cut = script.iter().any(|piece| matches!(piece, Piece::Die | Piece::Error(_) | Piece::End));
    let calls_tools = script.iter().any(|piece| matches!(piece, Piece::Tool(..)));
    let reason = if calls_tools { "tool_calls" } else { "stop" };
    let end = [event(&choice(&json!({}), Some(reason))), "data: [DONE]\n\n".to_owned()];
    let end = stream::iter(end.into_iter().filter(move |_| !is_cut).map(|text| Ok(Bytes::from(text))));
    shared.open.send_modify(|open| *open += 1);
    let presence = Arc::new(Presence { shared: Arc::clone(&shared), is_over: AtomicBool::new(false) });
    let pieces = stream::iter(script).then(move |piece| play(Arc::clone(&shared), piece)).chain(end);
    let body = Body::from_stream(pieces.map(move |piece| {
        let is_last = piece.as_ref().map_or(true, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            text.is_empty() || text.contains("[DONE]") || text.contains("\"error\"")
        });
        presence.is_over.fetch_or(is_last, Ordering::Relaxed);
        piece
    }));
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn play(shared: Arc<Shared>, piece: Piece) -> Result<Bytes, std::io::Error> {
    let text = match piece {
        Piece::Text(text) => event(&choice(&json!({"content": text}), None)),
        Piece::Tool(id, name, arguments) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": id, "type": "function", "function": function});
            event(&choice(&json!({"tool_calls": [call]}), None))
        }
        Piece::Hold => {
            shared.gate.acquire().await.unwrap().forget();
            ": held\n\n".to_owned()
        }
        Piece::Die => return Err(std::io::Error::other("scripted")),
        Piece::Error(text) => event(&json!({"error": {"message": text}})),
        Piece::Raw(bytes) => return Ok(Bytes::from(bytes)),
        Piece::Status(_) | Piece::End => String::new(),
    };
    Ok(Bytes::from(text))
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "choices": [{
        "index": 0, "delta": delta, "finish_reason": finish_reason,
    }]})
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
