//! What the engine itself costs, with a model that answers at once: `cargo bench -p think`.
//!
//! Every chunk is committed to a real file before it is sent, as in the product.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run shall stop at once")]

use db::Database;
use divan::Bencher;
use divan::counter::ItemsCount;
use futures::StreamExt;
use model::{LanguageModel, ModelError, ModelRequest, ModelStream, Script, ScriptedModel};
use protocol::{ChatBody, ClientFrame, Message, RequestInit, Role};
use session::NewSession;
use std::sync::Arc;
use testkit::{FakeClock, TempDatabase, temp_database};
use think::{AgentSpec, ConnectOptions, Connection, Engine, ModelSource, World};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// How a model gives its tokens.
#[derive(Debug, Clone, Copy)]
enum Pace {
    /// All at once: the engine may store and send many together.
    Flood,
    /// One by one: each is stored and sent by itself.
    Trickle,
}

struct Paced(ScriptedModel, Pace);

impl ModelSource for Paced {
    fn model(&self, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Ok(Arc::new(Self(self.0.clone(), self.1)))
    }
}

impl LanguageModel for Paced {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        let events = self.0.call(request);
        match self.1 {
            Pace::Flood => events,
            Pace::Trickle => events.then(one_by_one).boxed(),
        }
    }
}

async fn one_by_one<T>(event: T) -> T {
    tokio::task::yield_now().await;
    event
}

struct Stage {
    runtime: Runtime,
    engine: Engine,
    _file: TempDatabase,
}

fn stage(tokens: usize, pace: Pace) -> Stage {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (engine, file) = runtime.block_on(async {
        let file = temp_database().await;
        (engine(&file.db, tokens, pace).await, file)
    });
    Stage { runtime, engine, _file: file }
}

async fn engine(db: &Database, tokens: usize, pace: Pace) -> Engine {
    let script = (0..tokens).fold(Script::new(), |script, _| script.text("token ")).stop();
    let model = ScriptedModel::answering(move |_| script.clone());
    let spec = AgentSpec::new("assistant", "bench/model", Arc::new(Paced(model, pace)));
    let world = World { clock: Arc::new(FakeClock::at(1)), ids: Arc::new(db::UuidSource) };
    Engine::start(Arc::new(spec), "default".into(), db.clone(), world).await.unwrap()
}

impl Stage {
    async fn session(&self) -> protocol::SessionId {
        self.engine.create_session(NewSession::default()).await.unwrap().id
    }

    async fn tab(&self, session: &protocol::SessionId) -> Connection {
        self.engine.connect(session, ConnectOptions { window: Some(50) }).await.unwrap()
    }

    /// One whole chat in a session of its own, heard by this many tabs; returns when the last one heard the end.
    async fn chat(&self, tabs: usize) {
        let session = self.session().await;
        let mut listeners = Vec::new();
        for _ in 0..tabs {
            listeners.push(self.tab(&session).await);
        }
        if let Some(first) = listeners.first() {
            first.handle(submit()).await.unwrap();
        }
        futures::future::join_all(listeners.into_iter().map(until_end)).await;
    }
}

fn submit() -> ClientFrame {
    let messages = vec![Message::text("u1", Role::User, "hello")];
    let body = serde_json::to_string(&ChatBody { messages, ..ChatBody::default() }).ok();
    ClientFrame::ChatRequest { id: "r1".into(), init: RequestInit { method: "POST".into(), body } }
}

async fn until_end(tab: Connection) {
    hear(tab, |frame| frame.starts_with(br#"{"type":"bough_turn""#)).await;
}

/// Hears frames until one fits.
async fn hear(mut tab: Connection, fits: impl Fn(&[u8]) -> bool) {
    while let Some(batch) = tab.receive().await {
        if batch.iter().any(|frame| fits(frame)) {
            return;
        }
    }
}

#[divan::bench(args = [Pace::Flood, Pace::Trickle], sample_count = 10)]
fn one_chat_flat_out(bencher: Bencher<'_, '_>, pace: Pace) {
    const TOKENS: usize = 20_000;
    let stage = stage(TOKENS, pace);
    bencher.counter(ItemsCount::new(TOKENS)).bench(|| stage.runtime.block_on(stage.chat(1)));
}

#[divan::bench(args = [Pace::Flood, Pace::Trickle], sample_count = 5)]
fn fifty_chats_flat_out(bencher: Bencher<'_, '_>, pace: Pace) {
    const TOKENS: usize = 2_000;
    let stage = stage(TOKENS, pace);
    let all = || futures::future::join_all((0..50).map(|_| stage.chat(1)));
    bencher.counter(ItemsCount::new(50 * TOKENS)).bench(|| stage.runtime.block_on(all()));
}

#[divan::bench(args = [Pace::Flood, Pace::Trickle], sample_count = 10)]
fn one_producer_twenty_tabs(bencher: Bencher<'_, '_>, pace: Pace) {
    const TOKENS: usize = 2_000;
    let stage = stage(TOKENS, pace);
    bencher.counter(ItemsCount::new(20 * TOKENS)).bench(|| stage.runtime.block_on(stage.chat(20)));
}

/// From the request to the first text: everything the engine adds to the model's own time.
#[divan::bench(sample_count = 100)]
fn first_token(bencher: Bencher<'_, '_>) {
    let stage = stage(1, Pace::Trickle);
    let prepared = || {
        stage.runtime.block_on(async {
            let session = stage.session().await;
            let mut tab = stage.tab(&session).await;
            let _greeting = tab.receive().await;
            tab
        })
    };
    bencher.with_inputs(prepared).bench_values(|tab| {
        stage.runtime.block_on(async {
            tab.handle(submit()).await.unwrap();
            hear(tab, |frame| has(frame, b"text-delta")).await;
        });
    });
}

fn has(frame: &[u8], needle: &[u8]) -> bool {
    frame.windows(needle.len()).any(|window| window == needle)
}

/// A tab that comes back after a long answer: everything again, or only the last tenth.
#[divan::bench(args = [0, 9_000], sample_count = 20)]
fn resume_ten_thousand_chunks(bencher: Bencher<'_, '_>, from_seq: u64) {
    const TOKENS: usize = 10_000;
    let stage = stage(TOKENS, Pace::Trickle);
    let session = stage.runtime.block_on(async {
        let session = stage.session().await;
        let tab = stage.tab(&session).await;
        tab.handle(submit()).await.unwrap();
        until_end(tab).await;
        session
    });
    let prepared = || stage.runtime.block_on(stage.tab(&session));
    bencher.with_inputs(prepared).bench_values(|tab| {
        stage.runtime.block_on(async {
            let ack = ClientFrame::ResumeAck { id: "r1".into(), from_seq: Some(from_seq) };
            tab.handle(ack).await.unwrap();
            hear(tab, |frame| has(frame, br#""done":true"#)).await;
        });
    });
}
