//! What a socket hears first.

use super::Actor;
use crate::store::STATE_KEY;
use crate::stream::fanout::{Stage, Watcher};
use protocol::ServerFrame;
use serde_json::Value;

impl Actor {
    /// A tab that asked for a window hears the stored path, then of the running turn. A tab that did not (the public
    /// client) must not hear the path while a turn runs: it would drop the answer in motion.
    pub(super) async fn greet(&mut self, mut watcher: Watcher) {
        let (agent, name) = (self.shared.spec.name.clone(), self.shared.instance.clone());
        watcher.sink.send_frame(&ServerFrame::Identity { name, agent });
        // A state that cannot be read is not shown; the doctor finds it.
        if let Ok(Some(state)) = self.shared.store.get::<Value>(STATE_KEY).await {
            watcher.sink.send_frame(&ServerFrame::State { state });
        }
        if let Some(mcp) = self.shared.spec.tool_source.as_ref().and_then(|source| source.describe()) {
            watcher.sink.send_frame(&ServerFrame::McpServers { mcp });
        }
        let running = self.running.as_ref().map(|running| running.turn.request_id.clone());
        let waiting = self.queue.waiting().next_back().map(|turn| turn.request_id.clone());
        let is_public = watcher.window.is_none();
        if let Some(id) = waiting.filter(|_| running.is_none() && is_public) {
            watcher.stage = Stage::Parked;
            watcher.sink.send_frame(&ServerFrame::Pending { id: Some(id), probe_id: None });
        }
        if running.is_none() || watcher.window.is_some() {
            watcher.sink.send_text(self.first_transcript(watcher.window).await);
        }
        if let Some(id) = running {
            watcher.stage = Stage::Resuming;
            watcher.sink.send_frame(&ServerFrame::Resuming { id, probe_id: None });
        } else if let Some(last) = self.terminal.clone().filter(|_| watcher.window.is_some()) {
            let (id, status, error) = (last.request_id, last.status, last.error);
            watcher.sink.send_frame(&ServerFrame::Turn { id, status, error });
        }
        if let Some(frame) = self.recovering() {
            watcher.sink.send_frame(&frame);
        }
        self.shared.hub.tell_summary(self.session.id(), &watcher.sink);
        self.watchers.add(watcher);
    }
}
