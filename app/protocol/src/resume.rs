//! Words of the resume handshake: a tab asks, the server offers, the tab acknowledges, the server replays.
//!
//! ```text
//! tab                                   server
//!  ├─ cf_agent_stream_resume_request ──▶│
//!  │◀── cf_agent_stream_resuming {id} ──┤   (or _pending: wait · or _resume_none: nothing)
//!  ├─ cf_agent_stream_resume_ack {id} ─▶│
//!  │◀─ stored chunks, replay:true ──────┤
//!  │◀─ replayComplete:true ─────────────┤   then live frames, in order, none twice
//! ```

use serde::{Deserialize, Serialize};

/// Why there is nothing to resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoneReason {
    /// Nothing runs.
    Idle,
    /// A continuation runs that another connected tab owns.
    ContinuationOwned,
}
