//! What every actor of one instance shares.

use crate::actor::Command;
use crate::agent::AgentSpec;
use crate::aside::Summariser;
use crate::error::ThinkError;
use crate::hub::Hub;
use crate::store::Store;
use crate::stream::log::StreamLog;
use db::{Clock, IdSource};
use protocol::{ServerFrame, SessionId, SessionInfo};
use session::{
    Context, Protect, Session, SessionError, SessionManager, SessionOptions, SummaryCompaction, Trigger,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
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

pub(crate) struct Shared {
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) instance: String,
    pub(crate) sessions: SessionManager,
    pub(crate) log: StreamLog,
    pub(crate) store: Store,
    pub(crate) world: World,
    pub(crate) hub: Arc<Hub>,
    options: SessionOptions,
    /// Counts what changes prompts other than messages: whoever keeps something of them looks here first.
    context_changes: AtomicU64,
    /// Owns every task of the instance.
    pub(crate) tasks: TaskTracker,
    /// The mailbox of each running actor; none once the instance stops.
    actors: Mutex<Option<HashMap<SessionId, mpsc::Sender<Command>>>>,
}

type Actors = Option<HashMap<SessionId, mpsc::Sender<Command>>>;

impl Shared {
    pub(crate) fn new(
        spec: Arc<AgentSpec>,
        instance: String,
        stores: (SessionManager, StreamLog, Store),
        world: World,
    ) -> Self {
        let (sessions, log, store) = stores;
        let (tasks, actors) = (TaskTracker::new(), Mutex::new(Some(HashMap::new())));
        let hub = Arc::new(Hub::default());
        let options = options(spec.sessions.compact_after, &hub);
        Self {
            spec,
            instance,
            sessions,
            log,
            store,
            world,
            hub,
            options,
            context_changes: AtomicU64::new(0),
            tasks,
            actors,
        }
    }

    /// A block, or a frozen prompt, is different now.
    pub(crate) fn context_changed(&self) {
        let _before = self.context_changes.fetch_add(1, Ordering::AcqRel);
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
        session.with_options(self.options.clone().on_compaction(compaction))
    }

    /// The blocks of a session, as the agent defines them.
    pub(crate) fn context(&self, session: &Session) -> Context {
        session.context(&self.spec.sessions.context)
    }

    pub(crate) fn now(&self) -> u64 {
        self.world.clock.now_ms()
    }

    /// Never held across an await.
    pub(crate) fn actors(&self) -> MutexGuard<'_, Actors> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's row with its running mark.
    pub(crate) fn marked(&self, mut info: SessionInfo) -> SessionInfo {
        info.is_running = self.hub.is_busy(&info.id);
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
    let tell = move |id: &SessionId, event| hub.tell(id, &ServerFrame::from(event));
    let options = SessionOptions::default().trigger(Trigger::WhenAsked);
    match compact_after {
        Some(tokens) => options.compact_after(tokens).observe(tell),
        None => options.observe_compactions(tell),
    }
}
