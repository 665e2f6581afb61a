//! What every actor of one instance shares.

use crate::actor::{Command, captured, consent};
use crate::agent::{AgentSpec, SearchAccess, SessionSetup};
use crate::aside::Summariser;
use crate::error::ThinkError;
use crate::family::{Configured, Family};
use crate::hub::Hub;
use crate::schedules::Schedules;
use crate::store::Store;
use crate::stream::log::StreamLog;
use crate::submissions::Submissions;
use crate::tools::search::SearchTool;
use crate::tools::{Tool, toolbox};
use db::{Clock, IdSource};
use protocol::{ServerFrame, SessionId, SessionInfo, ToolSpec};
use session::{
    Context, ContextConfig, Protect, RecallRoom, Session, SessionError, SessionManager, SessionOptions,
    SummaryCompaction, Trigger,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tokens at the end that stay as they are where a summary is pressed for.
const PRESSED_TAIL: u64 = 2_000;

/// Time and names, passed in.
#[derive(Debug, Clone)]
pub struct World {
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

/// What prompts are made from besides messages.
struct Setup {
    /// As the agent has configured it.
    sessions: SessionSetup,
    options: SessionOptions,
    /// The agent's blocks; their frozen prompt lies in the file, where every handle finds it.
    blocks: ContextConfig,
    /// Counts what changes prompts other than messages: whoever keeps something of them looks here first.
    changes: Arc<AtomicU64>,
    /// For the messages that prompts remember.
    recall: RecallRoom,
}

/// What runs beside the sessions: submissions and schedules.
#[derive(Debug, Default)]
pub(crate) struct Background {
    /// Held by the one who runs submissions.
    pub(crate) slot: tokio::sync::Mutex<()>,
    /// Cancelled when the instance stops.
    pub(crate) stopping: CancellationToken,
    /// Tasks that run as long as the instance is open.
    standing: AtomicUsize,
}

impl Background {
    /// Counts a task that runs as long as the instance is open.
    pub(crate) fn stands(&self) {
        let _before = self.standing.fetch_add(1, Ordering::Relaxed);
    }

    /// How many such tasks there are.
    pub(crate) fn standing(&self) -> usize {
        self.standing.load(Ordering::Relaxed)
    }
}

pub(crate) struct Shared {
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) instance: String,
    pub(crate) sessions: SessionManager,
    pub(crate) log: StreamLog,
    pub(crate) store: Store,
    pub(crate) world: World,
    pub(crate) hub: Arc<Hub>,
    setup: Setup,
    /// Owns every task of the instance.
    pub(crate) tasks: TaskTracker,
    pub(crate) background: Background,
    /// The mailbox of each running actor; none once the instance stops.
    actors: Arc<Mutex<Actors>>,
    /// The other agents of the instance.
    pub(crate) family: Family,
}

/// What the agents of one instance have in common.
#[derive(Clone)]
struct Common {
    instance: String,
    stores: (SessionManager, StreamLog, Store),
    world: World,
    hub: Arc<Hub>,
    context_changes: Arc<AtomicU64>,
    recall: RecallRoom,
    tasks: TaskTracker,
    actors: Arc<Mutex<Actors>>,
}

type Actors = Option<HashMap<SessionId, mpsc::Sender<Command>>>;

impl Shared {
    /// The instance's own agent, and those below it.
    pub(crate) fn new(
        mut configured: Configured,
        instance: String,
        stores: (SessionManager, StreamLog, Store),
        world: World,
    ) -> Arc<Self> {
        let common = Common {
            instance,
            stores,
            world,
            hub: Arc::default(),
            context_changes: Arc::default(),
            recall: RecallRoom::default(),
            tasks: TaskTracker::new(),
            actors: Arc::new(Mutex::new(Some(HashMap::new()))),
        };
        let make = |configured, family| Self::of_agent(configured, family, &common);
        Arc::new_cyclic(|root| {
            let family = Family::grow(root, Vec::new(), &mut configured, &make);
            make(configured, family)
        })
    }

    fn of_agent(configured: Configured, family: Family, common: &Common) -> Self {
        let Configured { spec, sessions: configured, .. } = configured;
        let Common { instance, stores, world, hub, context_changes, recall, tasks, actors } = common.clone();
        let (sessions, log, store) = stores;
        let setup = Setup {
            options: options(configured.compact_after, &hub),
            blocks: configured.context.clone().with_cached_prompt(),
            sessions: configured,
            changes: context_changes,
            recall,
        };
        Self {
            spec,
            instance,
            sessions,
            log,
            store,
            world,
            hub,
            setup,
            tasks,
            background: Background::default(),
            actors,
            family,
        }
    }

    pub(crate) fn submissions(&self) -> Submissions {
        self.store.submissions()
    }

    pub(crate) fn schedules(&self) -> Schedules {
        self.store.schedules()
    }

    pub(crate) fn context_changes(&self) -> u64 {
        self.setup.changes.load(Ordering::Acquire)
    }

    pub(crate) fn recall_room(&self) -> &RecallRoom {
        &self.setup.recall
    }

    /// The server's tools that a turn which begins now may call.
    pub(crate) fn toolbox(&self) -> Vec<Arc<dyn Tool>> {
        toolbox(&self.own_tools(), self.spec.tool_source.as_deref())
    }

    /// Those of them that are the agent's own, and what comes with the engine; they come first.
    pub(crate) fn own_tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = self.spec.agent.get_tools(&self.spec);
        match self.setup.sessions.search {
            SearchAccess::Offered => tools.push(Arc::new(SearchTool(self.sessions.session_search()))),
            SearchAccess::Withheld => {}
        }
        tools
    }

    /// How sessions are set up.
    pub(crate) fn setup(&self) -> &SessionSetup {
        &self.setup.sessions
    }

    /// What the browser of a session offered last.
    pub(crate) async fn stored_client_tools(&self, id: &SessionId) -> Result<Vec<ToolSpec>, ThinkError> {
        Ok(self.store.get(&captured::tools_key(id)).await?.unwrap_or_default())
    }

    /// Tools that a person agreed to once for all calls of a session.
    pub(crate) async fn approved_tools(&self, id: &SessionId) -> Result<Vec<String>, ThinkError> {
        Ok(self.store.get(&consent::consent_key(id)).await?.unwrap_or_default())
    }

    /// Tells open tabs of a session what its transcript is now. Where no actor runs there is no tab, and where its
    /// mailbox is full the end of the turn tells it.
    pub(crate) fn tell_transcript(&self, id: &SessionId) {
        if let Some(mailbox) = self.actors().as_ref().and_then(|actors| actors.get(id)) {
            let _full = mailbox.try_send(Command::Tell);
        }
    }

    /// A block, or a frozen prompt, is different now.
    pub(crate) fn context_changed(&self) {
        let _before = self.setup.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// A handle on a session that knows who writes its summaries; none if there is no such session.
    pub(crate) async fn session(&self, id: &SessionId) -> Result<Option<Session>, SessionError> {
        Ok(self.sessions.session(id).await?.map(|session| self.protecting(session, Protect::default())))
    }

    /// The same session, of which a summary takes whatever it can: for people who ask for one, and for prompts that a
    /// provider has refused as too long.
    pub(crate) fn pressed(&self, session: Session) -> Session {
        self.protecting(session, Protect { head: 1, tail_tokens: PRESSED_TAIL, min_tail: 2 })
    }

    fn protecting(&self, session: Session, protect: Protect) -> Session {
        let summariser = Summariser::new(&self.spec, &self.sessions, session.id());
        let compaction = SummaryCompaction::new(summariser).protect(protect);
        session.with_options(self.setup.options.clone().on_compaction(compaction))
    }

    /// The blocks that the agent defines.
    pub(crate) fn blocks(&self) -> &ContextConfig {
        &self.setup.blocks
    }

    /// The blocks of a session, as the agent defines them.
    pub(crate) fn context(&self, session: &Session) -> Context {
        session.context(&self.setup.blocks)
    }

    /// Names the running instance in this process.
    pub(crate) fn number(&self) -> usize {
        Arc::as_ptr(&self.hub).addr()
    }

    pub(crate) fn now(&self) -> u64 {
        self.world.clock.now_ms()
    }

    /// Never held across an await.
    pub(crate) fn actors(&self) -> MutexGuard<'_, Actors> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's row with its running mark. While a turn runs nobody is waited for: what is stored may be answered
    /// already, or belong to the turn.
    pub(crate) fn marked(&self, mut info: SessionInfo) -> SessionInfo {
        info.is_running = self.hub.is_busy(&info.id);
        info.waiting = info.waiting.filter(|_| !info.is_running);
        info.is_waiting = info.waiting.is_some();
        info
    }

    /// Tells every socket of the instance what the session's row is now. Nobody depends on this frame: a failure to
    /// read the row is logged and the next change tells it again.
    pub(crate) async fn announce_session(&self, id: &SessionId) {
        match self.sessions.get(id).await {
            Ok(Some(info)) => {
                self.hub.announce(&ServerFrame::SessionChanged { session: self.marked(info) });
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(session.id = %id, error = %ThinkError::from(error), "a session's row cannot be read");
            }
        }
    }
}

/// What all sessions have in common. Nobody needs to know how full a context is that is never compacted by itself.
fn options(compact_after: Option<u64>, hub: &Arc<Hub>) -> SessionOptions {
    let hub = Arc::clone(hub);
    let tell = move |id: &SessionId, event| hub.tell_event(id, event);
    let options = SessionOptions::default().trigger(Trigger::WhenAsked);
    match compact_after {
        Some(tokens) => options.compact_after(tokens).observe(tell),
        None => options.observe_compactions(tell),
    }
}
