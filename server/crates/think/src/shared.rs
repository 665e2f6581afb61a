//! What every actor of one instance shares.

use crate::actor::Command;
use crate::agent::AgentSpec;
use crate::error::ThinkError;
use crate::hub::Hub;
use crate::store::Store;
use crate::stream::log::StreamLog;
use db::{Clock, IdSource};
use protocol::{ServerFrame, SessionId, SessionInfo};
use session::SessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

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
    pub(crate) hub: Hub,
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
        let (hub, tasks, actors) = (Hub::default(), TaskTracker::new(), Mutex::new(Some(HashMap::new())));
        Self { spec, instance, sessions, log, store, world, hub, tasks, actors }
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
