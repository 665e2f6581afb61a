//! Closes instances that nobody uses, and opens those again that have something to do by themselves.

use super::slot::{Closing, Slot};
use super::{Instances, Key};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// How often in the time that an instance may be unused it is looked at.
const LOOKS: u32 = 4;
/// When an instance that could not be opened for its own tasks is tried again.
const TRY_AGAIN_MS: u64 = 60_000;

impl Instances {
    /// Keeps open what is used, and nothing else: what nobody has used for `idle`, if there is such a time, is closed, and
    /// what has something to do is opened for it. For ever; safe to drop.
    pub async fn keep(&self, idle: Option<Duration>) {
        let mut looks = idle.map(|idle| (looks(idle), idle));
        loop {
            tokio::select! {
                idle = look(&mut looks) => self.close_unused(idle).await,
                () = self.until_due() => self.open_due().await,
            }
        }
    }

    /// Closes what nobody has used for so long.
    pub async fn close_unused(&self, idle: Duration) {
        let now = Instant::now();
        // A clock that has not run for so long yet has seen no unused instance.
        let Some(since) = now.checked_sub(idle) else { return };
        for (key, slot) in self.all() {
            self.close_one(&key, slot, since).await;
        }
    }

    /// Frees the place that was not used for the longest time, if there is any.
    pub(super) async fn make_room(&self) {
        let mut unused: Vec<(Instant, Key, Arc<Slot>)> = self
            .all()
            .into_iter()
            .filter_map(|(key, slot)| Some((slot.unused_since()?, key, slot)))
            .collect();
        unused.sort_by_key(|(since, _, _)| *since);
        for (since, key, slot) in unused {
            if self.close_one(&key, slot, since).await {
                return;
            }
        }
    }

    /// Whether a place became free. That is also one that stayed empty, as where whoever asked for the instance left while it
    /// was opened, or where somebody else looked at it when it was closed.
    async fn close_one(&self, key: &Key, slot: Arc<Slot>, since: Instant) -> bool {
        let closing = slot.close_unused(since, Instant::now()).await;
        drop(slot);
        if let Closing::Closed { due } = closing {
            tracing::info!(agent = %key.0, instance = %key.1, "an instance that nobody used was closed");
            if let Some(due) = due {
                let _none = self.open().due.insert(key.clone(), due);
                self.owing.notify_one();
            }
        }
        self.forget_empty(key)
    }

    /// Waits until a closed instance has something to do, or one more is closed that will have. Cancel-safe.
    async fn until_due(&self) {
        let next = self.open().due.values().min().copied();
        let reached = async {
            match next {
                Some(at) => self.world.clock.reached(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = reached => {}
            () = self.owing.notified() => {}
        }
    }

    /// Opens the instances that have something to do now; their own schedules do it.
    pub(super) async fn open_due(&self) {
        let now = self.world.clock.now_ms();
        let due: Vec<Key> =
            self.open().due.iter().filter(|(_, at)| **at <= now).map(|(key, _)| key.clone()).collect();
        for key in due {
            if let Err(error) = self.engine(&key.0, &key.1).await {
                tracing::error!(agent = %key.0, instance = %key.1, "the instance's schedules wait: {error}");
                let _old = self.open().due.insert(key, now.saturating_add(TRY_AGAIN_MS));
            }
        }
    }

    pub(super) fn all(&self) -> Vec<(Key, Arc<Slot>)> {
        self.open().slots.iter().map(|(key, slot)| (key.clone(), Arc::clone(slot))).collect()
    }
}

/// Waits for the next look, and says for how long nobody may have used what is closed then; for ever if there is none.
/// Cancel-safe.
async fn look(looks: &mut Option<(Interval, Duration)>) -> Duration {
    let Some((looks, idle)) = looks else { return std::future::pending().await };
    let _now = looks.tick().await;
    *idle
}

/// When it is looked for what nobody has used for so long.
fn looks(idle: Duration) -> Interval {
    let every = (idle / LOOKS).max(Duration::from_millis(1));
    let mut looks = interval_at(Instant::now() + every, every);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks
}
