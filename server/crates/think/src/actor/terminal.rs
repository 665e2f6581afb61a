//! What a turn that ended badly left to say. It is kept until the next request, so that a tab that comes late, or after
//! a restart, learns of it too.

use super::Actor;
use protocol::{RequestId, SessionId, TurnStatus};
use serde::{Deserialize, Serialize};

/// The last words of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TerminalRecord {
    pub(crate) request_id: RequestId,
    pub(crate) status: TurnStatus,
    pub(crate) error: Option<String>,
}

impl TerminalRecord {
    /// The setting that holds a session's record.
    pub(crate) fn key(session: &SessionId) -> String {
        format!("terminal:{session}")
    }
}

impl Actor {
    pub(super) async fn load_terminal(&mut self) {
        match self.shared.store.get(&TerminalRecord::key(self.session.id())).await {
            Ok(record) => self.terminal = record,
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "the last turn's end is unknown")
            }
        }
    }

    pub(super) async fn keep_terminal(&mut self, record: Option<TerminalRecord>) {
        if self.terminal == record {
            return;
        }
        let key = TerminalRecord::key(self.session.id());
        if let Err(error) = self.shared.store.set(&key, record.as_ref()).await {
            tracing::warn!(session.id = %self.session.id(), %error, "the turn's end is not kept for late tabs");
        }
        self.terminal = record;
    }
}
