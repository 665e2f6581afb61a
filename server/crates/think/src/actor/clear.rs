//! Forget the whole conversation of this session, whatever is going on in it.

use super::Actor;
use crate::error::ThinkError;
use crate::stream::fanout::{ConnectionId, Stage};
use crate::turn::continuation::Continuation;
use protocol::{ServerFrame, WireError};

impl Actor {
    /// Running and waiting turns end without a trace: nothing of them is stored and no hook hears of them.
    pub(super) async fn on_clear(&mut self, from: ConnectionId) {
        let mut ended: Vec<_> = self.queue.reset().into_iter().map(|turn| turn.request_id).collect();
        if let Some(running) = self.running.take() {
            ended.push(running.turn.request_id);
            self.queue.finish();
        }
        for id in &ended {
            self.watchers.send_all(&ServerFrame::done(id));
        }
        for watcher in self.watchers.all_mut() {
            if std::mem::replace(&mut watcher.stage, Stage::Live) == Stage::Parked {
                watcher.sink.send_frame(&ServerFrame::ResumeNone { reason: None, probe_id: None });
            }
        }
        (self.continuation, self.held) = (Continuation::default(), Vec::new());
        match self.forget().await {
            Ok(()) => self.watchers.send_all(&ServerFrame::Clear {}),
            Err(error) => self.refuse(from, None, WireError::from(&error)),
        }
        self.quiet_if_idle().await;
    }

    async fn forget(&mut self) -> Result<(), ThinkError> {
        self.session.clear().await?;
        self.shared.log.clear(self.session.id()).await?;
        self.shared.store.forget_session(self.session.id()).await?;
        self.forget_captured().await?;
        self.keep_terminal(None).await;
        Ok(())
    }
}
