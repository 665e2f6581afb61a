//! A provider made of scripts: it answers each request with the next reply, keeps the request, and knows when the
//! caller goes away.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, stream};
use model::contract::CANCEL_LIMIT;
use model::{LanguageModel, ModelError, ModelEvent, ModelRequest};
use providers::{Entropy, HttpSettings, Now, ProviderConfig, Registry, RegistryOptions, RetryPolicy, Secret};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The key that every test uses and no message may show.
pub(crate) const KEY: &str = "sk-test-0123456789";

/// Only waited for where nothing comes, so a slow machine changes no result.
const SOON: Duration = Duration::from_millis(60);

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// One answer.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    beats: Vec<Beat>,
}

/// One piece of an answer's body.
#[derive(Clone)]
enum Beat {
    Bytes(Vec<u8>),
    /// Nothing more, without an end.
    Hold,
    /// The connection breaks.
    Break,
}

impl Reply {
    fn new(status: u16, kind: &str) -> Self {
        Self { status, headers: vec![("content-type", kind.to_owned())], beats: vec![] }
    }

    /// A stream of events with nothing in it yet.
    pub(crate) fn stream() -> Self {
        Self::new(200, "text/event-stream")
    }

    /// A stream of these documents, an event each.
    pub(crate) fn events<'a>(documents: impl IntoIterator<Item = &'a Value>) -> Self {
        documents.into_iter().fold(Self::stream(), |reply, document| reply.event(document))
    }

    /// A JSON answer.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json").raw(body.to_string())
    }

    /// Any other answer.
    pub(crate) fn page(status: u16, kind: &str, body: &str) -> Self {
        Self::new(status, kind).raw(body)
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// One more event.
    pub(crate) fn event(self, document: &Value) -> Self {
        self.raw(format!("data: {document}\n\n"))
    }

    /// The last line of a complete stream.
    pub(crate) fn done(self) -> Self {
        self.raw("data: [DONE]\n\n")
    }

    /// Bytes in one piece.
    pub(crate) fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.beats.push(Beat::Bytes(bytes.into()));
        self
    }

    /// Bytes in pieces of one.
    pub(crate) fn byte_by_byte(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |reply, byte| reply.raw(vec![*byte]))
    }

    /// Nothing more comes, and the answer does not end.
    pub(crate) fn hold(mut self) -> Self {
        self.beats.push(Beat::Hold);
        self
    }

    /// The connection breaks here.
    pub(crate) fn cut(mut self) -> Self {
        self.beats.push(Beat::Break);
        self
    }
}

/// A chunk with this delta.
pub(crate) fn delta(delta: &Value) -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta }] })
}

/// A chunk with this text.
pub(crate) fn said(text: &str) -> Value {
    delta(&json!({ "content": text }))
}

/// The chunk that ends an answer for this reason.
pub(crate) fn finished(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// A whole good answer.
pub(crate) fn hello() -> Reply {
    Reply::events([&said("Hello"), &finished("stop")]).done()
}

/// What [`hello`] means.
pub(crate) fn hello_events() -> Vec<Result<ModelEvent, ModelError>> {
    text_events("Hello")
}

/// An answer of one text in one piece.
pub(crate) fn text_events(text: &str) -> Vec<Result<ModelEvent, ModelError>> {
    let id = || "text-0".to_owned();
    let reason = model::FinishReason::Stop;
    vec![
        Ok(ModelEvent::TextStart { id: id() }),
        Ok(ModelEvent::TextDelta { id: id(), delta: text.to_owned() }),
        Ok(ModelEvent::TextEnd { id: id() }),
        Ok(ModelEvent::Finish { reason }),
    ]
}

/// A running server. It ends when this is dropped.
pub(crate) struct Fixture {
    pub(crate) base_url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    /// How many callers went away before their answer was over.
    gone: watch::Sender<usize>,
    /// How many answers are being given.
    open: watch::Sender<usize>,
}

impl Fixture {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let shared = Arc::new(Shared::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let mut tasks = JoinSet::new();
        let _task = tasks.spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        let fixture = Self { base_url, shared, _tasks: tasks };
        fixture.then(replies);
        fixture
    }

    /// More replies.
    pub(crate) fn then(&self, replies: impl IntoIterator<Item = Reply>) {
        self.shared.replies.lock().expect("no test panics here").extend(replies);
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().expect("no test panics here").clone()
    }

    /// Waits until `count` callers went away before their answer was over.
    pub(crate) async fn wait_for_gone(&self, count: usize) {
        let mut gone = self.shared.gone.subscribe();
        let _count = gone.wait_for(|gone| *gone >= count).await.expect("the server runs");
    }

    /// Waits until no answer is being given any more: every call has let go of its connection, the end of an
    /// answer that never ends included.
    pub(crate) async fn wait_for_rest(&self) {
        let mut open = self.shared.open.subscribe();
        let rest = open.wait_for(|open| *open == 0);
        let _none = tokio::time::timeout(5 * CANCEL_LIMIT, rest).await.expect("a call is left open");
    }

    /// This server as a provider called `acme`.
    pub(crate) fn config(&self) -> ProviderConfig {
        ProviderConfig::custom("acme", &self.base_url, Secret::new(KEY))
    }

    /// A model of it.
    pub(crate) fn model(&self) -> Arc<dyn LanguageModel> {
        registry(self.config(), &options()).model("acme/m-1").expect("acme is configured")
    }
}

/// No pause between retries, no local servers.
pub(crate) fn options() -> RegistryOptions {
    RegistryOptions {
        retry: RetryPolicy { base: Duration::ZERO, ..RetryPolicy::default() },
        guide_pause: Duration::ZERO,
        local: vec![],
        ..RegistryOptions::new(Entropy::fixed(7), Now::new(|| 0))
    }
}

/// Options under which nothing is tried again.
pub(crate) fn once() -> RegistryOptions {
    RegistryOptions { retry: RetryPolicy { retries: 0, ..RetryPolicy::default() }, ..options() }
}

/// Options under which silence after the first event is noticed soon.
pub(crate) fn impatient() -> RegistryOptions {
    RegistryOptions { http: HttpSettings { idle_timeout: SOON, ..HttpSettings::default() }, ..once() }
}

/// Options under which silence before the first event is noticed soon.
pub(crate) fn hasty() -> RegistryOptions {
    RegistryOptions { http: HttpSettings { first_byte_timeout: SOON, ..HttpSettings::default() }, ..once() }
}

pub(crate) fn registry(config: ProviderConfig, options: &RegistryOptions) -> Registry {
    Registry::new(vec![config], options).expect("a good configuration")
}

/// The whole answer to `request`.
pub(crate) async fn ask(
    model: &Arc<dyn LanguageModel>,
    request: ModelRequest,
) -> Vec<Result<ModelEvent, ModelError>> {
    let items: Vec<_> = model.call(request).collect().await;
    assert_eq!(model::contract::check_grammar(&items), Ok(()));
    for error in items.iter().filter_map(|item| item.as_ref().err()) {
        assert!(!format!("{error:?}").contains(KEY), "a key in {error:?}");
    }
    items
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.expect("a whole request");
    let seen = Seen {
        path: head.uri.path().to_owned(),
        headers: head.headers,
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    };
    shared.seen.lock().expect("no test panics here").push(seen);
    let reply = shared.replies.lock().expect("no test panics here").pop_front();
    let Some(reply) = reply else {
        return (StatusCode::IM_A_TEAPOT, "no reply is left").into_response();
    };
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    response.body(Body::from_stream(play(reply.beats, shared))).expect("a good response")
}

fn play(beats: Vec<Beat>, shared: Arc<Shared>) -> impl Stream<Item = io::Result<Bytes>> {
    shared.open.send_modify(|open| *open += 1);
    let playback = Playback { beats: beats.into(), shared };
    stream::unfold(playback, async |mut playback| {
        // Lets what was sent before go out on its own.
        tokio::task::yield_now().await;
        if let Some(Beat::Hold) = playback.beats.front() {
            futures::future::pending::<()>().await;
        }
        let item = match playback.beats.pop_front()? {
            Beat::Bytes(bytes) => Ok(Bytes::from(bytes)),
            Beat::Break | Beat::Hold => Err(io::Error::other("as the script says")),
        };
        Some((item, playback))
    })
}

/// Dropped with beats left, the caller went away.
struct Playback {
    beats: VecDeque<Beat>,
    shared: Arc<Shared>,
}

impl Drop for Playback {
    fn drop(&mut self) {
        self.shared.open.send_modify(|open| *open -= 1);
        if !self.beats.is_empty() {
            self.shared.gone.send_modify(|gone| *gone += 1);
        }
    }
}
