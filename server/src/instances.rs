//! The open agent instances: found by agent and name, opened when first asked for, closed when the server stops.
//!
//! One engine and one file each. A file that cannot be opened is told to whoever asked for it, and tried again for
//! the next one; nobody else notices.

use crate::config::{DataConfig, is_name};
use db::{Database, DbError};
use futures::future::join_all;
use protocol::{ErrorCode, WireError, limits};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use think::{AgentSpec, Engine, ThinkError, World};
use tokio::sync::OnceCell;

/// All instances of all agents.
pub struct Instances {
    agents: BTreeMap<String, Arc<AgentSpec>>,
    data: DataConfig,
    world: World,
    /// Held only while a slot is looked up, never while a file is opened.
    open: Mutex<Open>,
}

/// Why an instance is not open.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// No agent has this name.
    #[error("there is no agent {0:?}")]
    UnknownAgent(String),
    /// The name cannot name an instance.
    #[error("an instance's name has 1 to {limit} letters, digits, - and _ (INSTANCE_NAME_MAX_BYTES)", limit = limits::INSTANCE_NAME_MAX_BYTES)]
    BadName,
    /// Too many are open.
    #[error("{limit} agent instances are open, which is the limit (INSTANCES_MAX)", limit = limits::INSTANCES_MAX)]
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
    slots: HashMap<Key, Slot>,
    is_stopping: bool,
}

type Key = (String, String);
type Slot = Arc<OnceCell<Instance>>;

struct Instance {
    engine: Engine,
    database: Database,
}

impl Instances {
    /// None open yet.
    pub fn new(agents: Vec<AgentSpec>, data: DataConfig, world: World) -> Self {
        let agents = agents.into_iter().map(|spec| (spec.name.clone(), Arc::new(spec)));
        Self { agents: agents.collect(), data, world, open: Mutex::default() }
    }

    /// The engine of an instance; opened, and its interrupted turns recovered, if nobody has asked for it before.
    /// Dropping the future leaves the opening to the next one who asks.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub async fn engine(&self, agent: &str, name: &str) -> Result<Engine, InstanceError> {
        let spec = self.agents.get(agent).ok_or_else(|| InstanceError::UnknownAgent(agent.to_owned()))?;
        if !is_name(name) {
            return Err(InstanceError::BadName);
        }
        let key = (agent.to_owned(), name.to_owned());
        let slot = self.slot(&key)?;
        match slot.get_or_try_init(|| self.start(spec, name)).await {
            Ok(instance) => Ok(instance.engine.clone()),
            Err(error) => {
                self.forget_unopened(&key);
                Err(error)
            }
        }
    }

    /// Stops every turn, keeping what had arrived, closes every connection, then every file.
    pub async fn shutdown(&self) {
        let slots = self.stop_opening();
        let instances: Vec<&Instance> = slots.iter().filter_map(|slot| slot.get()).collect();
        join_all(instances.iter().map(|instance| instance.engine.shutdown())).await;
        for instance in instances {
            if let Err(error) = instance.database.close().await {
                tracing::warn!("a file was not closed in good order: {error}");
            }
        }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).slots.len()
    }

    async fn start(&self, spec: &Arc<AgentSpec>, name: &str) -> Result<Instance, InstanceError> {
        let file = self.data.instance_file(&spec.name, name);
        let database = Database::open(&file).await?;
        match Engine::start(Arc::clone(spec), name.to_owned(), database.clone(), self.world.clone()).await {
            Ok(engine) => Ok(Instance { engine, database }),
            Err(source) => Err(InstanceError::Engine { file, source }),
        }
    }

    fn slot(&self, key: &Key) -> Result<Slot, InstanceError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_stopping {
            return Err(InstanceError::Stopping);
        }
        if let Some(slot) = open.slots.get(key) {
            return Ok(Arc::clone(slot));
        }
        if open.slots.len() >= limits::INSTANCES_MAX {
            return Err(InstanceError::TooMany);
        }
        Ok(Arc::clone(open.slots.entry(key.clone()).or_default()))
    }

    /// Frees the slot of an instance that could not be opened, unless somebody is opening it again.
    fn forget_unopened(&self, key: &Key) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = |slot: &Slot| slot.get().is_none() && Arc::strong_count(slot) <= 2;
        if open.slots.get(key).is_some_and(is_idle) {
            let _slot = open.slots.remove(key);
        }
    }

    fn stop_opening(&self) -> Vec<Slot> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_stopping = true;
        open.slots.drain().map(|(_, slot)| slot).collect()
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
