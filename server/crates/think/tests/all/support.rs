//! The stage of every story: an engine, its model, and tabs.

use async_trait::async_trait;
use db::{Clock, Database, IdSource};
use model::{ErrorClass, LanguageModel, ModelError, Script, ScriptedModel};
use protocol::{
    ChatBody, ChatResponse, Chunk, ClientFrame, Message, MessageId, RequestId, RequestInit, Role,
    ServerFrame, SessionId, Trigger, WireError,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{FakeClock, SeqIds, TempDatabase, left_database, temp_database};
use think::{
    Agent, AgentSpec, Batch, ChatOutcome, ConnectOptions, ConnectionReader, ConnectionSender, Engine,
    ModelSource, World,
};
use tokio::sync::Notify;

/// A story that hangs is broken; no story waits for this.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("never happened: {what}"))
}

struct OneModel(ScriptedModel);

impl ModelSource for OneModel {
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if name == "test/none" {
            return Err(ModelError::new(ErrorClass::UnknownModel, "there is no model test/none"));
        }
        Ok(Arc::new(self.0.clone()))
    }

    fn makes_titles(&self, name: &str) -> bool {
        name != "test/untitled"
    }
}

/// Keeps what the hook was told.
#[derive(Default, Clone)]
pub(crate) struct HookLog {
    outcomes: Arc<Mutex<Vec<ChatOutcome>>>,
    added: Arc<Notify>,
}

#[async_trait]
impl Agent for HookLog {
    async fn on_chat_response(&self, _engine: &Engine, outcome: ChatOutcome) {
        self.outcomes.lock().unwrap().push(outcome);
        self.added.notify_waiters();
    }
}

impl HookLog {
    /// How many hold it: an agent's code lives as long as anything of its instance does.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.outcomes)
    }

    pub(crate) fn all(&self) -> Vec<ChatOutcome> {
        self.outcomes.lock().unwrap().clone()
    }
}

pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) model: ScriptedModel,
    pub(crate) hooks: HookLog,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) file: TempDatabase,
    /// How often it was killed and started again.
    restarts: usize,
}

pub(crate) async fn stage(scripts: impl IntoIterator<Item = Script>) -> Stage {
    stage_with(ScriptedModel::new(scripts), |_| {}).await
}

pub(crate) async fn stage_with(model: ScriptedModel, change: impl FnOnce(&mut AgentSpec)) -> Stage {
    let file = temp_database().await;
    let clock = Arc::new(FakeClock::at(1_000_000));
    let hooks = HookLog::default();
    let engine = start(&file.db, (&model, &hooks, &clock), "s", change).await;
    Stage { engine, model, hooks, clock, file, restarts: 0 }
}

async fn start(
    db: &Database,
    (model, hooks, clock): (&ScriptedModel, &HookLog, &Arc<FakeClock>),
    prefix: &str,
    change: impl FnOnce(&mut AgentSpec),
) -> Engine {
    let mut spec = AgentSpec::new("assistant", "test/scripted", Arc::new(OneModel(model.clone())));
    spec.tools = think::tools::demo_tools();
    spec.agent = Arc::new(hooks.clone());
    change(&mut spec);
    let ids: Arc<dyn IdSource> = Arc::new(PrefixedIds(prefix.to_owned(), SeqIds::default()));
    let world = World { clock: Arc::clone(clock) as Arc<dyn Clock>, ids };
    Engine::start(Arc::new(spec), "default".into(), db.clone(), world).await.unwrap()
}

/// Ids that do not repeat after a restart.
#[derive(Debug)]
struct PrefixedIds(String, SeqIds);

impl IdSource for PrefixedIds {
    fn new_id(&self) -> String {
        format!("{}{}", self.0, self.1.new_id())
    }
}

impl Stage {
    /// A tab as the public client opens it.
    pub(crate) async fn tab(&self) -> Tab {
        self.tab_on("", None).await
    }

    /// A tab of our own page: it asks for a window.
    pub(crate) async fn page(&self) -> Tab {
        self.tab_on("", Some(50)).await
    }

    pub(crate) async fn tab_on(&self, session: &str, window: Option<usize>) -> Tab {
        tab_of(&self.engine, session, window).await
    }

    pub(crate) async fn history(&self) -> Vec<Message> {
        self.engine.messages(&SessionId::default()).await.unwrap().unwrap()
    }

    /// The active path as `id:text` words; generated ids are written `*`.
    pub(crate) async fn path(&self) -> String {
        words(&self.history().await)
    }

    /// What a second server would find if this one were killed now: an engine on a copy of the file.
    pub(crate) async fn after_kill(&self, scripts: impl IntoIterator<Item = Script>) -> Stage {
        self.after_kill_with(scripts, |_| {}).await
    }

    pub(crate) async fn after_kill_with(
        &self,
        scripts: impl IntoIterator<Item = Script>,
        change: impl FnOnce(&mut AgentSpec),
    ) -> Stage {
        let mut file = temp_database().await;
        let path = file.path();
        file.db.close().await.unwrap();
        for end in ["", "-wal", "-shm"] {
            let _absent = std::fs::remove_file(format!("{}{end}", path.display()));
        }
        sqlx::query("VACUUM INTO ?").bind(path.to_str()).execute(self.file.db.reader()).await.unwrap();
        file.reopen().await;
        self.started_on(file, ScriptedModel::new(scripts), change).await
    }

    /// What a second server would find if this one had been killed just after that transaction.
    pub(crate) async fn after_kill_at(&self, (log, cut): (&Log, usize), model: ScriptedModel) -> Stage {
        let file = left_database(&log.file, &log.frames[..cut]).await;
        self.started_on(file, model, |_| {}).await
    }

    async fn started_on(
        &self,
        file: TempDatabase,
        model: ScriptedModel,
        change: impl FnOnce(&mut AgentSpec),
    ) -> Stage {
        let hooks = HookLog::default();
        let restarts = self.restarts + 1;
        let prefix = "r".repeat(restarts);
        let engine = start(&file.db, (&model, &hooks, &self.clock), &prefix, change).await;
        Stage { engine, model, hooks, clock: Arc::clone(&self.clock), file, restarts }
    }

    pub(crate) async fn hook_calls(&self, count: usize) -> Vec<ChatOutcome> {
        loop {
            let added = self.hooks.added.notified();
            let outcomes = self.hooks.all();
            if outcomes.len() >= count {
                return outcomes;
            }
            soon("the hook", added).await;
        }
    }
}

/// Everything that was written to a file, transaction by transaction.
pub(crate) struct Log {
    /// The file itself.
    file: Vec<u8>,
    /// Its write-ahead log.
    frames: Vec<u8>,
}

impl Log {
    /// Of a server that does nothing just now.
    pub(crate) fn of(stage: &Stage) -> Self {
        let path = stage.file.path();
        let frames = std::fs::read(format!("{}-wal", path.display())).unwrap();
        Self { file: std::fs::read(path).unwrap(), frames }
    }

    /// Where each transaction ends: a frame of the log says so, and those of an older log have another salt.
    pub(crate) fn cuts(&self) -> Vec<usize> {
        let number = |at: usize| u32::from_be_bytes(self.frames[at..at + 4].try_into().unwrap());
        let (head, frame) = (32, 24 + usize::try_from(number(8)).unwrap());
        let frames = (head..).step_by(frame).take_while(|at| at + frame <= self.frames.len());
        let own = frames.take_while(|at| self.frames[at + 8..at + 16] == self.frames[16..24]);
        own.filter(|at| number(at + 4) > 0).map(|at| at + frame).collect()
    }
}

pub(crate) async fn tab_of(engine: &Engine, session: &str, window: Option<usize>) -> Tab {
    let connection = engine.connect(&session.into(), ConnectOptions { window }).await.unwrap();
    let (sender, reader) = connection.split();
    Tab { sender, reader, seen: Vec::new(), read: 0 }
}

pub(crate) fn words(messages: &[Message]) -> String {
    let word = |message: &Message| {
        let id = message.id.as_str();
        let id = if message.role == Role::Assistant && id.len() > 4 { "*" } else { id };
        format!("{id}:{}", message.plain_text())
    };
    messages.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// One open tab.
pub(crate) struct Tab {
    sender: ConnectionSender,
    reader: ConnectionReader,
    /// Everything heard so far.
    pub(crate) seen: Vec<ServerFrame>,
    /// How much of it `until` has given out.
    read: usize,
}

impl Tab {
    pub(crate) async fn say(&self, frame: ClientFrame) {
        self.sender.handle(frame).await.unwrap();
    }

    /// For a frame that may not be taken.
    pub(crate) async fn try_to_say(&self, frame: ClientFrame) -> Result<(), WireError> {
        self.sender.handle(frame).await
    }

    pub(crate) async fn submit(&self, id: &str, list: Vec<Message>) {
        self.request(id, ChatBody { messages: list, ..ChatBody::default() }).await;
    }

    pub(crate) async fn regenerate(&self, id: &str, list: Vec<Message>) {
        let trigger = Some(Trigger::RegenerateMessage);
        self.request(id, ChatBody { messages: list, trigger, ..ChatBody::default() }).await;
    }

    pub(crate) async fn request(&self, id: &str, body: ChatBody) {
        let init = RequestInit { method: "POST".into(), body: Some(serde_json::to_string(&body).unwrap()) };
        self.say(ClientFrame::ChatRequest { id: id.into(), init }).await;
    }

    pub(crate) async fn ack(&self, id: &str, from_seq: Option<u64>) {
        self.say(ClientFrame::ResumeAck { id: id.into(), from_seq }).await;
    }

    /// Hears frames until one fits; gives all since the last call, that one included.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        fits: impl Fn(&ServerFrame) -> bool,
    ) -> Vec<ServerFrame> {
        loop {
            let from = self.read;
            if let Some(at) = self.seen.iter().skip(from).position(&fits) {
                self.read = from + at + 1;
                return self.seen[from..self.read].to_vec();
            }
            self.hear(what).await;
        }
    }

    async fn hear(&mut self, what: &str) {
        let batch: Option<Batch> = soon(what, self.reader.receive()).await;
        let batch = batch.unwrap_or_else(|| panic!("closed before {what}: {:?}", self.reader.close_reason()));
        self.seen.extend(batch.iter().map(|text| serde_json::from_slice(text).unwrap()));
    }

    pub(crate) async fn until_turn_ends(&mut self, id: &str) -> Vec<ServerFrame> {
        self.until(
            &format!("the end of {id}"),
            |frame| matches!(frame, ServerFrame::Turn { id: ended, .. } if ended.as_str() == id),
        )
        .await
    }

    /// Hears until the text of the chunks of a request is at least this.
    pub(crate) async fn until_text(&mut self, id: &str, text: &str) {
        while !text_of(&self.seen, id).contains(text) {
            self.hear(&format!("{text:?} in {id}")).await;
        }
        self.read = self.seen.len();
    }

    /// What was heard and not yet looked at, once the actor has answered a call made after everything before.
    pub(crate) async fn rest(&mut self) -> Vec<ServerFrame> {
        self.say(ClientFrame::Rpc { id: "mark".into(), method: "mark".into(), args: Vec::new() }).await;
        let mut frames = self.until("the mark", |frame| matches!(frame, ServerFrame::Rpc(_))).await;
        let _mark = frames.pop();
        frames
    }

    /// The frames that came together.
    pub(crate) async fn batch(&mut self) -> Batch {
        soon("a batch", self.reader.receive()).await.unwrap()
    }

    pub(crate) async fn until_closed(&mut self) -> Option<think::CloseReason> {
        while soon("the close", self.reader.receive()).await.is_some() {}
        self.reader.close_reason()
    }
}

/// Hears the offer of the continuation, takes it, hears its end; gives what was heard and its request's id.
pub(crate) async fn take_continuation(tab: &mut Tab) -> (Vec<ServerFrame>, String) {
    let is_offer = |frame: &ServerFrame| matches!(frame, ServerFrame::Resuming { .. });
    let offer = tab.until("the offer", is_offer).await;
    let Some(ServerFrame::Resuming { id, .. }) = offer.last().cloned() else { panic!("{offer:?}") };
    tab.ack(id.as_str(), None).await;
    let mut frames = tab.until_turn_ends(id.as_str()).await;
    // The turn may end before the acknowledgement comes: the chunks then follow its end, as a replay.
    let is_replayed = |frame: &ServerFrame| match frame {
        ServerFrame::ChatResponse(it) => it.id == id.as_str() && it.replay && (it.done || it.replay_complete),
        _ => false,
    };
    if !frames.iter().any(is_replayed) {
        frames.extend(tab.until("the replay", is_replayed).await);
    }
    frames.extend(tab.rest().await);
    (frames, id.to_string())
}

pub(crate) fn responses(frames: &[ServerFrame], id: &str) -> Vec<ChatResponse> {
    let of_id = |frame: &ServerFrame| match frame {
        ServerFrame::ChatResponse(response) if response.id == id => Some(response.clone()),
        _ => None,
    };
    frames.iter().filter_map(of_id).collect()
}

pub(crate) fn chunks(frames: &[ServerFrame], id: &str) -> Vec<Chunk> {
    let bodies = responses(frames, id).into_iter().filter(|response| !response.error && !response.done);
    bodies.filter_map(|response| Chunk::from_body(&response.body)).collect()
}

pub(crate) fn text_of(frames: &[ServerFrame], id: &str) -> String {
    let delta = |chunk: Chunk| if let Chunk::TextDelta { delta, .. } = chunk { Some(delta) } else { None };
    chunks(frames, id).into_iter().filter_map(delta).collect()
}

/// A frame in a word or two.
pub(crate) fn frame_word(frame: &ServerFrame) -> String {
    match frame {
        ServerFrame::ChatResponse(response) => response_word(response),
        ServerFrame::Messages(list) => format!("messages[{}]", words(&list.messages)),
        ServerFrame::Resuming { id, .. } => format!("resuming {id}"),
        ServerFrame::ResumeNone { .. } => "none".into(),
        ServerFrame::Pending { .. } => "pending".into(),
        ServerFrame::Recovering { recovering, id } => {
            format!("recovering {recovering} {}", id.as_ref().map_or("?", RequestId::as_str))
        }
        ServerFrame::Identity { .. } => "identity".into(),
        ServerFrame::Error { error, .. } => format!("refused {:?}", error.code),
        ServerFrame::Turn { id, status, .. } => format!("turn {id} {status:?}"),
        ServerFrame::SessionChanged { .. } | ServerFrame::SessionRemoved { .. } => "session".into(),
        ServerFrame::Clear {} => "clear".into(),
        other => format!("{other:?}"),
    }
}

fn response_word(response: &ChatResponse) -> String {
    let kind = match (response.done, response.error, response.replay_complete) {
        (true, true, _) => "done+error",
        (true, false, _) => "done",
        (false, true, _) => "error",
        (false, false, true) => "replay complete",
        (false, false, false) => "chunk",
    };
    format!("{kind} {}", response.id)
}

/// Frames in words, chunks of one request joined, frames about the session list left out.
pub(crate) fn story(frames: &[ServerFrame]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in frames.iter().map(frame_word).filter(|word| word != "session") {
        if !(word.starts_with("chunk") && words.last() == Some(&word)) {
            words.push(word);
        }
    }
    words
}

/// Waits until nothing runs and nothing waits for its turn.
pub(crate) async fn until_quiet(stage: &Stage) {
    // What was promised before the start has its place in the line once the actor answers.
    stage.tab().await.rest().await;
    let quiet = async {
        while stage.engine.vitals().busy > 0 {
            tokio::task::yield_now().await;
        }
    };
    soon("all turns to end", quiet).await;
}

pub(crate) fn user(id: &str) -> Message {
    Message::text(id, Role::User, format!("say {id}"))
}

pub(crate) fn id_of(message: &Message) -> MessageId {
    message.id.clone()
}
