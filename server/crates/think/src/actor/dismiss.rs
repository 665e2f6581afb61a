//! A person answers no more: what a message still waits for is put away, and nothing goes on because of it.
//!
//! So a question never outlives its use: not after a restart, not on a branch that nobody looks at, and not in a batch of
//! which only a part was answered.

use super::Actor;
use crate::admit::is_reserved;
use crate::error::ThinkError;
use crate::reply::{self, agreed::close_agreed};
use protocol::{Message, MessageId, ServerFrame};

impl Actor {
    /// The message as it is then, whether or not it waited for anything; none if there is no such message.
    ///
    /// # Errors
    /// The message is being written, or the store.
    pub(super) async fn dismiss(&mut self, id: &MessageId) -> Result<Option<Message>, ThinkError> {
        let Some(mut stored) = self.session.get(id).await? else { return Ok(None) };
        let is_running = self.running.as_ref().is_some_and(|running| running.turn.message_id == *id);
        if is_running || is_reserved(&stored) {
            return Err(ThinkError::BeingWritten);
        }
        let mut is_changed = reply::dismiss(&mut stored);
        for void in self.continuation.forget(id) {
            self.void_promise(&void.request_id).await;
        }
        // What a person agreed to runs no more either, unless the turn that runs it is in the line already.
        is_changed |= !self.is_owed_more(id) && close_agreed(&mut stored);
        if is_changed {
            let _known = self.session.update(&stored).await?;
            self.watchers.send_all(&ServerFrame::MessageUpdated { message: stored.clone() });
            self.shared.announce_session(self.session.id()).await;
        }
        self.release_where_nothing_comes();
        Ok(Some(stored))
    }
}
