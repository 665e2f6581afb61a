//! A person agreed to a call, and the conversation went on without running it: the call is ended as failed,
//! so that nobody waits for it and no later prompt says that it was done.
//!
//! A call is left alone as long as a continuation of its message is owed: that will run it.

use super::{Accepted, Actor, TurnKind};
use crate::error::ThinkError;
use crate::reply::agreed::{AGREED_MARK, close_agreed, has_agreed};
use crate::stream::fanout::ConnectionId;
use crate::turn::continuation::Wanted;
use protocol::{Message, MessageId, RequestId, ServerFrame};

impl Actor {
    /// Something was stored below this message, or would have gone on with it and does not.
    pub(super) async fn pass_by(&mut self, id: &MessageId) -> Result<(), ThinkError> {
        let is_open = !self.is_owed_more(id) && self.session.holds(id, AGREED_MARK).await?;
        let Some(mut stored) = (if is_open { self.session.get(id).await? } else { None }) else {
            return Ok(());
        };
        if close_agreed(&mut stored) {
            let _known = self.session.update(&stored).await?;
            self.watchers.send_all(&ServerFrame::MessageUpdated { message: stored });
        }
        Ok(())
    }

    /// The same for whatever stands above a message: the last stop may have come between the two.
    pub(super) async fn pass_by_above(&mut self, id: &MessageId) {
        match self.session.history_ids(Some(id)).await {
            Ok(path) => {
                if let Some(above) = path.iter().rev().nth(1) {
                    self.pass_by_quietly(above).await;
                }
            }
            Err(error) => tracing::warn!(session.id = %self.session.id(), %error, "a path cannot be read"),
        }
    }

    /// The same where it is no matter whether the store can do it now: the doctor names what is left.
    pub(super) async fn pass_by_quietly(&mut self, id: &MessageId) {
        if let Err(error) = self.pass_by(id).await {
            tracing::warn!(session.id = %self.session.id(), message.id = %id, %error,
                "a call that will not run any more is not ended");
        }
    }

    /// A continuation was given up: if the conversation has gone past its message, nothing comes back to it.
    pub(super) async fn pass_by_unless_last(&mut self, id: &MessageId) {
        match self.session.active_leaf().await {
            Ok(Some(leaf)) if leaf == *id => {}
            Ok(_) => self.pass_by_quietly(id).await,
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "the last message is unknown")
            }
        }
    }

    /// An answer without a wish to go on came too late where the conversation has gone past its message.
    pub(super) async fn close_if_passed(&self, message: &mut Message) -> Result<(), ThinkError> {
        let is_last =
            || async { Ok::<_, ThinkError>(self.session.active_leaf().await?.as_ref() == Some(&message.id)) };
        if has_agreed(message) && !self.is_owed_more(&message.id) && !is_last().await? {
            let _was_open = close_agreed(message);
        }
        Ok(())
    }

    /// A request that brings nothing new and ends in an answer with calls that a person has agreed to asks
    /// for more of that answer.
    pub(super) async fn accept_agreed(
        &mut self,
        (from, request_id): (ConnectionId, &RequestId),
        message_id: &MessageId,
    ) -> Result<Option<Accepted>, ThinkError> {
        if self.is_owed_more(message_id) || !self.session.holds(message_id, AGREED_MARK).await? {
            return Ok(None);
        }
        let (request_id, message_id) = (request_id.clone(), message_id.clone());
        let wanted = Wanted { request_id, message_id, owner: Some(from), taken_up: None };
        let wanted = self.promise_continuation(wanted).await?;
        let id = wanted.request_id.clone();
        let accepted = self.accept_continuation(wanted).await;
        if !matches!(accepted, Ok(Some(_))) {
            self.void_promise(&id).await;
        }
        accepted
    }

    /// Whether a continuation of the message runs, waits, or is about to.
    pub(super) fn is_owed_more(&self, id: &MessageId) -> bool {
        let mut turns = self.running.iter().map(|running| &running.turn).chain(self.queue.waiting());
        let is_more =
            |turn: &Accepted| matches!(turn.kind, TurnKind::Continuation(_)) && turn.message_id == *id;
        self.continuation.is_wanted(id) || turns.any(is_more)
    }
}
