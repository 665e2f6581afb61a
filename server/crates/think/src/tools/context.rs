//! The tools of the context blocks, run where the model stands in its answer.

use super::Tool;
use crate::shared::Shared;
use futures::future::BoxFuture;
use protocol::{Author, Message, MessageId, RequestId, ToolSpec};
use serde_json::Value;
use serde_json::json;
use session::{ContextCall, ContextEvent, Position, Session, ToolReply};
use std::sync::Arc;

/// One call of such a tool in one turn.
pub(crate) struct ContextTool {
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: Session,
    pub(crate) request_id: RequestId,
    /// What the turn answers.
    pub(crate) leaf: MessageId,
    /// The answer so far.
    pub(crate) so_far: Option<Message>,
    pub(crate) name: String,
}

impl Tool for ContextTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.clone(), description: None, parameters: None }
    }

    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let (shared, session) = (Arc::clone(&self.shared), self.session.clone());
        let author = Author::Model { request_id: Some(self.request_id.clone()) };
        let call = ContextCall { name: self.name.clone(), input, author };
        let (leaf, so_far) = (self.leaf.clone(), self.so_far.clone());
        Box::pin(async move {
            let position = Position { leaf: Some(&leaf), so_far: so_far.as_ref() };
            let reply = shared.context(&session).call_tool(&call, position).await;
            let reply = reply.ok_or_else(|| format!("There is no tool named {:?}.", call.name))?;
            if let Some(event) = &reply.event {
                shared.tell_context_event(session.id(), event, &call.author);
            }
            if matches!(reply.event, Some(ContextEvent::Unloaded(_))) {
                shared.tell_transcript(session.id());
            }
            Ok(output(reply))
        })
    }
}

/// What stands in the transcript: a sentence, and where a text was written also which versions, so that a page can offer
/// to take it back.
fn output(reply: ToolReply) -> Value {
    match reply.event {
        Some(ContextEvent::Written { block, previous }) => json!({
            "result": reply.text, "label": block.label, "version": block.version, "previousVersion": previous,
        }),
        Some(
            ContextEvent::EntryWritten { .. }
            | ContextEvent::Full { .. }
            | ContextEvent::Loaded(_)
            | ContextEvent::Unloaded(_),
        )
        | None => Value::String(reply.text),
    }
}
