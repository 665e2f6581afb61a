//! The open agent instances: found by agent and name, opened when first asked for, closed when nobody has used them for
//! a while or the server stops.
//!
//! One engine and one file each. A file that cannot be opened is told to whoever asked for it, and tried again for
//! the next one; nobody else notices.

mod keeper;
mod slot;
#[cfg(test)]
pub(crate) mod tests;

pub use slot::Lease;

use crate::config::{DataConfig, is_name, name_rule};
use db::DbError;
use futures::future::join_all;
use protocol::{ErrorCode, WireError, limits};
use slot::{Instance, Slot};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::{AgentSpec, ThinkError, World};
use tokio::sync::Notify;
use tokio::time::Instant;

/// All instances of all agents.
pub struct Instances {
    agents: BTreeMap<String, Arc<AgentSpec>>,
    data: DataConfig,
    world: World,
    /// Most instances that are open at the same time.
    room: usize,
    /// Held only while a slot is looked up, never while a file is opened or closed.
    open: Mutex<Open>,
    /// Told whenever one is closed that will have something to do.
    owing: Notify,
}

/// Why an instance is not open.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// No agent has this name.
    #[error("there is no agent {0:?}")]
    UnknownAgent(String),
    /// The name cannot name an instance.
    #[error("an instance's name has {}", name_rule())]
    BadName,
    /// Too many are in use.
    #[error("{limit} agent instances are in use, which is the limit (INSTANCES_MAX)", limit = limits::INSTANCES_MAX)]
    TooMany,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
    /// Its file cannot be opened.
    #[error("{0}")]
    File(#[from] DbError),
    /// Its engine cannot start on that file.
    #[error("{}: {source}", file.display())]
    Engine {
        /// The file.
        file: PathBuf,
        /// Why.
        source: ThinkError,
    },
}

#[derive(Default)]
struct Open {
    slots: HashMap<Key, Arc<Slot>>,
    /// When instances that are closed have something to do by themselves, in milliseconds since 1970.
    due: BTreeMap<Key, u64>,
    is_stopping: bool,
}

/// An agent and an instance's name.
type Key = (String, String);

impl Instances {
    /// None open yet.
    pub fn new(agents: Vec<AgentSpec>, data: DataConfig, world: World) -> Self {
        let agents = agents.into_iter().map(|spec| (spec.name.clone(), Arc::new(spec)));
        Self {
            agents: agents.collect(),
            data,
            world,
            room: limits::INSTANCES_MAX,
            open: Mutex::default(),
            owing: Notify::new(),
        }
    }

    /// An instance, which stays open while the lease is kept; opened, and its interrupted turns recovered, if it was
    /// not open. Dropping the future leaves the opening to the next one who asks.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub async fn engine(&self, agent: &str, name: &str) -> Result<Lease, InstanceError> {
        let spec = self.agents.get(agent).ok_or_else(|| InstanceError::UnknownAgent(agent.to_owned()))?;
        if !is_name(name) {
            return Err(InstanceError::BadName);
        }
        let key = (agent.to_owned(), name.to_owned());
        let slot = self.slot(&key).await?;
        let lease = slot.lease(|| self.start(spec, name)).await;
        drop(slot);
        match lease {
            Ok(_) => drop(self.open().due.remove(&key)),
            Err(_) => {
                let _was_there = self.forget_empty(&key);
            }
        }
        lease
    }

    /// Stops every turn, keeping what had arrived, closes every connection, then every file.
    pub async fn shutdown(&self) {
        let slots = self.stop_opening();
        let closed = join_all(slots.iter().map(|slot| slot.retire())).await;
        for error in closed.into_iter().filter_map(Result::err) {
            tracing::warn!("a file was not closed in good order: {error}");
        }
    }

    /// How long nobody may use one before it is closed; none keeps all open.
    pub fn idle(&self) -> Option<Duration> {
        self.data.instance_idle
    }

    /// The data folder, which holds their files.
    pub fn folder(&self) -> &Path {
        &self.data.folder
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open().slots.len()
    }

    async fn start(&self, spec: &Arc<AgentSpec>, name: &str) -> Result<Instance, InstanceError> {
        Instance::start(spec, name, self.data.instance_file(&spec.name, name), self.world.clone()).await
    }

    /// The place of an instance. Where there is no room for another one, the one that was not used for the longest time
    /// is closed.
    async fn slot(&self, key: &Key) -> Result<Arc<Slot>, InstanceError> {
        if let Some(slot) = self.slot_now(key)? {
            return Ok(slot);
        }
        self.make_room().await;
        self.slot_now(key)?.ok_or(InstanceError::TooMany)
    }

    /// None where there is no room.
    fn slot_now(&self, key: &Key) -> Result<Option<Arc<Slot>>, InstanceError> {
        let mut open = self.open();
        if open.is_stopping {
            return Err(InstanceError::Stopping);
        }
        if let Some(slot) = open.slots.get(key) {
            return Ok(Some(Arc::clone(slot)));
        }
        if open.slots.len() >= self.room {
            return Ok(None);
        }
        Ok(Some(Arc::clone(
            open.slots.entry(key.clone()).or_insert_with(|| Arc::new(Slot::new(Instant::now()))),
        )))
    }

    /// Frees the place of an instance that is not open, unless somebody is opening it; whether it did.
    fn forget_empty(&self, key: &Key) -> bool {
        let mut open = self.open();
        let is_empty = |slot: &Arc<Slot>| Arc::strong_count(slot) == 1 && slot.is_empty();
        open.slots.get(key).is_some_and(is_empty) && open.slots.remove(key).is_some()
    }

    fn stop_opening(&self) -> Vec<Arc<Slot>> {
        let mut open = self.open();
        open.is_stopping = true;
        open.slots.drain().map(|(_, slot)| slot).collect()
    }

    /// Never held across an await; a panic elsewhere cannot leave it half changed.
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<&InstanceError> for WireError {
    fn from(error: &InstanceError) -> Self {
        let code = match error {
            InstanceError::UnknownAgent(_) | InstanceError::BadName => ErrorCode::UnknownAgent,
            InstanceError::TooMany => ErrorCode::Busy,
            InstanceError::Stopping => ErrorCode::ShuttingDown,
            InstanceError::File(_) | InstanceError::Engine { .. } => ErrorCode::Storage,
        };
        Self::new(code, error.to_string())
    }
}
