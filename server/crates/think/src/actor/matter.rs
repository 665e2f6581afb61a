//! Whether a frame that names no session belongs to this one: a socket may have asked for something in several.

use super::Actor;
use super::replies::owns;
use crate::error::ThinkError;
use protocol::{ClientFrame, Part, RequestId, ToolCallId};

/// What a frame is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Matter {
    /// A call that waits for somebody outside.
    Call(ToolCallId),
    /// A request.
    Request(RequestId),
    /// Whatever is going on.
    Anything,
}

impl Matter {
    /// None where the frame is about the socket's own session, or about all of them.
    pub(crate) fn of(frame: &ClientFrame) -> Option<Self> {
        match frame {
            ClientFrame::ToolResult(result) => Some(Self::Call(result.tool_call_id.clone())),
            ClientFrame::ToolApproval(verdict) => Some(Self::Call(verdict.tool_call_id.clone())),
            ClientFrame::ResumeAck { id, .. } => Some(Self::Request(id.clone())),
            ClientFrame::ResumeRequest { .. } => Some(Self::Anything),
            ClientFrame::ChatRequest { .. }
            | ClientFrame::Cancel { .. }
            | ClientFrame::Clear {}
            | ClientFrame::Messages { .. }
            | ClientFrame::Rpc { .. } => None,
        }
    }
}

impl Actor {
    /// Whether this session knows of it. One that cannot be read knows nothing.
    pub(super) async fn knows(&self, matter: &Matter) -> bool {
        match matter {
            Matter::Call(call) => self.awaits(call).await.unwrap_or_default(),
            Matter::Request(id) => {
                let stream = self.shared.log.newest(self.session.id(), id).await;
                self.is_in_motion(id) || stream.is_ok_and(|stream| stream.is_some())
            }
            Matter::Anything => {
                let is_quiet = self.running.is_none() && self.queue.is_idle();
                !is_quiet || self.continuation.pending().is_some()
            }
        }
    }

    async fn awaits(&self, call: &ToolCallId) -> Result<bool, ThinkError> {
        let running = self.running.as_ref().and_then(|running| running.machine.message());
        if running.is_some_and(|message| owns(&message, call)) {
            return Ok(true);
        }
        let path = self.session.history(None).await?.messages;
        let mut calls = path.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
        Ok(calls.any(|tool| tool.call.tool_call_id == *call && tool.call.state.is_waiting()))
    }
}
