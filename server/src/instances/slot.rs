//! The place of one instance: empty, or with its engine and its file; who uses it, and since when nobody does.

use super::InstanceError;
use db::{Database, DbError};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use think::{AgentSpec, Engine, Rest, World};
use tokio::time::Instant;

/// An open instance.
pub(super) struct Instance {
    engine: Engine,
    database: Database,
}

/// The place of one instance.
pub(super) struct Slot {
    /// Held while the file is opened or closed: whoever comes meanwhile waits, and no file is opened twice.
    place: tokio::sync::Mutex<Place>,
    use_: Mutex<Use>,
}

enum Place {
    Empty,
    Open(Instance),
    /// It is being closed, and has something to do by itself at that time. Whoever finds this brings it to its end, since
    /// whoever began it may have left.
    Closing(Instance, Option<u64>),
    /// Empty for ever: the server stops.
    Retired,
}

struct Use {
    /// Requests and sockets that use it now.
    leases: usize,
    /// When somebody did so last.
    last: Instant,
}

/// What came of an attempt to close an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// It is closed, and has something to do by itself at that time, in milliseconds since 1970.
    Closed { due: Option<u64> },
    /// It stays, or there was none.
    Used,
}

/// The use of an open instance; it is not closed while this is kept.
pub struct Lease {
    engine: Engine,
    slot: Arc<Slot>,
}

impl Instance {
    pub(super) async fn start(
        spec: &Arc<AgentSpec>,
        name: &str,
        file: PathBuf,
        world: World,
    ) -> Result<Self, InstanceError> {
        let database = Database::open(&file).await?;
        match Engine::start(Arc::clone(spec), name.to_owned(), database.clone(), world).await {
            Ok(engine) => Ok(Self { engine, database }),
            Err(source) => Err(InstanceError::Engine { file, source }),
        }
    }

    /// May be done again where it was broken off.
    async fn close(&self) -> Result<(), DbError> {
        self.engine.shutdown().await;
        self.database.close().await
    }
}

impl Slot {
    pub(super) fn new(now: Instant) -> Self {
        Self { place: tokio::sync::Mutex::new(Place::Empty), use_: Mutex::new(Use { leases: 0, last: now }) }
    }

    /// Uses the instance, which is opened by `start` if it is not open.
    pub(super) async fn lease<F>(self: &Arc<Self>, start: impl FnOnce() -> F) -> Result<Lease, InstanceError>
    where
        F: Future<Output = Result<Instance, InstanceError>>,
    {
        let mut place = self.place.lock().await;
        let _closed = finish(&mut place).await;
        if matches!(*place, Place::Empty) {
            *place = Place::Open(start().await?);
        }
        let Place::Open(instance) = &*place else { return Err(InstanceError::Stopping) };
        self.used().leases += 1;
        Ok(Lease { engine: instance.engine.clone(), slot: Arc::clone(self) })
    }

    /// Closes the instance if nothing of it has been in use since then. Where the future is dropped, the next one who comes
    /// goes on with that.
    pub(super) async fn close_unused(&self, since: Instant, now: Instant) -> Closing {
        let mut place = self.place.lock().await;
        let Place::Open(instance) = &*place else { return finish(&mut place).await };
        let due = match instance.engine.rest().await {
            Ok(Rest::Quiet { due }) if self.used().leases == 0 => due,
            Ok(Rest::Quiet { .. } | Rest::Active) => {
                self.used().last = now;
                return Closing::Used;
            }
            Err(error) => {
                tracing::warn!(%error, "whether an instance is in use is unknown; it stays open");
                return Closing::Used;
            }
        };
        if self.used().last > since {
            return Closing::Used;
        }
        if let Place::Open(instance) = std::mem::replace(&mut *place, Place::Empty) {
            *place = Place::Closing(instance, due);
        }
        finish(&mut place).await
    }

    /// Closes the instance for ever.
    pub(super) async fn retire(&self) -> Result<(), DbError> {
        match std::mem::replace(&mut *self.place.lock().await, Place::Retired) {
            Place::Open(instance) | Place::Closing(instance, _) => instance.close().await,
            Place::Empty | Place::Retired => Ok(()),
        }
    }

    /// Whether there is no open instance in it. One that is being opened or closed counts as open.
    pub(super) fn is_empty(&self) -> bool {
        self.place.try_lock().is_ok_and(|place| !matches!(*place, Place::Open(_) | Place::Closing(..)))
    }

    /// When it was used last; none while somebody uses it.
    pub(super) fn unused_since(&self) -> Option<Instant> {
        let used = self.used();
        (used.leases == 0).then_some(used.last)
    }

    /// Never held across an await.
    fn used(&self) -> MutexGuard<'_, Use> {
        self.use_.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Brings to its end a closing that has begun.
async fn finish(place: &mut Place) -> Closing {
    let Place::Closing(instance, due) = &*place else { return Closing::Used };
    let due = *due;
    if let Err(error) = instance.close().await {
        tracing::warn!("a file was not closed in good order: {error}");
    }
    *place = Place::Empty;
    Closing::Closed { due }
}

impl Deref for Lease {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut used = self.slot.used();
        used.leases = used.leases.saturating_sub(1);
        used.last = Instant::now();
    }
}
