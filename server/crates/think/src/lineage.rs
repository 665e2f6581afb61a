//! Inside which turns the running code stands, so that nobody waits for a turn that waits for him, and agents that call
//! agents end somewhere.

use crate::shared::Shared;
use protocol::SessionId;
use std::sync::Arc;

tokio::task_local! {
    static INSIDE: Lineage;
}

/// The turns around the running code, outermost first. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lineage(Arc<Vec<Ancestor>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Ancestor {
    /// Names the running instance in this process.
    instance: usize,
    session: SessionId,
}

impl Lineage {
    /// Of whoever asks.
    pub(crate) fn current() -> Self {
        INSIDE.try_with(Clone::clone).unwrap_or_default()
    }

    /// One turn further in.
    pub(crate) fn below(&self, shared: &Shared, session: &SessionId) -> Self {
        let mut all = self.0.as_ref().clone();
        all.push(Ancestor { instance: shared.number(), session: session.clone() });
        Self(Arc::new(all))
    }

    pub(crate) fn holds(&self, shared: &Shared, session: &SessionId) -> bool {
        let instance = shared.number();
        self.0.iter().any(|known| known.instance == instance && known.session == *session)
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    /// The same work, standing inside these turns.
    pub(crate) async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        INSIDE.scope(self.clone(), work).await
    }
}
